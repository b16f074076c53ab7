"""Loads some cycles behind a store or a load of many lines, beside the recorded ``delayed``."""

from statistics import median

import pytest

from tests.validation.microbenchmarks import longest_wait, predictions

STORES = ("1 STG.32 of 8 lines", "1 STG.32 of 16 lines", "1 STG.32 of 32 lines")
SEVERAL = ("2 STG.32 of 32 lines", "3 STG.32 of 32 lines")
LATER = (0, 9, 16, 32, 57)


def waits(first: str, probe: str, later: tuple[int, ...] = LATER) -> list[tuple[int, float]]:
    """The cycles for which each load's warp waits for its data, predicted and recorded."""
    found = predictions([f"delayed/{first}, {cycles} cycles, {probe}" for cycles in later])
    return [(longest_wait(one.predicted), median(map(longest_wait, one.recorded))) for one in found]


@pytest.mark.parametrize("first", STORES)
@pytest.mark.parametrize("probe", ["LDG.32", "LDG.64"])
def test_a_load_that_hits_waits_for_the_passes_of_a_store_that_began_alone_and_of_its_lines_reads(first, probe):
    for predicted, recorded in waits(first, probe):
        assert predicted == pytest.approx(recorded, abs=1)


@pytest.mark.parametrize("first", STORES[-2:])
def test_so_does_another_warps(first):
    for predicted, recorded in waits(first, "LDG.32 of another SMSP", LATER[1:]):
        assert predicted == pytest.approx(recorded, abs=1)


@pytest.mark.parametrize("first", SEVERAL)
@pytest.mark.parametrize("probe", ["LDG.32", "LDG.128"])
def test_a_store_of_more_lines_than_find_places_waits_until_all_lines_before_it_have_left(first, probe):
    for predicted, recorded in waits(first, probe):
        assert predicted == pytest.approx(recorded, abs=1)


@pytest.mark.parametrize("first", [*STORES, *SEVERAL])
def test_a_request_leaves_behind_all_lines_which_do_when_their_stores_passes_are_made(first):
    ((alone, alone_recorded),) = waits("nothing", "LDG.32, new", (0,))
    for predicted, recorded in waits(first, "LDG.32, new", (0, 16)):
        assert predicted - alone == pytest.approx(recorded - alone_recorded, abs=4)
