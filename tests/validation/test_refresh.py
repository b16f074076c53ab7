"""Which bank of DRAM is a line's, and when each is refreshed, is as on the H100."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from smsim.machine import load
from smsim.rules.dram import TIERS
from smsim.rules.hashing import CHUNK, NEIGHBOURS, PAGE, UNITS, turn_of
from smsim.rules.rule import entry
from validation.calibration.derivations.refresh import between, loads, time_of_refresh
from validation.calibration.families.refresh import CHUNKS as RECORDED
from validation.calibration.recordings import Recordings

LATE = 100  # cycles more than most loads of a line take
DRAM = load("h100").description.dram
BLOCKS = 2  # of 4 KB, that a program loads of a chunk


@entry
def turn(line: int) -> int:
    """As which bank of its channel a line's is refreshed."""
    return turn_of(line)


def launches(chunk: int) -> list[list[NDArray[np.float64]]]:
    """Of each launch and line of a chunk, by unit, the ends of its loads and by how much they were late."""
    return [loads(timeline) for timeline in Recordings().launches("refresh", f"refresh/chunk {chunk}", "16")]


@cache
def times() -> NDArray[np.float64]:
    """[chunk, launch, block, unit]: when in an interval its bank is refreshed, up to the launch's start."""
    return np.array(
        [
            [
                np.concatenate([time_of_refresh(line[line[:, 1] >= LATE, 0], DRAM.refresh_interval) for line in lines])
                for lines in launches(chunk)
            ]
            for chunk in range(RECORDED)
        ]
    ).reshape(RECORDED, -1, BLOCKS, UNITS)


def turns(page: int, flipped: int) -> NDArray[np.int64]:
    """[chunk, block, unit]: the turns of a page's lines, of which every other chunk may take the other's place."""
    return np.array(
        [
            turn(page * PAGE + (chunk ^ flipped) * CHUNK + block * NEIGHBOURS + (unit >> 1) * 8 + (unit & 1) * 2)
            for chunk, block, unit in product(range(RECORDED), range(BLOCKS), range(UNITS))
        ]
    ).reshape(RECORDED, BLOCKS, UNITS)


def agreement(predicted: NDArray[np.int64]) -> float:
    """The share of lines that are refreshed in their turn, where each chunk has its own order of units.

    The channels of a partition are refreshed at `TIERS` times, a third of a turn apart.
    """
    most = (TIERS - 1) / TIERS * DRAM.refresh_turn / 2 + 30
    found = 0
    for chunk, of_chunk in enumerate(times()):
        orders = []
        for order in range(UNITS):
            ahead = predicted[chunk][:, np.arange(UNITS) ^ order] * DRAM.refresh_turn
            first = (of_chunk - ahead) % DRAM.refresh_interval
            apart = between(first[..., np.newaxis], first[..., np.newaxis, :], DRAM.refresh_interval)
            orders.append(int((np.abs(apart) <= 2 * most).sum(axis=-1).max(axis=-1).sum()))
        found += max(orders)
    return found / times().size


def test_late_loads_of_a_line_end_together() -> None:
    """At one time of each interval, not any: of most lines all do."""
    together = []
    for chunk in range(RECORDED):
        for lines in launches(chunk):
            for line in lines:
                late = line[line[:, 1] >= LATE, 0]
                middle = time_of_refresh(late, DRAM.refresh_interval)
                together.append(np.abs(between(late, middle, DRAM.refresh_interval)).max(initial=0) < DRAM.refresh / 4)
    assert np.mean(together) > 0.8


def test_as_many_loads_are_late() -> None:
    every = np.concatenate([line for chunk in range(RECORDED) for lines in launches(chunk) for line in lines])
    share = (DRAM.refresh - LATE) / DRAM.refresh_interval
    assert np.mean(every[:, 1] >= LATE) == pytest.approx(share, rel=0.25)


def test_a_line_is_refreshed_in_its_banks_turn() -> None:
    """But for constants of the page: where its first bank begins, and which of two chunks has which banks."""
    pages = [turns(page, flipped) for page in range(64) for flipped in range(2)]
    shares = [agreement(page) for page in pages]
    assert max(shares) > 0.9
    other_turns = np.random.default_rng(0).permutation(16)
    assert agreement(other_turns[pages[int(np.argmax(shares))]]) < 0.75
