"""Results that the interlock does not remember would have held nobody up."""

from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from smsim import engines, model
from smsim.code import FIXED, Code
from smsim.machine import Machine
from smsim.testing import Launch, strategies


def every_fixed_latency(code: Code, *_: np.ndarray) -> np.ndarray:
    return code.instructions["unit"] == FIXED


@settings(deadline=None, derandomize=True, max_examples=300)
@given(
    st.one_of(strategies.launches(max_warps=5), strategies.launches(strategies.REGISTER_ONLY, max_warps=5)),
    st.one_of(strategies.machines(), strategies.slower()),
)
def test_remembering_every_result_changes_nothing(launch: Launch, machine: Machine) -> None:
    trace = launch.trace()
    some = engines.run(trace, machine)
    with patch.object(model, "awaited", every_fixed_latency):
        every = engines.run(trace, machine)
    assert some.cycles == every.cycles
    np.testing.assert_array_equal(some.warp_cycles, every.warp_cycles)
