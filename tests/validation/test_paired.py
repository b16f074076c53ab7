"""Loads that hit beside other warps' stores and reductions: what one of these adds to the loads that keep L1 busy."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.paired import UNROLLED

LOADING = 12  # warps, and one of each SMSP that does the others
OTHERS = ("STG.32", "STG.32 of a sector", "STG.64", "STG.128", "REDG.ADD", "REDG.ADD of a lane")
ONE_BANK, ALL_BANKS = "LDG.32 of 4 lines in a bank", "LDG.128"
Times = list[list[int]]  # of each warp when it begins and ends


def added(load: str, other: str) -> tuple[float, float]:
    """The cycles that one of the others adds to the loads, predicted and recorded."""
    names = [f"paired/apart {rate}, {load}, {kind}" for rate, kind in ((0, "STG.32"), (3, other))]
    found = {one.name: one for one in predictions(names)}
    turns = next(int(str(one.meta["turns"])) for one in bundle.family("paired") if one.name == names[1])
    alone, beside = (found[name] for name in names)
    recorded = [_added(_time(_first(alone.recorded)), one, turns) for one in _all(beside.recorded)]
    return _added(_time(alone.predicted), beside.predicted, turns), median(recorded)


def _all(recorded: list[Times] | Times) -> list[Times]:
    """The repeats of a timeline, one where all agree."""
    return recorded if isinstance(recorded[0][0], list) else [recorded]


def _first(recorded: list[Times] | Times) -> Times:
    return _all(recorded)[0]


def _time(times: Times) -> int:
    return max(end for _, end in times[:LOADING]) - min(begin for begin, _ in times[:LOADING])


def _added(alone: int, times: Times, turns: int) -> float:
    others = times[LOADING:]
    each = sum(end - begin for begin, end in others) / (turns * UNROLLED * len(others))
    return (_time(times) - alone) / (len(others) * _time(times) / each)


@pytest.mark.parametrize("load", [ONE_BANK, ALL_BANKS])
@pytest.mark.parametrize("other", OTHERS)
def test_what_a_store_or_reduction_adds_is_its_passes_and_the_reads_of_its_sectors(load: str, other: str) -> None:
    predicted, recorded = added(load, other)
    assert predicted == pytest.approx(recorded, abs=0.6)


@pytest.mark.parametrize("other", ["STG.32", "STG.64", "REDG.ADD"])
def test_loads_from_one_bank_lose_fewer_passes(other: str) -> None:
    predicted, recorded = added(ONE_BANK, other)
    of_all, of_all_recorded = added(ALL_BANKS, other)
    assert of_all_recorded > recorded + 0.7
    assert of_all > predicted + 0.7
