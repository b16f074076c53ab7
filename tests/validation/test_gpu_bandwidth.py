"""Streams over L2 and DRAM, and walks past L1, take what was recorded on the H100."""

from statistics import median

import numpy as np
import pytest

from isa.module import load_cubin
from smsim.listeners import Event, Issue
from smsim.machine import load
from smsim.module import Function
from smsim.simulation import simulate
from validation.calibration.bundle import family
from validation.calibration.program import RECORDS, Experiment, Launch
from validation.calibration.recordings import Recordings

FAMILY = "gpu_bandwidth"
EXPERIMENTS = {experiment.name: experiment for experiment in family(FAMILY)}
LOADS, STORES = "stream/LDG.128.GPU, 16 bytes a lane", "stream/STG.128, 16 bytes a lane"
FEW = [f"132 blocks of {threads}" for threads in (32, 128, 512)]
MOST_OFF = 0.15
BURST_OFF = 0.06
WALKS, WALKED_BYTES, WALK_OFF, LOST_OFF = "walks", 1 << 27, 0.05, 0.09
LOST_OF_FEW_TURNS = 0.15  # deviation 9: which lines are lost hangs on when each is back


def predicted(experiment: Experiment, launch: Launch, data_bytes: int) -> int:
    """Cycles from the first clock read to the last on SM 0."""
    program = load_cubin(experiment.cubin()).program("shell")
    clocks = {instruction.address for instruction in program.instructions if "SR_CLOCKLO" in instruction.text}
    read: list[int] = []

    def listen(event: Event) -> None:
        if isinstance(event, Issue) and event.address in clocks:
            read.append(event.reached)

    warps = launch.blocks * launch.threads // 32
    table, data = np.zeros(RECORDS * warps, np.uint32), np.zeros(data_bytes, np.uint8)
    arguments = [table, np.uint32(launch.warps), np.uint32(0), data]
    machine = load("h100")
    trace = Function(program).trace((launch.blocks,), (launch.threads,), arguments, machine=machine)
    simulate(trace, machine, "cold" if launch.flush else "warm", listeners=[listen])
    return max(read) - min(read)


@pytest.mark.parametrize(
    ("name", "label"),
    [
        *((f"{LOADS}/4", label) for label in ("132 blocks", *FEW)),
        *((f"{name}/12", label) for name in (LOADS, STORES) for label in ("132 blocks", "132 blocks, flushed")),
    ],
)
def test_streams_take_what_was_recorded(name: str, label: str) -> None:
    experiment = EXPERIMENTS[name]
    (launch,) = (launch for launch in experiment.launches if launch.label == label)
    recorded = median(Recordings().launches(FAMILY, name, label))
    data_bytes = int(str(experiment.meta["bytes"])) * launch.blocks * launch.threads // 32
    assert predicted(experiment, launch, data_bytes) == pytest.approx(recorded, rel=MOST_OFF)


@pytest.mark.parametrize(
    ("chosen", "name", "label"),
    [
        *((FAMILY, f"{LOADS}/{turns}", "132 blocks") for turns in (1, 2, 4)),
        (FAMILY, f"{STORES}/4", "132 blocks of 256"),
        ("gpu_stores", "gpu_stores/STG.32, 4 bytes a lane/4", "132 blocks"),
        ("gpu_stores", "gpu_stores/STG.32, 4 bytes a lane/32", "132 blocks of 256"),
    ],
)
def test_bursts_of_all_sms_take_what_was_recorded(chosen: str, name: str, label: str) -> None:
    """Loads wait for what is before them, not for slices as well; of stores so many packets wait in front of L2."""
    (experiment,) = (one for one in family(chosen) if one.name == name)
    (launch,) = (launch for launch in experiment.launches if launch.label == label)
    recorded = median(Recordings().launches(chosen, name, label))
    data_bytes = int(str(experiment.meta["bytes"])) * launch.blocks * launch.threads // 32
    assert predicted(experiment, launch, data_bytes) == pytest.approx(recorded, rel=BURST_OFF)


@pytest.mark.parametrize("apart", [256, 512])
@pytest.mark.parametrize("turns", [8, 24])
def test_walks_of_more_lines_than_l1_has_lose_them(apart: int, turns: int) -> None:
    name, label = f"walks/LDG.32, slices of {apart} bytes, 4 bytes a turn/{turns}", "132 blocks of 1024"
    (experiment,) = (one for one in family(WALKS) if one.name == name)
    (launch,) = (launch for launch in experiment.launches if launch.label == label)
    recorded = median(Recordings().launches(WALKS, name, label))
    most_off = LOST_OF_FEW_TURNS if turns == 8 else LOST_OFF
    assert predicted(experiment, launch, apart * 2 * 132 * 1024) == pytest.approx(recorded, rel=most_off)


@pytest.mark.parametrize("step", [0, 4])
def test_loads_of_gpu_scope_ask_l2_for_what_l1_has(step: int) -> None:
    name, label = f"walks/LDG.32.GPU, slices of 256 bytes, {step} bytes a turn/8", "132 blocks of 256"
    (experiment,) = (one for one in family(WALKS) if one.name == name)
    (launch,) = (launch for launch in experiment.launches if launch.label == label)
    recorded = median(Recordings().launches(WALKS, name, label))
    assert predicted(experiment, launch, WALKED_BYTES) == pytest.approx(recorded, rel=WALK_OFF)


@pytest.mark.parametrize(
    "name", ["STG.32, 4 bytes a lane/32", "STG.32, 32 bytes a lane/16", "STG.32, 128 bytes a lane/8"]
)
def test_what_is_stored_in_part_is_read_from_dram_first(name: str) -> None:
    name, label = f"gpu_stores/{name}", "132 blocks"
    (experiment,) = (one for one in family("gpu_stores") if one.name == name)
    (launch,) = (launch for launch in experiment.launches if launch.label == label)
    recorded = median(Recordings().launches("gpu_stores", name, label))
    data_bytes = int(str(experiment.meta["bytes"])) * launch.blocks * launch.threads // 32
    assert predicted(experiment, launch, data_bytes) == pytest.approx(recorded, rel=MOST_OFF)
