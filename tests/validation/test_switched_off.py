"""Rows of instructions without lanes, and as they are: `switched_off`."""

import pytest

from tests.validation.microbenchmarks import stopwatch_errors
from validation.calibration.bundle import family
from validation.calibration.families.switched_off import BETWEEN, GUARDS, NAMES, SAME_BANK
from validation.calibration.recordings import H200

WIDE = ("IMAD.HI", "IMAD.WIDE")
# Those of the FP64 unit beside one that takes two passes lose two cycles a pair on the GPU, a DSETP one.
NOT_MODELLED = {(name, other) for name in ("DADD", "DFMA", "DSETP") for other in WIDE} | {
    (name, "DADD") for name in WIDE
}


@pytest.mark.parametrize("name", [*NAMES, SAME_BANK])
def test_rows_take_as_long(name: str) -> None:
    (experiment,) = [one for one in family("switched_off") if one.name == f"switched_off/{name}"]
    pieces = [(other, guard) for other in BETWEEN for guard in GUARDS]
    for (other, guard), off in zip(pieces, stopwatch_errors(experiment, H200), strict=True):
        if guard is None and (name, other) in NOT_MODELLED:
            continue
        assert off == 0, f"beside {other}, guard {guard}"
