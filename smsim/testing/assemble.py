"""From routines to a Program and a Trace."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from isa.control import ControlCode
from isa.decode import decode
from isa.encoding import encode_control
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.launch import LaunchShape
from isa.program import Program
from isa.trace import Trace
from isa.trace.model import ACCESS, PLACE_BITS, RUN, SHAPE, STEP, WARP, Space
from isa.trace.recorded import records_access
from smsim.testing.routine import LANES, Loop, Op, Routine

NAME = "probe"
PARAMETER_BASE = 0x210
_SPACES = {"LDS": Space.SHARED, "STS": Space.SHARED, "ATOMS": Space.SHARED, "LDL": Space.LOCAL, "STL": Space.LOCAL}
_SPACES |= {"LDC": Space.CONSTANT, "ULDC": Space.CONSTANT, "BAR": Space.BARRIER, "MATCH": Space.VALUES}

Run = tuple[int, int, int]  # start, length, mask
Step = tuple[tuple[Run, ...], int]  # runs, repeats


@dataclass
class _Code:
    """Instructions of all routines, and what each routine executes of them."""

    instructions: list[Instruction] = field(default_factory=list)
    paths: list[list[Step]] = field(default_factory=list)
    accesses: list[list[tuple[Op, Space]]] = field(default_factory=list)

    def add(self, routine: Routine) -> None:
        self.paths.append([])
        self.accesses.append([])
        for part in routine.parts:
            start = len(self.instructions)
            if isinstance(part, Op):
                self._execute((part,), 1)
            elif isinstance(part, Loop):
                self._execute((*part.body, _branch(start, part.branch)), part.times)
            else:
                over = part.over + 1
                self._execute((_branch(start + over, part.branch),), 1)
                self.instructions += [_instruction(start + 1 + i, Op("NOP")) for i in range(part.over)]

    def _execute(self, ops: tuple[Op, ...], times: int) -> None:
        start = len(self.instructions)
        self.instructions += [_instruction(start + i, op) for i, op in enumerate(ops)]
        self.paths[-1].append((tuple(_runs(start, ops)), times))
        recorded = [
            (op, _space(instruction))
            for op, instruction in zip(ops, self.instructions[start:], strict=True)
            if op.lanes and records_access(instruction)
        ]
        self.accesses[-1].extend(recorded * times)


@dataclass(frozen=True)
class Launch:
    """A grid of ``blocks`` blocks of ``warps`` warps; warp w of a block runs routine w modulo their number.

    Every routine must end with EXIT. The routines stand one behind the other in the code.

    Attributes:
        routines: what the warps do.
        warps: per block.
        blocks: in the grid.
        registers: per thread.
        shared_bytes: dynamic shared memory per block.
    """

    routines: tuple[Routine, ...]
    warps: int = 1
    blocks: int = 1
    registers: int = 32
    shared_bytes: int = 0

    def trace(self) -> Trace:
        """The trace of all blocks.

        Raises:
            ValueError: a routine does not end with EXIT, or a memory access of active lanes has no address.
            UnsupportedInstructionError: an opcode that the opcode table does not know.
        """
        code = _Code()
        for routine in self.routines:
            last = routine.parts[-1] if routine.parts else None
            if not isinstance(last, Op) or last.line.opcode != "EXIT":
                raise ValueError("a routine ends with EXIT")
            code.add(routine)
        patterns: dict[tuple[Run, ...], int] = {}
        steps = [[(patterns.setdefault(runs, len(patterns)), times) for runs, times in path] for path in code.paths]
        shapes: dict[bytes, int] = {}
        warps = np.zeros(self.blocks * self.warps, WARP)
        accesses: list[tuple[int, int]] = []
        for number in range(len(warps)):
            block, warp = divmod(number, self.warps)
            routine_number = warp % len(self.routines)
            mine = code.accesses[routine_number]
            warps[number] = (block, warp, routine_number, len(accesses), len(mine))
            accesses += [_access(op, space, number, self.warps, shapes) for op, space in mine]
        return Trace(
            program=_program(code.instructions, self.registers),
            launch=LaunchShape((self.blocks, 1, 1), (self.warps * LANES, 1, 1), self.shared_bytes),
            blocks=np.arange(self.blocks, dtype=np.int64),
            warps=warps,
            runs=np.array([run for pattern in patterns for run in pattern], RUN),
            pattern_offsets=_offsets(len(pattern) for pattern in patterns),
            steps=np.array([step for path in steps for step in path], STEP),
            stream_offsets=_offsets(len(path) for path in steps),
            shapes=np.frombuffer(b"".join(shapes), SHAPE),
            accesses=np.array(accesses, ACCESS),
            allocations=np.array([[0, 1 << PLACE_BITS - 1]], np.int64),
        )


def _access(op: Op, space: Space, number: int, warps: int, shapes: dict[bytes, int]) -> tuple[int, int]:
    """Shape and base of an access of warp ``number`` of a grid whose blocks have ``warps``."""
    shape = np.zeros(1, SHAPE)
    shape["space"] = space
    if space == Space.BARRIER:
        barrier = int(op.line.operands.split(",")[0], 16)
        shape["mask"] = 1
        return shapes.setdefault(shape.tobytes(), len(shapes)), barrier | warps << 16
    if space == Space.VALUES:
        shape["mask"] = op.lanes
        return shapes.setdefault(shape.tobytes(), len(shapes)), 1
    active = [lane for lane in range(LANES) if op.lanes >> lane & 1 and op.addresses[lane] is not None]
    if not active:
        raise ValueError(f"{op.text}: an access needs the address of at least one active lane")
    addresses = [(op.addresses[lane] or 0) + op.warp_stride * number for lane in active]
    shape["width"] = op.width
    shape["mask"] = sum(1 << lane for lane in active)
    shape["offsets"][0, active] = np.array(addresses) - addresses[0]
    return shapes.setdefault(shape.tobytes(), len(shapes)), addresses[0]


def _runs(start: int, ops: Sequence[Op]) -> Iterator[Run]:
    """Stretches of one mask."""
    first = 0
    for i in range(1, len(ops) + 1):
        if i == len(ops) or ops[i].lanes != ops[first].lanes:
            yield start + first, i - first, ops[first].lanes
            first = i


def _branch(target: int, control: ControlCode) -> Op:
    return Op(f"BRA {target * INSTRUCTION_BYTES:#x}", control)


def _space(instruction: Instruction) -> Space:
    return _SPACES.get(instruction.opcode, Space.GLOBAL)


def _instruction(index: int, op: Op) -> Instruction:
    return replace(_decoded(op.text, op.control), index=index)


@lru_cache(maxsize=4096)
def _decoded(text: str, control: ControlCode) -> Instruction:
    return decode(NAME, 0, Op(text).line, encode_control(0, control), symbols={}, source=None)


def _offsets(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.cumsum([0, *lengths], dtype=np.int64)


def _program(instructions: Sequence[Instruction], registers: int) -> Program:
    return Program(
        name=NAME,
        instructions=tuple(instructions),
        num_regs=registers,
        static_shared_bytes=0,
        local_bytes=0,
        num_barriers=1,
        max_threads=1024,
        parameters=(),
        parameter_base=PARAMETER_BASE,
        constant_banks={},
        symbols=(),
        relocations=(),
        arch="sm_90",
        cubin_hash="",
    )
