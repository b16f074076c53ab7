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


def test_a_compiled_row_of_conversions_and_fp64_is_exact() -> None:
    """What goes to the XU behind an instruction that waits for FP64's second turn starts later by as much."""
    (prediction,) = predictions(["compiled/random_registers_000+56/steps"], ["1"])
    assert prediction.is_exact
