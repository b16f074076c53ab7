"""What the launch before leaves in L2 does not depend on how its trace folds loops."""

from dataclasses import replace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isa.trace import Trace
from smsim.machine import load
from smsim.model import build_model, walkers
from smsim.part import Part
from smsim.rules.before import leave_launch
from smsim.testing import Launch, program
from smsim.testing.routine import strided


def unrolled(trace: Trace) -> Trace:
    """The same trace with as many steps as repetitions."""
    number = np.repeat(np.arange(len(trace.steps)), trace.steps["repeats"])
    steps = trace.steps[number].copy()
    steps["repeats"] = 1
    return replace(trace, steps=steps, stream_offsets=np.searchsorted(number, trace.stream_offsets))


def left(trace: Trace) -> dict[str, np.ndarray]:
    model = build_model(trace, load("h100"), Part(l2_sets=1), cold=False)
    leave_launch(replace(model, warps=walkers(model)))
    return {name: getattr(model, name) for name in ("l2", "stored", "servers", "chip", "sm")}


LDG, STG = "LDG.E R8, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R8"
LDS, STS = "LDS R9, [R6]", "STS [R6], R9"


@st.composite
def looping(draw: st.DrawFn) -> Launch:
    """Warps with loops with accesses to shared memory at most, as long as they like, between accesses to some lines."""
    routines = []
    for _ in range(draw(st.integers(1, 3))):
        code = program()
        for _ in range(draw(st.integers(1, 4))):
            body = program().nops(draw(st.integers(0, 4)))
            for _ in range(draw(st.integers(0, 2))):
                body = body.op(draw(st.sampled_from((LDS, STS))), addresses=strided(4))
            code = code.loop(draw(st.integers(1, 12)), body)
            for _ in range(draw(st.integers(0, 3))):
                line = draw(st.integers(0, 40)) * 128
                code = code.op(draw(st.sampled_from((LDG, STG))), addresses=strided(4, line), warp_stride=1024)
        routines.append(code.exit())
    warps, blocks = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    return Launch(tuple(routines), warps=warps, blocks=blocks, shared_bytes=1024)


@settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(looping())
def test_folded_loops_leave_what_unrolled_ones_leave(launch: Launch) -> None:
    trace = launch.trace()
    folded, flat = left(trace), left(unrolled(trace))
    assert [name for name, array in folded.items() if array.tobytes() != flat[name].tobytes()] == []


def test_long_loops_take_no_time() -> None:
    left(Launch((program().loop(10**12, program().mov(4, 1)).exit(),), warps=4).trace())
