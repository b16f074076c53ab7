"""Both drivers give the same cycles, counters, warp-cycles and events, on random programs, machines and policies.

``SMSIM_EXAMPLES=12500 pytest tests/properties/test_driver_identity.py --hypothesis-seed=1`` tries as many programs in
all, others for every seed: processes with different seeds share the work.
"""

import os
import re
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.errors import KernelError
from smsim import engines
from smsim.counts import Counts
from smsim.engines import CACHES
from smsim.machine import Machine
from smsim.policies import BY_NAME
from smsim.testing import Launch, program, run, strategies

USUAL = 1000  # programs in all
ASKED = os.environ.get("SMSIM_EXAMPLES")
Outcome = TypeVar("Outcome")


def examples(number: int) -> settings:
    """So many of the usual number of programs, or as large a part of those asked for."""
    number = number if ASKED is None else max(1, int(ASKED) * number // USUAL)
    return settings(deadline=None, derandomize=ASKED is None, database=None, max_examples=number)


policies = st.sampled_from(tuple(BY_NAME))
caches = st.sampled_from(CACHES)
machines = strategies.machines()
BARRIERS = (strategies.SYNC, strategies.SYNC, strategies.ARRIVE)


def check(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    """One launch on both drivers."""
    if runs := both(lambda engine: run(launch, machine, engine, policy=policy, cache=cache)):
        simpy, compiled = runs
        assert simpy.events == compiled.events
        assert_same_counts(simpy.counts, compiled.counts)


def both(simulate: Callable[[str], Outcome]) -> tuple[Outcome, Outcome] | None:
    """What the drivers give; None where they find the same warps waiting for ever."""
    try:
        simpy = simulate("simpy")
    except KernelError as raised:
        with pytest.raises(KernelError, match=re.escape(str(raised))):
            simulate("compiled")
        return None
    return simpy, simulate("compiled")


def assert_same_counts(simpy: Counts, compiled: Counts) -> None:
    assert simpy.cycles == compiled.cycles
    np.testing.assert_array_equal(simpy.warp_cycles, compiled.warp_cycles)
    assert simpy.thread_instructions == compiled.thread_instructions
    assert simpy.memory == compiled.memory


@examples(300)
@given(strategies.launches(max_warps=6, max_blocks=3, barriers=BARRIERS), machines, policies, caches)
def test_any_code(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    check(launch, machine, policy, cache)


@examples(300)
@given(strategies.launches(strategies.REGISTER_ONLY, max_warps=8, max_blocks=2), machines, policies, caches)
def test_code_without_memory(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    check(launch, machine, policy, cache)


@examples(300)
@given(strategies.launches(strategies.QUEUED, max_warps=4, max_blocks=2), machines, policies, caches)
def test_queued_units(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    check(launch, machine, policy, cache)


@examples(80)
@given(strategies.launches(max_warps=4, max_blocks=6, barriers=BARRIERS), machines, policies, caches, st.integers(2, 3))
def test_several_sms(launch: Launch, machine: Machine, policy: str, cache: str, sms: int) -> None:
    trace = launch.trace()
    if runs := both(lambda engine: engines.run(trace, machine, cache, engine, policy, sms=sms)):
        assert_same_counts(*runs)


@examples(20)
@given(strategies.launches(), machines, policies, caches)
def test_full_sms(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    check(launch, machine, policy, cache)


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_warps_that_wait_for_ever(engine: str) -> None:
    other = program().op("BAR.SYNC 0x1").exit()
    with pytest.raises(KernelError, match="probe: 2 warps wait for ever, the first at SASS address 0x0"):
        run(Launch((program().barrier().exit(), other), warps=2), engine=engine)
