"""Names of policies, engines and cache modes, and what has no timing."""

import pytest

from isa.errors import LaunchError, MachineError, UnsupportedInstructionError
from isa.trace.select import select
from smsim import engines
from smsim.machine import load
from smsim.policies import BY_NAME, DEFAULT, policy_number
from smsim.testing import Launch, program

H100 = load("h100")
TRACE = Launch((program().exit(),)).trace()


def test_every_policy_has_a_number_of_its_own() -> None:
    assert DEFAULT in BY_NAME
    assert len({policy_number(name) for name in BY_NAME}) == len(BY_NAME)


def test_an_unknown_policy_is_named() -> None:
    with pytest.raises(MachineError, match=r"no scheduling policy 'oldest-frst'; did you mean 'oldest-first'\?"):
        engines.run(TRACE, H100, policy="oldest-frst")


@pytest.mark.parametrize(("option", "known"), [("cache", "warm, cold"), ("engine", "auto")])
def test_an_unknown_cache_mode_or_engine_is_named(option: str, known: str) -> None:
    with pytest.raises(MachineError, match=rf"{option} is 'hot'; it must be one of {known}"):
        engines.run(TRACE, H100, **{option: "hot"})  # type: ignore[arg-type]  # a user's mistake


def test_an_instruction_without_timing_is_named() -> None:
    trace = Launch((program().nops(2).op("CCTLT").exit(),)).trace()
    with pytest.raises(UnsupportedInstructionError, match=r"probe, SASS address 0x20: CCTLT: machine 'h100' has no"):
        engines.run(trace, H100)


def test_a_trace_without_blocks_is_refused() -> None:
    with pytest.raises(LaunchError, match="probe: the trace holds no warp"):
        engines.run(select(TRACE, []), H100)
