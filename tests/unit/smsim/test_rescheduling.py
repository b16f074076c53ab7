"""What-if latencies: raised, they hold warps back; lowered, the stall counts shrink with them."""

from functools import cache

import pytest

import kernels
from isa.emulator import emulate
from isa.launch import LaunchShape
from isa.trace import Trace
from smsim.machine import load
from smsim.rescheduling import rescheduled
from smsim.simulation import simulate
from tests.catalogue_programs import program_of

H100 = load("h100")


@cache
def trace_of(name: str) -> Trace:
    """One warp of a chain."""
    launch = kernels.get(name).launch("1x32")
    return emulate(program_of(name), LaunchShape(launch.grid, launch.block), launch.arguments())


@cache
def cycles(name: str, path: str = "", value: int = 0) -> int:
    return simulate(trace_of(name), H100.replace({path: value} if path else {})).cycles


def test_an_h100_keeps_the_code_as_it_was_compiled() -> None:
    trace = trace_of("chain_ffma_ilp1")
    assert rescheduled(trace, H100) is trace


def test_a_raised_latency_keeps_the_code() -> None:
    trace = trace_of("chain_ffma_ilp1")
    assert rescheduled(trace, H100.replace({"pipes.fma.latency": 9, "forwarding.fma.alu": 3})) is trace


@pytest.mark.parametrize(
    ("name", "pipe", "usual"),
    [
        ("chain_fadd_ilp1", "fma", 4),
        ("chain_imad_ilp1", "fmaheavy", 4),
        ("chain_hfma2_ilp1", "fma_both", 4),
        ("chain_dfma_ilp1", "fp64", 8),
    ],
)
class TestAChain:
    def test_takes_half_the_time_at_half_the_latency(self, name: str, pipe: str, usual: int) -> None:
        assert cycles(name, f"pipes.{pipe}.latency", usual // 2) == pytest.approx(cycles(name) / 2, rel=0.08)

    def test_takes_half_as_long_again_at_one_and_a_half_times_the_latency(
        self, name: str, pipe: str, usual: int
    ) -> None:
        assert cycles(name, f"pipes.{pipe}.latency", usual * 3 // 2) == pytest.approx(1.5 * cycles(name), rel=0.08)


def test_an_ffma_chain_gains_less() -> None:
    """Register ports come next: operands A and B lie in one bank, and FFMAs two cycles apart meet there."""
    usual, half = cycles("chain_ffma_ilp1"), cycles("chain_ffma_ilp1", "pipes.fma.latency", 2)
    assert 0.45 * usual < half < 0.8 * usual
    assert cycles("chain_ffma_ilp1", "pipes.fma.latency", 6) == pytest.approx(1.5 * usual, rel=0.08)


def test_a_chain_that_fills_the_issue_slots_gains_nothing() -> None:
    assert cycles("chain_ffma_ilp4", "pipes.fma.latency", 2) == cycles("chain_ffma_ilp4")


def test_another_pipe_of_the_same_latency_class_keeps_its_distance() -> None:
    """FFMA and IMAD are of one class for the compiler, and of two pipes for the machine."""
    faster = H100.replace({"pipes.fma.latency": 2})
    trace = trace_of("chain_imad_ilp1")
    stalls = [
        [i.control.stall for i in each.program.instructions if i.opcode == "IMAD"]
        for each in (trace, rescheduled(trace, faster))
    ]
    assert stalls[0] == stalls[1]


def test_only_the_program_is_replaced() -> None:
    trace = trace_of("chain_fadd_ilp1")
    after = rescheduled(trace, H100.replace({"pipes.fma.latency": 2}))
    assert after.program != trace.program
    assert after.warps is trace.warps
    assert [i.text for i in after.program.instructions] == [i.text for i in trace.program.instructions]
