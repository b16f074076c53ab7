"""Stores of a line in turn with loads that hit and make many passes."""

from statistics import mean, median

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.stacked import ONCE, TAKEN, name_of, name_of_once

LATER = (1, 16, 58, 61, 62, 65, 72)
FEW, MANY = "LDG.32 of 8 lines in a bank", "LDG.32 of 32 lines in a bank"
LAUNCHES = ("4", "4x1", "6 warps", "4x2")
Times = list[list[int]]  # of each warp when it begins and ends


@pytest.mark.parametrize("store", ONCE)
def test_a_store_takes_one_row_as_it_is_free_and_its_lines_are_read_behind_the_loads_before_it(store):
    names = [name_of_once(taken, store, False, "LDG.32", later) for taken in TAKEN for later in LATER]
    for found in predictions(names):
        assert found.is_exact, found.name


@pytest.mark.parametrize("probe", [FEW, MANY])
def test_loads_behind_a_store_that_waits_for_its_turn_have_their_tags_looked_up(probe):
    names = [name_of_once(taken, "STL.32", False, probe, 8) for taken in TAKEN]
    for found in predictions(names):
        assert found.error <= 1, found.name


@pytest.mark.parametrize("store", ["STL.32", "STG.32"])
@pytest.mark.parametrize("load", [FEW, MANY])
def test_loops_of_loads_and_stores_take_as_long(load, store):
    for found in predictions([name_of("sL", load, store)], LAUNCHES):
        assert _cycles(found.predicted) == pytest.approx(median(map(_cycles, found.recorded)), rel=0.07)


def _cycles(times: Times) -> float:
    return mean(end for _, end in times) - min(begin for begin, _ in times)
