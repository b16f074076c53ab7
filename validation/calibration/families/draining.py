"""Stores of several warps at once: when each is through L1's data stage, as a load behind them shows.

A warp stores rows of words, then loads a word that L1 holds: records when it begins, when its stores have been read,
and when the load is back. Warps begin in the same cycle, or SMSPs so many cycles one behind the other.
"""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment, Launch, block_barrier, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .burst import lanes_apart, pauses
from .operations import GLOBAL

START, READ, LOADED = 8, 9, 10
AREA = 1 << 16  # bytes between two stores that share no line
HELD = 1 << 22  # bytes behind the data where the words lie that are loaded
PAUSE = 40
# operation -> bytes of a lane's word, most bytes from one lane to the next
WIDTHS = {"STG.32": (4, 128), "STG.64": (8, 128), "STG.128": (16, 128)}
LAUNCHES = (
    smsp_warps(1),
    Launch("2 SMSPs", 64, 3),
    Launch("3 SMSPs", 96, 7),
    *(sm_warps(n) for n in (1, 2, 4)),
)
FEW = (LAUNCHES[0], LAUNCHES[1], LAUNCHES[3])
LATER = (4, 8, 16, 32, 64, 128, 256)  # cycles between two SMSPs
_LOAD = 58  # the address that is loaded
_BITS = (1, 2)  # predicates: of the SMSP's number


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, (width, most) in WIDTHS.items():
        for words in (1, 2, 4, 8, 16, 32):
            if words * width <= most:
                yield _side_by_side(name, words, words)
    for words, counts in ((8, (1, 2, 3, 4)), (16, (1, 2, 3, 4, 6, 8, 12)), (32, (1, 2, 3, 6))):
        for count in counts:
            yield _side_by_side("STG.32", words, count, launches=FEW)
    for name, words in (("STG.32", 4), ("STG.32", 8), ("STG.32", 16), ("STG.64", 4)):
        for later in LATER:
            yield _side_by_side(name, words, words, later, LAUNCHES[3:5])
    for words in (4, 8, 16, 32):
        for count in (1, 2, 3):
            for shift in (0, 4):
                rows = [op("STG.32", 4, GLOBAL, AREA * i, 40, read=0, stall=2) for i in range(count)]
                banks = "other" if shift else "the same"
                label = f"{count} STG.32, {4 * words} bytes a lane, {banks} banks of each warp"
                yield _draining(label, rows, lanes_apart(4 * words, 0, 0, 128 * words + shift), launches=FEW[1:])


def _side_by_side(
    name: str, words: int, count: int, later: int = 0, launches: Sequence[Launch] = LAUNCHES
) -> Experiment:
    width, _ = WIDTHS[name]
    rows = [op(name, 4, GLOBAL, width * i, 40, read=0, stall=2) for i in range(count)]
    when = f", {later} cycles later each" if later else ""
    label = f"{count} {name} side by side, {words * width} bytes a lane{when}"
    return _draining(label, rows, lanes_apart(words * width, 0, 0, 32 * words * width), later, launches)


def _draining(
    label: str,
    rows: Sequence[Instruction],
    stored: Sequence[Instruction],
    later: int = 0,
    launches: Sequence[Launch] = LAUNCHES,
) -> Experiment:
    load = op("LDG.32", 24, 4, _LOAD, HELD, write=1, stall=2)
    region = [
        load,
        op("NOP", wait=0x3F, stall=SAFE),
        *[op("NOP", stall=SAFE)] * PAUSE,
        *block_barrier("all"),
        *wait_by_smsp(later),
        clock(START, stall=4),
        *rows,
        load,
        clock(READ, stall=2, wait=1),
        clock(LOADED, stall=2, wait=2),
        op("NOP", wait=0x3F, stall=SAFE),
    ]
    copied = [op("MOV", _LOAD + i, GLOBAL + i, stall=SAFE) for i in range(2)]
    return Experiment(
        f"draining/{label}",
        region,
        [START, READ, LOADED],
        [*lanes_apart(4, 0, 0, 128), *copied, *stored, *bits_of_smsp()],
        launches,
        iterations=2,
        sync=True,
        kind="timeline",
    )


def wait_by_smsp(later: int) -> list[Instruction]:
    """The SMSPs go on so many cycles one behind the other, less what a branch that is taken takes."""
    waits: list[Instruction] = []
    if later:
        for number, predicate in enumerate(_BITS):
            label, cycles = f"on{number}", (later << number) + 9
            waits += [op("BRA", label, guard=~predicate, stall=5), *pauses(cycles)]
            waits.append(op("NOP", stall=SAFE, label=label))
    return waits


def bits_of_smsp() -> list[Instruction]:
    """Instructions that set the predicates that `wait_by_smsp` reads."""
    return [
        instruction
        for number, predicate in enumerate(_BITS)
        for instruction in (
            op("LOP3.IMM", 54, 0, 32 << number, RZ, stall=SAFE),
            op("ISETP", predicate, 54, RZ, stall=SAFE),
        )
    ]
