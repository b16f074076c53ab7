"""Loops at the end of a kernel: what is brought ahead of a warp there has a branch that it will not come to.

`endings/N instructions, stall T, slot K, M behind, to TARGET`: a loop of N instructions that begins in slot K of a
line, run twice, between two clocks; two stores, M other instructions, EXIT and a branch follow: to itself, as at the
end of every kernel that NVRTC compiles, or elsewhere.
"""

from collections.abc import Iterator
from itertools import product

from ..program import LINE, SAFE, Experiment, clock, up_to
from ..sass import RZ, Instruction, op

BEGIN, END = 8, 9
LENGTHS = (8, 11, 14, 18)
STALLS = (1, 2, 3)
BEHIND = (4, 10)
TARGETS = ("itself", "elsewhere")
TURNS = 2
_COUNTER = 7
_KNOWN = 14  # cycles from ISETP to the branch


def experiments() -> Iterator[Experiment]:
    """Yield a program per length, stall count, slot and target."""
    for target, length, stall, slot, behind in product(TARGETS, LENGTHS, STALLS, range(LINE), BEHIND):
        yield _loop(length, stall, slot, behind, target)


def _loop(length: int, stall: int, slot: int, behind: int, target: str) -> Experiment:
    before = [op("MOV.IMM", _COUNTER, TURNS, stall=SAFE), clock(BEGIN, stall=2)]
    row = [op("NOP", stall=stall)] * (length - 3)
    loop = [
        op("IADD3.IMM", _COUNTER, _COUNTER, -1, RZ, stall=6, label="loop"),
        op("ISETP", 5, _COUNTER, RZ, stall=max(stall, _KNOWN - stall * len(row))),
        *row,
        op("BRA", "loop", guard=5, stall=5),
    ]
    stores = [op("STG.32", 4, 2, 4 * i, register, guard=~6, stall=4) for i, register in enumerate((BEGIN, END))]
    others = [op("NOP", stall=4)] * behind
    # Behind EXIT; the program has another one and the branch to itself.
    leads = [op("EXIT", stall=5), op("BRA", "elsewhere", stall=5)] if target == "elsewhere" else []
    far = [op("NOP")] * (4 * LINE)
    return Experiment(
        f"endings/{length} instructions, stall {stall}, slot {slot}, {behind} behind, to {target}",
        [op("NOP", stall=SAFE)],
        (BEGIN, END),
        ending=[*_up_to(slot, before), *before, *loop, clock(END, stall=2), *stores, *others, *leads],
        functions=[*far, op("EXIT", stall=5, label="elsewhere")],
        iterations=1,
        kind="timeline",
    )


def _up_to(slot: int, before: list[Instruction]) -> list[Instruction]:
    """The NOPs in front of these that bring what is behind them to a slot."""
    end = Experiment("", [op("NOP", stall=SAFE)], (BEGIN, END), iterations=1).program()
    return [one.having(stall=2) for one in up_to(before, slot, reached=len(end) - 2)]
