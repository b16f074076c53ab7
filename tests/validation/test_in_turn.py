"""Reductions at a word and other accesses in turn, the queues full: `in_turn`."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.in_turn import ROUNDS, ROUNDS_OF

ONE, TWO, FOUR = "1", "2x1", "4x1"  # warps, of as many SMSPs


@pytest.mark.parametrize("launch", [TWO, FOUR])
@pytest.mark.parametrize("pattern", ROUNDS_OF["behind_lanes"])
def test_others_wait_for_a_reductions_passes_and_the_next_for_their_packets(pattern: str, launch: str) -> None:
    predicted, recorded = _round(pattern, launch)
    assert predicted == pytest.approx(recorded, rel=0.036)


@pytest.mark.parametrize("pattern", [pattern for pattern in ROUNDS_OF["behind_lanes"] if pattern not in ("RD", "Rh")])
def test_so_do_those_of_a_lone_warp(pattern: str) -> None:
    predicted, recorded = _round(pattern, ONE)
    assert predicted == pytest.approx(recorded, rel=0.045)


@pytest.mark.parametrize("launch", [TWO, FOUR])
@pytest.mark.parametrize("pattern", ROUNDS_OF["behind_fewer"])
def test_where_the_port_is_the_limit_nothing_waits_for_passes(pattern: str, launch: str) -> None:
    predicted, recorded = _round(pattern, launch)
    assert predicted == pytest.approx(recorded, rel=0.015)


@pytest.mark.parametrize("pattern", ["RA", "RAA", "RRA", "RAS"])
def test_answers_get_in_as_another_access_interrupts_reductions(pattern: str) -> None:
    predicted, recorded = _round(pattern, FOUR)
    assert predicted == pytest.approx(recorded, rel=0.04)


def _round(pattern: str, launch: str) -> tuple[float, float]:
    """The cycles of a round, of the second half of all, predicted and recorded."""
    (found,) = predictions([f"in_turn/{pattern}"], [launch])
    return _pace(found.predicted), median(_pace(repeat) for repeat in found.recorded)


def _pace(clocks: list[int]) -> float:
    _, half, end = clocks
    return (end - half) / (ROUNDS // 2)
