"""Both drivers give the same cycles, counters, warp-cycles and events, on random programs, machines and policies.

``SMSIM_EXAMPLES=100000 pytest tests/properties/test_driver_identity.py`` tries as many in each test, others every time.
"""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.errors import KernelError
from smsim.engines import CACHES
from smsim.machine import Machine
from smsim.policies import BY_NAME
from smsim.testing import Launch, program, run, strategies

ASKED = os.environ.get("SMSIM_EXAMPLES")


def examples(number: int) -> settings:
    return settings(deadline=None, derandomize=ASKED is None, database=None, max_examples=int(ASKED or number))


policies = st.sampled_from(tuple(BY_NAME))
caches = st.sampled_from(CACHES)
machines = strategies.machines()


def check(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    """One launch on both drivers."""
    simpy, compiled = (run(launch, machine, engine, policy=policy, cache=cache) for engine in ("simpy", "compiled"))
    assert simpy.counts.cycles == compiled.counts.cycles
    assert simpy.events == compiled.events
    np.testing.assert_array_equal(simpy.counts.warp_cycles, compiled.counts.warp_cycles)
    assert simpy.counts.thread_instructions == compiled.counts.thread_instructions
    assert simpy.counts.memory == compiled.counts.memory


@examples(300)
@given(strategies.launches(max_warps=6, max_blocks=3), machines, policies, caches)
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


@examples(20)
@given(strategies.launches(), machines, policies, caches)
def test_full_sms(launch: Launch, machine: Machine, policy: str, cache: str) -> None:
    check(launch, machine, policy, cache)


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
def test_warps_that_wait_for_ever(engine: str) -> None:
    other = program().op("BAR.SYNC 0x1").exit()
    with pytest.raises(KernelError, match="probe: 2 warps wait for ever, the first at SASS address 0x0"):
        run(Launch((program().barrier().exit(), other), warps=2), engine=engine)
