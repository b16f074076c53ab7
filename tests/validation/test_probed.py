"""How long LDCs and S2URs of one SMSP wait for those of others, beside an H200, which has this SM."""

import numpy as np
import pytest

from tests.validation.microbenchmarks import predictions
from validation.calibration import bundle
from validation.calibration.families.probed import MOST
from validation.calibration.recordings import H200

NAMES = [one.name for one in bundle.family("probed")]
PROBE = 1  # its warp's number among those that take part


def wait(clocks: list[list[int]]) -> int:
    """From the probe's first clock to its last one that may wait for what the probe reads."""
    return clocks[PROBE][MOST] - clocks[PROBE][0]


def off(launch: str) -> list[int]:
    """For each program how far the probe's wait is from that of the nearest repeat."""
    (*rows,) = predictions(NAMES, [launch], folder=H200)
    assert len(rows) == len(NAMES)
    return [min(abs(wait(row.predicted) - wait(one)) for one in row.recorded) for row in rows]


@pytest.mark.parametrize(
    ("launch", "mean"), [("S0", 1.1), ("S0 twice", 1.1), ("S0 S2", 1.1), ("S0 S2 S3", 1.6), ("all twice", 1.6)]
)
def test_one_beside_others_waits_as_long(launch: str, mean: float) -> None:
    cycles = off(launch)
    assert max(cycles) <= 5
    assert np.mean(cycles) <= mean
