"""What the compiled driver skips because it repeats changes no result: compared with the run that skips nothing."""

from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.errors import KernelError
from smsim.engines import CACHES, compiled_driver, steady_state
from smsim.engines.announcer import Announcer
from smsim.machine import Machine, load
from smsim.model import Model, build_model
from smsim.policies import BY_NAME, DEFAULT
from smsim.several import several
from smsim.testing import Launch, Routine, program, strategies
from smsim.testing.routine import Loop

SOON = 10_000  # cycles ahead for which a period is looked for here: loops are shorter than where that is worth while
FEW, MANY = tuple(range(1, 10)), (*range(1, 10), 12, 16, 20, 32)  # warps of a block


@dataclass(frozen=True)
class Outcome:
    """A finished run of the compiled driver."""

    model: Model
    error: str


def outcome(launch: Launch, machine: Machine, policy: str, cache: str, *, skip_periods: bool) -> Outcome:
    trace = launch.trace()
    model = several(build_model(trace, machine, cold=cache == "cold"), 1)
    error = ""
    try:
        with patch.object(steady_state, "SHORTEST", SOON):
            compiled_driver.run(trace, model, policy, Announcer(trace, ()), skip_periods=skip_periods)
    except KernelError as raised:
        error = str(raised)
    return Outcome(model, error)


def check(launch: Launch, machine: Machine, policy: str = DEFAULT, cache: str = "warm") -> None:
    skipping, plain = (
        outcome(launch, machine, policy, cache, skip_periods=skip_periods) for skip_periods in (True, False)
    )
    assert skipping.error == plain.error
    np.testing.assert_array_equal(skipping.model.warp_cycles, plain.model.warp_cycles)
    for name in ("last_exit", "events"):
        np.testing.assert_array_equal(skipping.model.sm[name], plain.model.sm[name])
    threads = (each.model.smsps["thread_instructions"] for each in (skipping, plain))
    np.testing.assert_array_equal(*threads)


@st.composite
def long_loops(
    draw: st.DrawFn, units: tuple[str, ...] = strategies.REGISTER_ONLY, warps: tuple[int, ...] = MANY
) -> Launch:
    """Warps with a loop that runs for several slices of the driver, code before it and behind it."""
    routines = []
    for _ in range(draw(st.integers(1, 3))):
        branch = draw(strategies.control_codes(max_stall=6))
        body = draw(strategies.straight(units, max_size=6))
        loop = Loop(body, draw(st.integers(2000, 6000)), branch)
        before, behind = draw(strategies.straight(max_size=4)), draw(strategies.straight(max_size=4))
        routines.append(Routine((*before, loop, *behind)).exit())
    return Launch(tuple(routines), warps=draw(st.sampled_from(warps)), blocks=draw(st.integers(1, 2)))


@settings(deadline=None, derandomize=True, database=None, max_examples=60)
@given(long_loops(), strategies.machines(), st.sampled_from(tuple(BY_NAME)), st.sampled_from(CACHES))
def test_loops_without_memory(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    check(launch, machine, policy, cache)


@settings(deadline=None, derandomize=True, database=None, max_examples=20)
@given(long_loops(tuple(strategies.TEMPLATES), FEW), strategies.machines())
def test_loops_of_anything(launch: Launch, machine: Machine) -> None:
    check(launch, machine)


def unrolled(instructions: int, chains: int, times: int) -> Routine:
    """A loop as compilers write it: so many FFMAs in chains whose warps yield, the counter and its comparison."""
    body = program().op("IADD3 R0, R0, -0x10, RZ", stall=4).op("ISETP.GT.AND P1, PT, R0, 0xc, PT", stall=5)
    for number in range(instructions):
        chain, last = 4 + number % chains, number % chains == chains - 1
        body = body.op(f"FFMA R{chain}, R{chain}, R3, R2", stall=5 - chains if last else 1, yields=last)
    return program().loop(times, body, stall=6).exit()


# Each SMSP's warps drift apart, and by other times than those of the others.
@pytest.mark.parametrize("warps", [12, 16, 20, 32])
@pytest.mark.parametrize(("chains", "other"), [(1, 0), (1, 13), (4, 0)])
def test_smsps_with_periods_of_their_own(warps: int, chains: int, other: int) -> None:
    routines = [unrolled(64, chains, 2500)]
    if other:
        routines.append(unrolled(other, 4, 9000))
    check(Launch(tuple(routines), warps=warps, blocks=2 if warps < 20 else 1), load("h100"))


# Late, and with long periods; one warp after the other leaves its loop.
@pytest.mark.parametrize("warps", [24, 32])
def test_smsps_whose_xu_is_busy(warps: int) -> None:
    body = program()
    for _ in range(8):
        body = body.op("FMUL R6, R5, R5", stall=6, wait=(0,)).mufu(5, 6, write=0)
    check(Launch((program().loop(4000, body, stall=5).exit(),), warps=warps), load("h100"))


@pytest.mark.parametrize("warps", [12, 16])
def test_periods_of_a_hundred_thousand_cycles_are_skipped(warps: int) -> None:
    times = 10**9 // warps // 67
    launch = Launch((unrolled(64, 1, times),), warps=warps)
    trace = launch.trace()
    model = several(build_model(trace, load("h100"), cold=False), 1)
    compiled_driver.run(trace, model, DEFAULT, Announcer(trace, ()))
    assert model.warp_cycles[..., 0].sum() == warps * (67 * times + 1)


# With stall counts of 2 alone, two warps of an SMSP take turns to their end while the others stand still.
@pytest.mark.parametrize(
    ("warps", "stalls"), [(1, (4, 2, 1, 4)), (7, (4, 2, 1, 4)), (32, (4, 2, 1, 4)), (32, (2, 2, 2, 2))]
)
def test_a_loop_of_a_thousand_million_instructions(warps: int, stalls: tuple[int, int, int, int]) -> None:
    times = 10**9 // warps // 5
    first, second, third, last = stalls
    body = program().ffma(4, 4, 5, 6, stall=first).ffma(7, 7, 5, 6, stall=second).ffma(8, 8, 5, 6, stall=third)
    launch = Launch((program().loop(times, body.mov(9, 1, stall=last)).exit(),), warps=warps)
    trace = launch.trace()
    model = several(build_model(trace, load("h100"), cold=False), 1)
    compiled_driver.run(trace, model, DEFAULT, Announcer(trace, ()))
    assert model.warp_cycles[..., 0].sum() == warps * (5 * times + 1)
