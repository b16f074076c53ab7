"""Loads that L1 holds and stores of what they load, in turn: how long a row takes by one warp."""

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.families.alternating import LOADS, STORES

ONE_PASS = [f"LDG.32, hits, {store}" for store in STORES]
ALONE = [f"{load}, hits, no store" for load in LOADS]


@pytest.mark.parametrize("row", ONE_PASS + ALONE[1:])
def test_rows_of_loads_of_one_pass_or_without_stores_are_exact(row: str) -> None:
    (found,) = predictions([f"alternating/{row}"], ["1"])
    assert found.error <= 1
