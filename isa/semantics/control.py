"""Control flow: branches, calls, exit, convergence barriers, yielding.

What each instruction does to a warp's splits is in ``isa.emulator.batch``; here its operands are read.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from isa.emulator import faults
from isa.emulator.code import guard_reader
from isa.emulator.group import pack
from isa.emulator.lanes import Bools, Lanes
from isa.errors import KernelError
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import Immediate, Label, Register, RegisterFile
from isa.semantics.operands import Modifiers, is_predicate, read_integer, read_integer64, read_predicate
from isa.semantics.registry import Constants, Control, Execute, control, semantics, unsupported


def guarded(ins: Instruction, inner: Control) -> Control:
    """``inner`` for the lanes whose guard is true; the others go on behind the instruction."""
    if ins.guard is None:
        return inner
    read = guard_reader(ins.guard)
    index = ins.index

    def run(lanes: Lanes) -> int | None:
        chosen = read(lanes) & lanes.active()
        if note_skipped(lanes, index, chosen):
            return index + 1
        batch = lanes.batch
        if np.count_nonzero(chosen) == batch.group.size:
            return inner(lanes)
        following = inner(batch.narrow(chosen, index + 1))
        if following is not None:
            batch.resume_at(following)
        return None

    return run


def guarded_as_one(ins: Instruction, inner: Control) -> Control:
    """``inner`` for all lanes of the group when the guard is true in one: for what does not divide a warp.

    The compiler relies on it: it goes on with uniform registers as if the warp had stayed together.
    """
    if ins.guard is None:
        return inner
    read = guard_reader(ins.guard)
    index = ins.index

    def run(lanes: Lanes) -> int | None:
        chosen = read(lanes) & lanes.active()
        if note_skipped(lanes, index, chosen):
            return index + 1
        rows = chosen.any(axis=1, keepdims=True)
        whole = lanes.active() & rows
        batch = lanes.batch
        if np.count_nonzero(whole) == batch.group.size:
            return inner(lanes)
        following = inner(batch.narrow(whole, index + 1))
        if following is not None:
            batch.resume_at(following)
        return None

    return run


def note_skipped(lanes: Lanes, index: int, chosen: Bools) -> bool:
    """Note the warps in which no lane is ``chosen``; returns whether that is all of them."""
    if not chosen.any():
        lanes.skipped.append((index, None))
        return True
    if len(chosen) > 1:
        rows = chosen.any(axis=1)
        if not rows.all():
            lanes.skipped.append((index, ~rows))
    return False


@control("BRA")
def _bra(ins: Instruction, constants: Constants) -> Control:
    modifiers = Modifiers(ins)
    modifiers.take("U")
    divergent, convergent = modifiers.take("DIV"), modifiers.take("CONV")
    modifiers.end()
    *conditions, label = ins.operands
    if not isinstance(label, Label):
        raise unsupported(ins, "a branch without a label")
    target, index, following = label.address // INSTRUCTION_BYTES, ins.index, ins.index + 1
    if ins.guard is None and not conditions:
        return lambda lanes: target

    readers: list[Callable[[Lanes], Bools]] = []
    for condition in conditions:
        if is_predicate(condition):
            readers.append(read_predicate(ins, condition))
        elif divergent or convergent:
            readers.append(_divergence(read_integer(ins, condition, constants), divergent))
        else:
            raise unsupported(ins, f"no semantics for condition {condition}")
    read_guard = None if ins.guard is None else guard_reader(ins.guard)

    def run(lanes: Lanes) -> int | None:
        taken = lanes.active()
        if read_guard is not None:
            taken = read_guard(lanes) & taken
            if note_skipped(lanes, index, taken):
                return following
        for read in readers:
            taken = read(lanes) & taken
        count = np.count_nonzero(taken)
        if count == 0:
            return following
        if count == lanes.batch.group.size:
            return target
        lanes.batch.branch(taken, target, following)
        return None

    return run


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
        return guarded(ins, lambda lanes: base // INSTRUCTION_BYTES)

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
        lanes.batch.scatter(targets)
        return None

    return guarded(ins, run)


def _instruction_at(ins: Instruction, lanes: Lanes, address: int) -> int:
    program = lanes.batch.program
    if address % INSTRUCTION_BYTES == 0 and address < len(program.instructions) * INSTRUCTION_BYTES:
        return address // INSTRUCTION_BYTES
    name = lanes.batch.externals.get(address)
    if name == "__assertfail":
        raise KernelError(f"{faults.place(program, ins.index)}: assertion failed{_assertion(lanes)}")
    what = f"function {name}, which the module does not define" if name else f"address {address:#x}, which is no code"
    raise KernelError(f"{faults.place(program, ins.index)}: called {what}")


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


def _barrier_index(ins: Instruction, position: int) -> int:
    operand = ins.operands[position]
    if not isinstance(operand, Register) or operand.file is not RegisterFile.CONVERGENCE:
        raise unsupported(ins, f"operand {operand} where a convergence barrier is known")
    return operand.index


@semantics("BSSY")
def _bssy(ins: Instruction, constants: Constants) -> Execute:
    del constants
    Modifiers(ins).end()
    register = _barrier_index(ins, 0)

    def run(lanes: Lanes) -> None:
        mask = lanes.active()
        np.copyto(lanes.batch.convergence[register, lanes.first : lanes.last], pack(mask)[:, None], where=mask)

    return run


@control("BSYNC")
def _bsync(ins: Instruction, constants: Constants) -> Control:
    del constants
    Modifiers(ins).end()
    register, index = _barrier_index(ins, 0), ins.index

    def run(lanes: Lanes) -> int | None:
        return index + 1 if lanes.batch.converge(register, index) else None

    return guarded(ins, run)


@control("BREAK")
def _break(ins: Instruction, constants: Constants) -> Control:
    del constants
    Modifiers(ins).end()
    register, following = _barrier_index(ins, len(ins.operands) - 1), ins.index + 1
    condition = read_predicate(ins, ins.operands[0]) if len(ins.operands) > 1 else None

    read_guard = None if ins.guard is None else guard_reader(ins.guard)

    def run(lanes: Lanes) -> int | None:
        leaving = lanes.active()
        if condition is not None:
            leaving = condition(lanes) & leaving
        if read_guard is not None:
            leaving = read_guard(lanes) & leaving
        lanes.batch.leave_barrier(register, leaving)
        return following

    return guarded_as_one(ins, run)


@control("WARPSYNC")
def _warpsync(ins: Instruction, constants: Constants) -> Control:
    """WARPSYNC, and WARPSYNC.COLLECTIVE, which the compiler pairs with ENDCOLLECTIVE.

    The compiler moves a SHFL that may execute in a diverged warp out of line, between the two, with the same registers
    at every such place: all lanes execute the one of whoever came last, then each goes on at its own label.
    """
    modifiers = Modifiers(ins)
    everyone = modifiers.take("ALL")
    collective = modifiers.take("COLLECTIVE")
    modifiers.take("EXCLUSIVE")
    modifiers.end()
    index = ins.index
    labels = [operand.address // INSTRUCTION_BYTES for operand in ins.operands if isinstance(operand, Label)]
    operands = [operand for operand in ins.operands if not isinstance(operand, Label) and not is_predicate(operand)]
    if collective and len(labels) != 1:
        raise unsupported(ins, "a collective without a label")
    full: NDArray[np.uint32] = np.full((1, 1), 0xFFFFFFFF, np.uint32)
    members = (lambda lanes: full) if everyone or not operands else read_integer(ins, operands[0], constants)

    def run(lanes: Lanes) -> int | None:
        batch = lanes.batch
        if collective:
            batch.collective_return[lanes.first : lanes.last][lanes.active()] = labels[0]
        return index + 1 if batch.sync_warp(members(lanes), index, collective) else None

    return guarded(ins, run)


@control("ENDCOLLECTIVE")
def _endcollective(ins: Instruction, constants: Constants) -> Control:
    del constants
    Modifiers(ins).end()

    def run(lanes: Lanes) -> int | None:
        batch = lanes.batch
        targets = batch.collective_return[lanes.first : lanes.last]
        active = targets[lanes.active()]
        if (active == active[0]).all():
            return int(active[0])
        batch.scatter(targets)
        return None

    return guarded(ins, run)


@semantics("BMOV")
def _bmov(ins: Instruction, constants: Constants) -> Execute:
    modifiers = Modifiers(ins)
    if not modifiers.take("32"):
        raise unsupported(ins, "only BMOV.32 has semantics")
    clear = modifiers.take("CLEAR")
    modifiers.end()
    destination, source = ins.operands
    if isinstance(destination, Register) and destination.file is RegisterFile.CONVERGENCE:
        register, value = destination.index, read_integer(ins, source, constants)

        def write(lanes: Lanes) -> None:
            masks = lanes.batch.convergence[register, lanes.first : lanes.last]
            np.copyto(masks, value(lanes), where=lanes.active())

        return write
    register = _barrier_index(ins, 1)
    if not isinstance(destination, Register) or destination.file is not RegisterFile.GENERAL:
        raise unsupported(ins, f"no semantics for destination {destination}")
    general = destination.index

    def read(lanes: Lanes) -> None:
        masks = lanes.batch.convergence[register, lanes.first : lanes.last]
        lanes.set_register(general, masks)
        if clear:
            np.copyto(masks, np.uint32(0), where=lanes.active())

    return read


@semantics("LEPC")
def _lepc(ins: Instruction, constants: Constants) -> Execute:
    del constants
    Modifiers(ins).end()
    destination, target = ins.operands
    if not isinstance(destination, Register) or not isinstance(target, Immediate):
        raise unsupported(ins, "only LEPC with a register and an address has semantics")
    register, address = destination.index, np.full((1, 1), int(target.value), np.uint64)
    return lambda lanes: lanes.set_register64(register, address)


@semantics("NOP", "PMTRIG")
def _nop(ins: Instruction, constants: Constants) -> Execute:
    del ins, constants
    return lambda lanes: None
