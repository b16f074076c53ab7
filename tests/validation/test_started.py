"""Warps that have just come get LDCs and S2URs into the ADU's queue when they do on an H200, which has this SM."""

import pytest

from tests.validation.microbenchmarks import cycles_off, predictions
from validation.calibration.families.started import PACES, ROWS, WARPS
from validation.calibration.recordings import H200

LAUNCHES = [str(warps) for warps in WARPS]
# Rows of LDCs that miss their lines: these come on that card sometimes 2 to 5 cycles sooner or later than on the H100.
APART = 3.8


@pytest.mark.parametrize("pace", PACES)
@pytest.mark.parametrize("row", ROWS)
def test_each_comes_in_when_it_does_on_the_gpu(row: str, pace: int) -> None:
    (*found,) = predictions([f"started/{row} {pace}"], LAUNCHES, folder=H200)
    assert len(found) == len(LAUNCHES)
    if "A" not in row:
        assert max(map(cycles_off, found)) <= 0.25
        assert sum(one.is_exact for one in found) >= len(LAUNCHES) - 2
    assert max(map(cycles_off, found)) <= APART


@pytest.mark.parametrize(("warps", "apart"), [("8", 0), ("12", 0), ("16", 0), ("20", 0), ("24", 8), ("32", 12)])
def test_later_on_the_counters_decide(warps: str, apart: float) -> None:
    (found,) = predictions(["started/UUUUU 8 later"], [warps], folder=H200)
    assert cycles_off(found) <= apart
