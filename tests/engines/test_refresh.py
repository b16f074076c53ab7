"""Short launches with cold caches on one SM: the one that is simulated stands for all times at which it may begin."""

import numpy as np
import pytest

from smsim import engines
from smsim.engines import refresh
from smsim.engines.refresh import BEGINS, typical_refresh
from smsim.part import Part
from smsim.testing import Launch, program, strided

LDG = "LDG.E R8, desc[UR4][R4.64]"
ONE_OF_MANY = Part(busy=2)


def loading(times, pages=1):
    """A warp that loads a line of each of so many 4 KB, one after the other, over and over."""
    code = program()
    for number in range(times):
        code = code.op(LDG, write=0, addresses=strided(4, number % pages * 4096)).mov(20, 1, wait=[0])
    return Launch((code.exit(),)).trace()


@pytest.fixture
def dram(h100):
    return h100.dram


def cycles_of(cycles, read=32):
    """Launches that take so many cycles, by when they begin, and what was asked for."""
    asked = []

    def simulate(refreshed):
        asked.append(refreshed)
        counts = engines.Counts(cycles[len(asked) - 1], np.zeros(0), 0, {refresh.BYTES_READ: read})
        return counts

    return simulate, asked


def test_the_launch_nearest_to_the_mean_is_taken(dram):
    simulate, asked = cycles_of([1000, 1000, 1400, 1080, 1000, 1000, 1000, 1000])
    assert typical_refresh(loading(1), dram, simulate) == 3 * dram.refresh_interval // BEGINS
    assert asked == [number * dram.refresh_interval // BEGINS for number in range(BEGINS)]


@pytest.mark.parametrize(("cycles", "read"), [(1000, 0), (100_000, 32)], ids=["nothing from DRAM", "a long one"])
def test_where_it_makes_no_difference_one_launch_is_enough(dram, cycles, read):
    simulate, asked = cycles_of([cycles], read)
    assert typical_refresh(loading(1), dram, simulate) == 0
    assert asked == [0]


def test_dram_without_refreshes_needs_none(h100):
    simulate, asked = cycles_of([])
    assert typical_refresh(loading(1), h100.replace({"dram.refresh": 0}).dram, simulate) == 0
    assert asked == []


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_a_launch_takes_as_long_as_in_the_mean(machine, monkeypatch, engine):
    trace, cycles = loading(6, pages=6), []
    for number in range(BEGINS):
        begins = number * machine.dram.refresh_interval // BEGINS
        monkeypatch.setattr(engines, "typical_refresh", lambda *_, begins=begins: begins)
        cycles.append(engines.run(trace, machine, "cold", engine).cycles)
    monkeypatch.undo()
    mean = sum(cycles) / BEGINS
    assert min(cycles) < mean < max(cycles)
    assert engines.run(trace, machine, "cold", engine).cycles == min(cycles, key=lambda each: abs(each - mean))


def test_with_warm_caches_or_beside_other_sms_nothing_is_tried(machine, monkeypatch):
    monkeypatch.setattr(engines, "typical_refresh", lambda *_: pytest.fail("tried"))
    engines.run(loading(1), machine, "warm", "compiled")
    engines.run(loading(1), machine, "cold", "compiled", part=ONE_OF_MANY)
