"""What an instruction with a result in the XU's bank costs the XU is as on the GPU, at every distance."""

import pytest

from smsim.machine import load
from validation.calibration import bundle
from validation.calibration.predict import predict_all
from validation.calibration.recordings import Recordings

SEVERAL = 3  # every third program
# Its second pass comes up to a cycle earlier or later beside the XU's read than here, by the banks of both.
NOT_EXACT = "IMAD.WIDE"
OTHERS = sorted({one.name.split(", ")[1] for one in bundle.family("slips")} - {NOT_EXACT})


@pytest.mark.parametrize("other", OTHERS)
def test_a_warp_reads_the_clock_as_recorded(other: str) -> None:
    experiments = [one for one in bundle.family("slips") if one.name.split(", ")[1] == other]
    predictions = list(predict_all(experiments[::SEVERAL], Recordings().recording("slips"), load("h100")))
    alone = [one for one in predictions if one.launch == "1"]
    assert alone
    for prediction in alone:
        assert prediction.is_exact, f"{prediction.name}: {prediction.predicted}, recorded {prediction.recorded}"
