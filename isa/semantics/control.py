"""Control flow: branches, calls, exit, traps, yielding.

What each instruction does to a warp's splits is in ``isa.emulator.batch``; here its operands are read.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from isa.emulator import faults
from isa.emulator.controls import Branch, Go, guard_reader
from isa.emulator.group import pack
from isa.emulator.lanes import Bools, Lanes
from isa.errors import KernelError, UnsupportedInstructionError
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import Immediate, Label, Register
from isa.semantics.guards import guarded, guarded_as_one
from isa.semantics.operands import Modifiers, is_predicate, read_integer, read_integer64, read_predicate
from isa.semantics.registry import Constants, Control, Execute, control, semantics, unsupported


@control("BRA")
def _bra(ins: Instruction, constants: Constants) -> Control:
    modifiers = Modifiers(ins)
    modifiers.take("U")
    divergent, convergent = modifiers.take("DIV"), modifiers.take("CONV")
    modifiers.end()
    *conditions, label = ins.operands
    if not isinstance(label, Label):
        raise unsupported(ins, "a branch without a label")
    target = label.address // INSTRUCTION_BYTES
    if ins.guard is None and not conditions:
        return Go(target)

    readers: list[Callable[[Lanes], Bools]] = []
    for condition in conditions:
        if is_predicate(condition):
            readers.append(read_predicate(ins, condition))
        elif divergent or convergent:
            readers.append(_divergence(read_integer(ins, condition, constants), divergent))
        else:
            raise unsupported(ins, f"no semantics for condition {condition}")
    return Branch(ins.index, target, None if ins.guard is None else guard_reader(ins.guard), readers)


def _divergence(members: Callable[[Lanes], NDArray[np.uint32]], divergent: bool) -> Callable[[Lanes], Bools]:
    """Whether the warp's active lanes are (or, with ``divergent``, are not) the ``members`` that have not exited."""

    def read(lanes: Lanes) -> Bools:
        alive = lanes.batch.alive[lanes.first : lanes.last, None]
        same: Bools = pack(lanes.active())[:, None] == (members(lanes) & alive)
        return ~same if divergent else same

    return read


@control("CALL", "RET", "JMP", "JMX", "BRX", "JMXU", "BRXU")
def _jump(ins: Instruction, constants: Constants) -> Control:
    modifiers = Modifiers(ins)
    for name in ("REL", "ABS", "NOINC", "INC", "NODEC", "DEC", "U"):
        modifiers.take(name)
    modifiers.end()
    base = 0
    readers = []
    for operand in ins.operands:
        if isinstance(operand, Label):
            base += operand.address
        elif isinstance(operand, Immediate):
            base += int(operand.value)
        elif is_predicate(operand):
            raise unsupported(ins, "no semantics for a predicate operand of a jump")
        else:
            readers.append(read_integer64(ins, operand, constants))
    if not readers:
        return guarded(ins, Go(base // INSTRUCTION_BYTES))

    def run(lanes: Lanes) -> int | None:
        addresses = np.full((lanes.count, 32), base & (1 << 64) - 1, np.uint64)
        for read in readers:
            addresses = addresses + read(lanes)
        active = addresses[lanes.active()]
        first = int(active[0])
        if (active == first).all():
            return _instruction_at(ins, lanes, first)
        targets = np.zeros(addresses.shape, np.int64)
        for address in np.unique(active).tolist():
            targets[addresses == address] = _instruction_at(ins, lanes, address)
        lanes.batch.scatter(targets, ins.index)
        return None

    return guarded(ins, run)


def _instruction_at(ins: Instruction, lanes: Lanes, address: int) -> int:
    program = lanes.batch.program
    if address % INSTRUCTION_BYTES == 0 and address < len(program.instructions) * INSTRUCTION_BYTES:
        return address // INSTRUCTION_BYTES
    name = lanes.batch.externals.get(address)
    if name == "__assertfail":
        raise KernelError(f"{faults.place(program, ins.index)}: assertion failed{_assertion(lanes)}")
    if name:
        where = faults.place(program, ins.index)
        raise UnsupportedInstructionError(f"{where}: calls {name}, which only a GPU's driver provides: remove the call")
    raise KernelError(f"{faults.place(program, ins.index)}: called address {address:#x}, which is no code")


def _assertion(lanes: Lanes) -> str:
    """The arguments of ``__assertfail``: message R4, file R6, line R8 and function (64-bit pointers but the line)."""
    row, lane = np.argwhere(lanes.active())[0]
    memory = lanes.batch.memory

    def text(register: int) -> str:
        data = memory.read(int(lanes.register64(register)[row, lane]), 512) or b""
        return data.split(b"\0")[0].decode(errors="replace")

    line = int(lanes.register(8)[row, lane])
    return f": {text(4)} ({text(6)}:{line}) in {lanes.batch.thread_name(lanes.first + int(row), int(lane))}"


@control("EXIT")
def _exit(ins: Instruction, constants: Constants) -> Control:
    del constants
    modifiers = Modifiers(ins)
    modifiers.take("KEEPREFCOUNT")
    modifiers.end()

    def run(lanes: Lanes) -> None:
        lanes.batch.exit()

    return guarded(ins, run)


@control("KILL", "BPT")
def _trap(ins: Instruction, constants: Constants) -> Control:
    del constants
    if ins.opcode == "BPT" and "TRAP" not in ins.modifiers:
        raise unsupported(ins, "only BPT.TRAP has semantics")

    def run(lanes: Lanes) -> None:
        batch = lanes.batch
        row, lane = np.argwhere(lanes.active())[0]
        thread = batch.thread_name(lanes.first + int(row), int(lane))
        raise KernelError(f"{faults.place(batch.program, ins.index)}: the kernel trapped in {thread}")

    return guarded(ins, run)


@control("YIELD", "NANOSLEEP")
def _yield(ins: Instruction, constants: Constants) -> Control:
    del constants
    following = ins.index + 1

    def run(lanes: Lanes) -> int | None:
        return None if lanes.batch.yield_turn(following) else following

    return guarded_as_one(ins, run)


@semantics("LEPC")
def _lepc(ins: Instruction, constants: Constants) -> Execute:
    del constants
    Modifiers(ins).end()
    match ins.operands:
        case (Register() as destination, Immediate() as target):
            register, address = destination.index, np.full((1, 1), int(target.value), np.uint64)
        case _:
            raise unsupported(ins, "only LEPC with a register and an address has semantics")
    return lambda lanes: lanes.set_register64(register, address)


@semantics("NOP", "PMTRIG")
def _nop(ins: Instruction, constants: Constants) -> Execute:
    del ins, constants
    return lambda lanes: None
