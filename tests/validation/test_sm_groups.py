"""Stores and copies by all SMs: the SMs of a CPC share its way to L2, so that those of smaller ones are done sooner."""

import numpy as np
import pytest

from isa.module import load_cubin
from smsim.machine import load
from smsim.module import Function
from smsim.result import Result
from smsim.simulation import simulate
from validation.calibration.bundle import family
from validation.calibration.program import RECORDS
from validation.calibration.recordings import Recordings

FAMILY, LABEL = "sm_groups", "132 blocks"
DATA_BYTES = 320 << 20
SHORT, LONG = 4, 16  # turns
MEAN_OFF, LAST_OFF = 0.08, 0.06


def predicted(name: str) -> Result:
    """A program by all SMs, all of them simulated."""
    (experiment,) = (one for one in family(FAMILY) if one.name == name)
    (launch,) = (launch for launch in experiment.launches if launch.label == LABEL)
    warps = launch.blocks * launch.threads // 32
    arguments = [
        np.zeros(RECORDS * warps, np.uint32),
        np.uint32(launch.warps),
        np.uint32(0),
        np.zeros(DATA_BYTES, np.uint8),
    ]
    program = load_cubin(experiment.cubin()).program("shell")
    shape = (launch.blocks,), (launch.threads,)
    trace = Function(program).trace(*shape, arguments, machine="h100", emulate="all", outputs=False)
    return simulate(trace, load("h100"), sms=launch.blocks)


@pytest.mark.parametrize("name", ["STG.128, 16 bytes a lane", "COPY.128, 16 bytes a lane"])
def test_sms_of_a_cpc_share_its_way_to_l2(name: str) -> None:
    """What further turns take the mean SM and the last one."""
    short, long = (
        np.array(Recordings().launches(FAMILY, f"{FAMILY}/{name}/{turns}", LABEL)) for turns in (SHORT, LONG)
    )
    results = [predicted(f"{FAMILY}/{name}/{turns}") for turns in (SHORT, LONG)]
    warps = results[0].launch.num_blocks * results[0].launch.warps_per_block
    means = [sum(result.stalls.values()) / warps for result in results]
    assert means[1] - means[0] == pytest.approx(long.mean() - short.mean(), rel=MEAN_OFF)
    last = long.max(axis=1).mean() - short.max(axis=1).mean()
    assert results[1].cycles - results[0].cycles == pytest.approx(last, rel=LAST_OFF)
