"""Recompute stall counts for other fixed latencies than those that the compiler scheduled for.

What the compiler kept for another reason than a fixed-latency dependency stays: the spacing of instructions on a busy
pipe, branches, barriers, wait masks, yields. A stall count shrinks only where a dependency explains all of it.
"""

import csv
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files

from isa.control import NO_BARRIER
from isa.control_flow import Block, basic_blocks
from isa.dependencies import Dependency, Hazard, find_dependencies
from isa.encoding import MAX_STALL, encode_control
from isa.instruction import Instruction
from isa.operand import Register, RegisterFile
from isa.program import Program

GUARD = "guard"

# An instruction's barrier is set the cycle after its issue: one that waits on it may not issue in that cycle.
_BARRIER_DISTANCE = 2
_VARIABLE = ("decoupled", "decoupled_agu", "branch")


def _nothing(_first: Instruction, _second: Instruction) -> int:
    return 0


@dataclass(frozen=True, slots=True)
class FixedLatencies:
    """Cycles from the issue of a fixed-latency writer to that of a reader of its result.

    Attributes:
        raw: by register file, then (writer's latency class, reader's latency class); the reader of a guard predicate
            has the class "guard". A pair that is missing keeps the distance that the program has.
        saved: cycles by which the second instruction sees the first one's result earlier than ``raw`` says: for
            latencies that differ within a class.
    """

    raw: Mapping[RegisterFile, Mapping[tuple[str, str], int]]
    saved: Callable[[Instruction, Instruction], int] = _nothing

    @property
    def longest(self) -> int:
        """The largest latency of all."""
        return max(cycles for table in self.raw.values() for cycles in table.values())

    def distance(self, first: Instruction, second: Instruction, register: Register, hazard: Hazard) -> int | None:
        """The cycles that ``second`` must issue after ``first``, ``None`` when the tables do not say.

        Write after write: both results arrive after their own class's latency, and must do so in order.
        """
        if hazard is Hazard.RAW:
            cycles = self._cycles(first, second, reader_class(second, register), register)
            return None if cycles is None else max(cycles, 1)
        own = self._cycles(first, first, first.latency_class, register)
        if own is None:
            return None
        other = self._cycles(second, second, second.latency_class, register)
        return max(own - (own if other is None else other) + 1, 1)

    def _cycles(self, first: Instruction, second: Instruction, reader_class: str, register: Register) -> int | None:
        cycles = self.raw.get(register.file, {}).get((first.latency_class, reader_class))
        return None if cycles is None else cycles - self.saved(first, second)


@cache
def compiler_latencies() -> FixedLatencies:
    """What ptxas assumes on sm_90: ``compiler_latencies.csv``."""
    text = files("isa").joinpath("compiler_latencies.csv").read_text(encoding="utf-8")
    raw: dict[RegisterFile, dict[tuple[str, str], int]] = {}
    for row in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        raw.setdefault(RegisterFile(row["file"]), {})[row["writer"], row["reader"]] = int(row["cycles"])
    return FixedLatencies(raw)


def reschedule(program: Program, latencies: FixedLatencies, assumed: FixedLatencies | None = None) -> Program:
    """The program with the smallest stall counts that honour ``latencies``, everything else as it was.

    Args:
        program: scheduled for ``assumed``.
        latencies: what to schedule for. With ``assumed`` itself the program comes back unchanged.
        assumed: what the compiler scheduled for, by default ``compiler_latencies()``. A dependency that the compiler
            kept shorter (it knows more: which half of a pair is read late, that two guards exclude each other)
            changes by as much as its latency does.

    A stall count ends at 15; and across blocks no distance grows. A machine that is slower than the code allows has
    to hold the warp back by itself.
    """
    assumed = assumed or compiler_latencies()
    blocks = basic_blocks(program)
    horizon = max(latencies.longest, assumed.longest) + 1
    needs = [
        need
        for dependency in find_dependencies(program, blocks, horizon)
        if (need := _need(program, dependency, latencies, assumed)) is not None
    ]
    instructions = list(program.instructions)
    for block, constraints in zip(blocks, _constraints_by_block(program, blocks, needs), strict=True):
        for index, stall in _stalls(program, block, constraints).items():
            instruction = instructions[index]
            control = replace(instruction.control, stall=stall)
            encoding = encode_control(instruction.encoding, control)
            instructions[index] = replace(instruction, control=control, encoding=encoding)
    return replace(program, instructions=tuple(instructions))


@dataclass(frozen=True, slots=True)
class _Need:
    """The distance that a dependency needed for the compiler, and the one that it needs now."""

    dependency: Dependency
    before: int
    now: int


