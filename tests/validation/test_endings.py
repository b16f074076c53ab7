"""Loops near the end of a kernel take as long as on an H200: the way of code that comes ahead is over with an EXIT."""

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration.bundle import family
from validation.calibration.families.endings import LENGTHS
from validation.calibration.recordings import H200


@pytest.mark.parametrize("length", LENGTHS)
def test_the_branch_behind_exit_is_not_met(length: int) -> None:
    names = [one.name for one in family("endings") if one.name.startswith(f"endings/{length} ")]
    found = list(predictions(names, folder=H200))
    assert len(found) == len(names)
    assert all(one.is_exact for one in found)
