"""Loads of which some lanes find their words in L1, with shared memory between: `partial_hits`."""

from functools import cache
from statistics import fmean, median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.partial_hits import ACCESSES, BETWEEN, BITS, FROM, LOADS
from validation.calibration.recordings import H200

FEW, MANY = "4x2", "4x8"  # warps of each SMSP
WARPS = {FEW: 8, MANY: 32}
SOME = [*BITS, *(lanes for lanes in FROM if lanes.startswith("lanes"))]  # lanes whose words are new, and others
WIDE = {"LDG.64": 2, "LDG.128": 4}  # registers of a load


def _cycles(name: str, launch: str) -> tuple[float, float]:
    """The cycles from the first warp's beginning to the last one's end, predicted and recorded."""
    return _all_cycles(launch)[name]


@cache
def _all_cycles(launch: str) -> dict[str, tuple[float, float]]:
    """Those of all programs."""
    return {
        found.name.removeprefix("partial_hits/"): (_span(found.predicted), median(map(_span, found.recorded)))
        for found in predictions([one.name for one in bundle.family("partial_hits")], [launch], folder=H200)
    }


def _span(clocks: list[int]) -> int:
    first, last = clocks
    return last - first


@pytest.mark.parametrize("lanes", SOME)
@pytest.mark.parametrize("access", WIDE)
def test_a_load_that_finds_some_lanes_words_writes_each_register_twice(access: str, lanes: str) -> None:
    predicted, recorded = _cycles(f"{access}, {lanes}", MANY)
    assert recorded / (WARPS[MANY] * LOADS) == pytest.approx(2 * WIDE[access], rel=0.02)
    assert predicted == pytest.approx(recorded, rel=0.01)


@pytest.mark.parametrize("lanes", ["lanes from 16 on new", "every other quarter new"])
@pytest.mark.parametrize("between", ["STS.32 behind two", "STS.32"])
def test_stores_to_shared_memory_go_between_as_registers_are_written(lanes: str, between: str) -> None:
    predicted, recorded = _cycles(f"LDG.128, {lanes}, {between}", MANY)
    assert recorded == pytest.approx(_cycles(f"LDG.128, {lanes}", MANY)[1], rel=0.005)
    assert predicted == pytest.approx(recorded, rel=0.05)


@pytest.mark.parametrize("lanes", SOME)
@pytest.mark.parametrize("between", ["LDS.32", "2 LDS.32"])
def test_what_shared_memory_returns_takes_turns_with_them(lanes: str, between: str) -> None:
    predicted, recorded = _cycles(f"LDG.128, {lanes}, {between}", MANY)
    assert predicted == pytest.approx(recorded, rel=0.06)


@pytest.mark.parametrize("access", ["LDG.32 of 8 lines", "LDG.32 of 16 lines"])
def test_a_store_to_shared_memory_takes_longer_beside_data_from_l2(access: str) -> None:
    for lanes in ("odd lanes new", "all new", "lanes from 16 on new"):
        predicted, recorded = _cycles(f"{access}, {lanes}, STS.32", MANY)
        beside_loads_that_hit = _cycles(f"{access}, no lane new, STS.32", MANY)[1]
        assert recorded - _cycles(f"{access}, {lanes}", MANY)[1] > 1.5 * (
            beside_loads_that_hit - _cycles(f"{access}, no lane new", MANY)[1]
        )
        assert predicted == pytest.approx(recorded, rel=0.13)


@pytest.mark.parametrize(("launch", "mean", "worst"), [(FEW, 0.055, 0.4), (MANY, 0.055, 0.42)])
def test_all_rows_together(launch: str, mean: float, worst: float) -> None:
    errors = [abs(predicted / recorded - 1) for predicted, recorded in _all_cycles(launch).values()]
    assert len(errors) == len(ACCESSES) * (len(FROM) + len(BITS)) * len(BETWEEN)
    assert fmean(errors) < mean
    assert max(errors) < worst