@dataclass(frozen=True, slots=True)
class _Constraint:
    """The issue of ``second`` stays this far from that of ``first``. Both are instructions; the index behind a
    block's last instruction stands for the first of whatever follows."""

    first: int
    second: int
    before: int
    now: int


def reader_class(instruction: Instruction, register: Register) -> str:
    """The latency class of a reader of the register: "guard" where that guards the instruction."""
    guard = instruction.guard
    is_guard = guard is not None and (guard.file, guard.index) == (register.file, register.index)
    return GUARD if is_guard else instruction.latency_class


def _need(program: Program, dependency: Dependency, latencies: FixedLatencies, assumed: FixedLatencies) -> _Need | None:
    first, second = program.instructions[dependency.first], program.instructions[dependency.second]
    if first.latency_class in _VARIABLE:
        return None  # scoreboard barriers guard it
    if dependency.hazard is Hazard.WAW and second.latency_class in _VARIABLE:
        return None  # the second result cannot overtake the first
    before = assumed.distance(first, second, dependency.register, dependency.hazard)
    now = latencies.distance(first, second, dependency.register, dependency.hazard)
    if before is None or now is None:
        return _Need(dependency, dependency.distance, dependency.distance)
    if dependency.distance < before:
        return _Need(dependency, dependency.distance, max(dependency.distance + now - before, 1))
    return _Need(dependency, before, now)


def _constraints_by_block(
    program: Program, blocks: tuple[Block, ...], needs: list[_Need]
) -> Iterator[list[_Constraint]]:
    """A dependency across blocks keeps its part in each of them, up to what it needs in all."""
    home = {index: block for block in blocks for index in range(block.start, block.stop)}
    times = _issue_times(program, blocks)
    result: dict[int, list[_Constraint]] = {block.start: [] for block in blocks}
    longest = 0

    def add(block: Block, first: int, second: int, need: _Need) -> None:
        start, stop = (_time(times, block, program, index) for index in (first, second))
        part = stop - start
        result[block.start].append(_Constraint(first, second, min(need.before, part), min(need.now, part)))

    for need in needs:
        first, second = need.dependency.first, need.dependency.second
        if need.dependency.inside:
            result[home[first].start].append(_Constraint(first, second, need.before, need.now))
            continue
        longest = max(longest, need.before, need.now)
        add(home[first], first, home[first].stop, need)
        add(home[second], home[second].start, second, need)
    for block in blocks:
        length = _time(times, block, program, block.stop)
        if length < longest:  # what passes through a short block counts on its whole length
            result[block.start].append(_Constraint(block.start, block.stop, length, length))
        for index in range(block.start, block.stop):
            control = program.instructions[index].control
            barriers = {control.write_barrier, control.read_barrier} - {NO_BARRIER}
            if index + 1 < block.stop:
                mask = program.instructions[index + 1].control.wait_mask
                waits = any(mask >> barrier & 1 for barrier in barriers)
            else:
                waits = bool(barriers)
            if waits:
                distance = min(_BARRIER_DISTANCE, control.stall)
                result[block.start].append(_Constraint(index, index + 1, distance, distance))
        yield result[block.start]


def _issue_times(program: Program, blocks: tuple[Block, ...]) -> list[int]:
    """Issue of every instruction in cycles from its block's first, by the stall counts."""
    times = []
    for block in blocks:
        time = 0
        for instruction in program.instructions[block.start : block.stop]:
            times.append(time)
            time += instruction.control.stall
    return times


def _time(times: list[int], block: Block, program: Program, index: int) -> int:
    if index < block.stop:
        return times[index]
    return times[index - 1] + program.instructions[index - 1].control.stall


def _stalls(program: Program, block: Block, constraints: list[_Constraint]) -> dict[int, int]:
    """New stall counts of a block's instructions."""
    ending_at: dict[int, list[_Constraint]] = {}
    for constraint in constraints:
        ending_at.setdefault(constraint.second, []).append(constraint)
    old, new = {block.start: 0}, {block.start: 0}
    stalls = {}
    for index in range(block.start, block.stop):
        instruction = program.instructions[index]
        stall = instruction.control.stall
        following = ending_at.get(index + 1, [])
        explained = max((old[c.first] + c.before - old[index] for c in following), default=0)
        keep = stall > explained or instruction.latency_class == "branch"
        floor = stall if keep else min(stall, 1)
        needed = max((new[c.first] + c.now - new[index] for c in following), default=0)
        stalls[index] = min(max(floor, needed), MAX_STALL)
        old[index + 1] = old[index] + stall
        new[index + 1] = new[index] + stalls[index]
    return stalls
