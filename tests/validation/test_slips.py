"""What an instruction with a result in the XU's bank costs the XU is as on the GPU, at every distance."""

import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle

SEVERAL = 3  # every third program
# Its second pass comes up to a cycle earlier or later beside the XU's read than here, by the banks of both.
NOT_EXACT = "IMAD.WIDE"
OTHERS = sorted({one.name.split(", ")[1] for one in bundle.family("slips")} - {NOT_EXACT})


@pytest.mark.parametrize("other", OTHERS)
def test_a_warp_reads_the_clock_as_recorded(other: str) -> None:
    names = [one.name for one in bundle.family("slips") if one.name.split(", ")[1] == other]
    alone = list(predictions(names[::SEVERAL], ["1"]))
    assert alone
    for prediction in alone:
        assert prediction.is_exact, f"{prediction.name}: {prediction.predicted}, recorded {prediction.recorded}"
