"""Rows of loads that hit and stores by 24 warps: loads lose passes to the lines of stores that leave for L2."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.interleaved import LENGTH, name_of

WARPS = 24
FOUR_LINES, ONE_BANK = "LDG.32 of 4 lines", "LDG.32 of 8 lines in bank 16"


def passes_added(load: str, store: str) -> tuple[float, float]:
    """The cycles that a store adds to two loads, predicted and recorded, in the mean of a row."""
    names = [name_of("L", load, store), name_of("LLS", load, store)]
    found = {one.name: one for one in predictions(names, ["4x6"])}
    predicted = [found[name].predicted[1] for name in names]
    recorded = [median(repeat[1] for repeat in found[name].recorded) for name in names]
    loads, both = zip(predicted, recorded, strict=True)
    return tuple((3 * b - 2 * a) / WARPS / LENGTH for a, b in zip(loads, both, strict=True))


@pytest.mark.parametrize(
    ("load", "store"),
    [
        (FOUR_LINES, "STG.32"),
        (FOUR_LINES, "STG.32 of a sector"),
        (FOUR_LINES, "STG.32 of 4 lines in a pass"),
        (FOUR_LINES, "STG.32 to one line"),
        ("LDG.128", "STG.32"),
        (ONE_BANK, "STG.32"),
        (ONE_BANK, "STG.32 of a sector"),
    ],
)
def test_a_store_adds_its_pass_and_those_that_loads_lose_as_its_line_leaves(load: str, store: str) -> None:
    predicted, recorded = passes_added(load, store)
    assert predicted == pytest.approx(recorded, abs=0.65)


def test_a_line_in_other_banks_costs_loads_nothing() -> None:
    predicted, recorded = passes_added(ONE_BANK, "STG.32 of a sector")
    same, same_recorded = passes_added("LDG.32 of 8 lines in a bank", "STG.32 of a sector")
    assert same_recorded > recorded + 0.4
    assert same > predicted + 0.4


def test_shared_memory_loses_nothing() -> None:
    predicted, recorded = passes_added("LDS.128", "STG.32")
    gathered, gathered_recorded = passes_added("LDS.128", "STG.32 to one line")
    assert recorded == pytest.approx(gathered_recorded, abs=0.2)
    assert predicted == pytest.approx(gathered, abs=0.2)
