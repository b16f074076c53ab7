"""The ADU's queues: when LDCs and S2URs of one and of four SMSPs go in, and who goes on first."""

import numpy as np
import pytest

from smsim.machine import load
from validation.calibration import bundle
from validation.calibration.predict import predict_all, predicted_clocks, program_of
from validation.calibration.record import relative
from validation.calibration.recordings import Recordings

OFF_BY_ONE = 3  # rows by several warps


def test_rows_of_ldc_take_as_long_as_on_the_h100() -> None:
    recording = Recordings().recording("throughput")
    rows = [experiment for experiment in bundle.family("throughput") if experiment.name.startswith("queue/LDC/")]
    predictions = list(predict_all(rows, recording, load("h100")))
    off = [min(abs(np.array(one.recorded) - one.predicted)) for one in predictions]
    assert max(off) <= 1
    assert off.count(0) >= len(off) - OFF_BY_ONE


@pytest.mark.parametrize("warps", ["4", "5", "8"])
def test_of_several_warps_of_an_smsp_each_is_served_before_the_next_smsps(warps: str) -> None:
    recorded = Recordings().launches("prologues", "prologues/S2UR", warps)
    experiment = next(one for one in bundle.family("prologues") if one.name == "prologues/S2UR")
    launch = next(one for one in experiment.launches if one.label == warps)
    clocks = relative(predicted_clocks(program_of(experiment), experiment, launch, load("h100")))
    assert any(sorted(clocks.tolist()) == sorted(repeat) for repeat in recorded), clocks.tolist()


@pytest.mark.parametrize("warps", ["24", "32"])
def test_ldcs_that_come_again_keep_the_adu_from_what_is_new(warps: str) -> None:
    """The first 90 cycles of two lines that miss: the last of many warps has its constants as late as on the H100."""
    name = "prologues/kernel"
    recorded = Recordings().launches("prologues", name, warps)
    experiment = next(one for one in bundle.family("prologues") if one.name == name)
    launch = next(one for one in experiment.launches if one.label == warps)
    clocks = relative(predicted_clocks(program_of(experiment), experiment, launch, load("h100")))
    last = [max(warp[-1] for warp in repeat) for repeat in recorded]
    assert max(clocks[:, -1]) == pytest.approx(sum(last) / len(last), abs=5)
