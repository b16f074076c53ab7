"""Results that the interlock does not remember would have held nobody up."""

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from smsim import engines, model
from smsim.code import FIXED, Code
from smsim.interlock import Interlock
from smsim.machine import Machine
from smsim.testing import Launch, strategies


def of_all(code: Code, *_: np.ndarray) -> Interlock:
    """Every result of fixed latency is remembered, and every instruction asks."""
    asks = np.ones(len(code.instructions), np.bool_)
    return Interlock(is_awaited=code.instructions["unit"] == FIXED, awaits_results=asks, awaits_file=asks)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    st.one_of(strategies.launches(max_warps=5), strategies.launches(strategies.REGISTER_ONLY, max_warps=5)),
    st.one_of(strategies.machines(), strategies.slower()),
)
def test_remembering_every_result_changes_nothing(launch: Launch, machine: Machine) -> None:
    trace = launch.trace()
    some = engines.run(trace, machine)
    with patch.object(model, "build_interlock", of_all):
        every = engines.run(trace, machine)
    assert some.cycles == every.cycles
    np.testing.assert_array_equal(some.warp_cycles, every.warp_cycles)
