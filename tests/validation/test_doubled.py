"""Loads behind one or two stores of a lone warp: `doubled`."""

from functools import cache
from statistics import fmean

import pytest

from tests.validation.microbenchmarks import beside_h200, longest_wait
from validation.calibration.families.doubled import NOTHING, PROBES, STORES

MANY = "STG.32 of 32 lines"  # more than find places
FEW = [label for label in STORES if label != MANY]
SHORT = [label for label in STORES if label not in (MANY, "STG.32 of 16 lines")]
OFF = 6  # cycles, in the mean of all


@cache
def _waits() -> dict[str, tuple[float, float]]:
    """By name, the cycles for which the load's warp waits for its data: predicted, recorded."""
    return beside_h200("doubled", longest_wait)


@pytest.mark.parametrize("probe", PROBES)
def test_a_load_alone_and_behind_a_row_is_exact(probe: str) -> None:
    for name in (NOTHING, "STG.32 of 1 line", "STG.64 of 2 lines"):
        predicted, recorded = _waits()[f"{name}, {probe}"]
        assert predicted == recorded


@pytest.mark.parametrize("first", SHORT)
@pytest.mark.parametrize("second", SHORT)
def test_a_load_of_a_pass_waits_for_both_stores_of_its_warp(first: str, second: str) -> None:
    predicted, recorded = _waits()[f"{first}, {second}, LDG.32"]
    assert predicted == pytest.approx(recorded, abs=2)


@pytest.mark.parametrize("first", FEW)
def test_it_waits_for_a_store_of_more_lines_than_find_places_that_does_not_wait_for_few_others(first: str) -> None:
    alone, _ = _waits()[f"{NOTHING}, LDG.32"]
    behind_many = [wait - alone for wait in _waits()[f"{MANY}, {MANY}, LDG.32"]]
    predicted, recorded = (wait - alone for wait in _waits()[f"{first}, {MANY}, LDG.32"])
    assert predicted == pytest.approx(recorded, abs=16)
    assert min(predicted, recorded) > 50
    assert max(predicted, recorded) < min(behind_many) / 1.7


def test_all_together() -> None:
    assert len(_waits()) == len(PROBES) * (1 + len(STORES) + len(STORES) ** 2)
    assert fmean(abs(predicted - recorded) for predicted, recorded in _waits().values()) < OFF
