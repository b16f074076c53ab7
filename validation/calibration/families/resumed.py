"""Where a warp goes on behind what it waited for, by the slot in its line; and single results of the XU and of FP64.

`resumed/KIND`: first touches of constants, BSYNCs behind which all lanes go on, and branches that are not taken, in
each slot of a line: clocks before, in the two instructions behind and three further on. `resumed/XU result, ...`: one
instruction for the idle XU, so many cycles behind it one or two others, by the banks of their results: cycles until
what comes behind. `resumed/DSETP ...`: an instruction right behind one that reads pairs and writes no register.
"""

from collections.abc import Iterator
from itertools import product

from ..program import LINE, SAFE, Experiment, clock, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import setup
from .stopwatch import timed_in_turn

FIRST = 8  # register of the first clock
CONSTANTS = 0x40  # no kernel reads at its start what lies from there on
CONSTANT_LINE = 64
NOT = 1  # a predicate that is false
_PER_PROGRAM = 48
DISTANCES = range(1, 16)  # cycles from the XU's instruction to the next
XU = {
    "MUFU.RCP": op("MUFU.RCP", 24, 40),
    "POPC": op("POPC", 25, 41),
    "F2F.F64.F32": op("F2F.F64.F32", 30, 40),
    "F2F.F32.F64": op("F2F.F32.F64", 25, 40),
    "I2F.F64": op("I2F.F64", 30, 41),
}
BANKS = ((0, 0), (1, 1), (0, 1), (1, 0))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for kind in ("ULDC", "FFMA.CONST"):
        for slots in (range(2, 5), range(5, 8)):
            yield _slots(f"{kind} in slots {slots[0]} to {slots[-1]}", kind, slots, iterations=1)
    for kind in ("BSYNC", "BRA", "MUFU"):
        for slots in (range(4), range(4, 8)):
            yield _slots(f"{kind} in slots {slots[0]} to {slots[-1]}", kind, slots, iterations=4)
    for name, instruction in XU.items():
        for other in ("MOV", "FADD", "DADD"):
            pieces = [_behind(instruction, other, banks, distance) for banks in BANKS for distance in DISTANCES]
            yield from _timed(f"{name} result, {other}", pieces)
    yield from _timed("DSETP", list(_behind_dsetp()))


def _slots(name: str, kind: str, slots: range, iterations: int) -> Experiment:
    region: list[Instruction] = []
    register = FIRST
    for number, slot in enumerate(slots):
        region += [op("NOP", stall=SAFE)] * (len(up_to(region, 0)) + LINE)
        region += [op("BSSY", f"on{number}", stall=SAFE)] if kind == "BSYNC" else [op("NOP", stall=SAFE)]
        region += [op("MUFU.RCP", 24, 40, write=0, stall=2)] if kind == "MUFU" else [op("NOP", stall=SAFE)]
        region += [op("NOP", stall=2)] * (LINE - 3 + slot)
        region += [clock(register, stall=2), _held(kind, number)]
        label = f"on{number}" if kind == "BSYNC" else None
        region += [clock(register + 1, label=label), clock(register + 2), op("NOP"), clock(register + 3, stall=SAFE)]
        register += 4
    return Experiment(
        f"resumed/{name}",
        region,
        range(FIRST, register),
        [*setup(), op("ISETP", NOT, RZ, RZ, stall=SAFE)],
        (smsp_warps(1, shared=16384),),
        iterations=iterations,
        sync=True,
        kind="timeline",
    )


def _held(kind: str, number: int) -> Instruction:
    match kind:
        case "ULDC":
            return op("ULDC", 16, CONSTANTS + CONSTANT_LINE * number)
        case "FFMA.CONST":
            return op("FFMA.CONST", 24, 40, CONSTANTS + CONSTANT_LINE * number, 42)
        case "BSYNC":
            return op("BSYNC", stall=5)
        case "BRA":
            return op("BRA", "start", guard=NOT, stall=5)
    return op("NOP", wait=1)


def _behind(instruction: Instruction, other: str, banks: tuple[int, int], distance: int) -> list[Instruction]:
    first, second = (_writer(other, bank, number) for number, bank in enumerate(banks))
    return [instruction.having(write=0, stall=distance), first, second, op("NOP")]


def _writer(name: str, bank: int, number: int) -> Instruction:
    target = 32 + 2 * number + bank
    match name:
        case "MOV":
            return op("MOV", target, 42 + number)
        case "FADD":
            return op("FADD", target, 42 + number, 44 + number)
    return op("DADD", 32, 42, 44) if number == 0 else op("MOV", target, 42)


def _behind_dsetp() -> Iterator[list[Instruction]]:
    """A DSETP of one or two pairs, another instruction right behind it, and one before it or none."""
    befores: tuple[list[Instruction], ...] = ([], [op("FSETP", 1, 46, 46)], [op("IADD3", 24, 41, 43, 45)])
    pairs = ((40, 40), (40, 42))
    behind = (
        *(op("FSETP", 2, *sources) for sources in ((41, 41), (43, 45), (42, 44), (41, 42))),
        *(op("ISETP", 2, *sources) for sources in ((41, 41), (43, 45))),
        op("FADD", 26, 41, 43),
        op("FFMA", 26, 41, 43, 45),
        op("IADD3", 26, 41, 43, 45),
        op("MOV", 26, 41),
        op("DADD", 28, 42, 44),
    )
    for before, pair, other in product(befores, pairs, behind):
        yield [*before, op("DSETP", 0, *pair), other, op("NOP")]


def _timed(name: str, pieces: list[list[Instruction]]) -> Iterator[Experiment]:
    return timed_in_turn(f"resumed/{name}", pieces, setup(), per_program=_PER_PROGRAM)
