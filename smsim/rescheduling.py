"""What if a fixed latency were lower: the code's stall counts are recomputed, as its compiler would have set them.

A latency that is raised needs no new code: the rules hold a warp back until its operands are there. One that is lowered
shows only when the stall counts, which were made for the H100, shrink with it.
"""

from dataclasses import replace
from functools import cache

from isa.instruction import Instruction
from isa.program import Program
from isa.reschedule import FixedLatencies, compiler_latencies, reschedule
from isa.trace import Trace
from smsim.code import FIXED, build_code
from smsim.machine import Machine, load
from smsim.params import forwarding_table


def rescheduled(trace: Trace, machine: Machine) -> Trace:
    """The trace with its program's stall counts recomputed where the machine's fixed latencies are below an H100's.

    The trace itself comes back when none is.

    Raises UnsupportedInstructionError for an instruction without timing.
    """
    if not _may_be_faster(machine):
        return trace
    program = reschedule(trace.program, _latencies(trace.program, machine))
    return trace if program == trace.program else replace(trace, program=program)


@cache
def _compiled_for() -> Machine:
    """The machine that the code of sm_90 is scheduled for."""
    return load("h100")


def _result_latencies(machine: Machine) -> dict[str, float]:
    """The latencies that a result's distance may depend on, by path."""
    return {
        path: value
        for path, value, _ in machine.values()
        if path.startswith("forwarding.") or (path.endswith(".latency") and path.startswith(("pipes.", "operations.")))
    }


def _may_be_faster(machine: Machine) -> bool:
    """Whether any of these latencies is lower than an H100's, or not known there."""
    usual = _compiled_for().derived(_result_latencies)
    return any(value < usual.get(path, value + 1) for path, value in machine.derived(_result_latencies).items())


def _latencies(program: Program, machine: Machine) -> FixedLatencies:
    """What the compiler assumed, less what the machine is faster than an H100 between any two instructions."""
    usual, now = _Distances(program, _compiled_for()), _Distances(program, machine)

    def saved(first: Instruction, second: Instruction) -> int:
        return max(usual.between(first, second) - now.between(first, second), 0)

    return FixedLatencies(compiler_latencies().raw, saved)


class _Distances:
    """Cycles from a fixed-latency instruction's issue to that of a reader, as the rules keep them on a machine."""

    def __init__(self, program: Program, machine: Machine) -> None:
        self._code = build_code(program, machine).instructions
        self._forwarding = forwarding_table(machine)

    def between(self, first: Instruction, second: Instruction) -> int:
        writer, reader = self._code[first.index], self._code[second.index]
        if writer["unit"] != FIXED or writer["writer_class"] < 0:
            return 0
        detour = self._forwarding[writer["writer_class"], reader["reader_class"]] if reader["reader_class"] >= 0 else 0
        return int(writer["latency"] + detour)
