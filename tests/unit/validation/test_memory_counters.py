"""How many predictions of the memory's counters are as near to ncu's as is asked."""

from dataclasses import replace

import pytest

from smsim.events import COUNTERS, Event
from tests.unit.validation.comparisons import compared
from validation.memory_counters import FEW_BYTES, agreements, table

LOADED, HITS, READ, WRITTEN = (
    COUNTERS[event]
    for event in (
        Event.GLOBAL_LOAD_SECTORS,
        Event.GLOBAL_LOAD_HITS,
        Event.DRAM_BYTES_READ,
        Event.DRAM_BYTES_WRITTEN,
    )
)


def case(predicted, measured, cache="warm"):
    one = compared()
    sides = {
        side: replace(getattr(one, side), memory=memory)
        for side, memory in zip(("predicted", "measured"), (predicted, measured), strict=True)
    }
    return replace(one, cache=cache, **sides)


def by_name(*cases):
    return {(one.figure.name, one.cache): one for one in agreements(cases)}


def test_counts_are_within_their_limit_relative_to_the_measured_ones():
    found = by_name(case({LOADED: 101.0}, {LOADED: 100.0}), case({LOADED: 90.0}, {LOADED: 100.0}))
    sectors = found["L1 load sectors", "warm"]
    assert sectors.off == pytest.approx((0.01, 0.1))
    assert sectors.within == 1


def test_hit_rates_are_compared_in_points():
    found = by_name(case({LOADED: 200.0, HITS: 100.0}, {LOADED: 100.0, HITS: 51.0}))
    assert found["L1 hit rate of loads", "warm"].off == pytest.approx((0.01,))


def test_little_written_to_dram_and_warm_caches_are_left_out():
    much, little = (dict.fromkeys((READ, WRITTEN), size * FEW_BYTES) for size in (2.0, 0.5))
    assert not by_name(case(much, much))
    found = by_name(case(much, much, "cold"), case(little, little, "cold"))
    assert {name: found[name, "cold"].within for name, _ in found} == {"DRAM bytes read": 2, "DRAM bytes written": 1}


def test_a_line_for_each_figure():
    lines = table(agreements([case({LOADED: 101.0}, {LOADED: 100.0})])).splitlines()
    assert lines[2:] == ["| L1 load sectors, 2% | warm | 1 | 1 | 1.0% | 1.0% | 1.0% |"]
