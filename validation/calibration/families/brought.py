"""Which lines the L0 has how long after a warp has come to one that is new to it, and when: each looked for by a jump.

A warp comes to a line, waits some cycles and branches, by a predicate that is true, to one of those that may have been
brought: late, or as if nothing had been brought, or at once. In one of the lines stands a branch that is always taken,
behind the warp's way. Records, for each wait: clocks in the line and where the warp has looked.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, up_to
from ..sass import Instruction, op
from .stopwatch import REGISTERS
from .streams import FIRST, NOT, gone_round

PLACES = 17
WAITS = (range(3, 20), range(20, 37))
LONG = 15  # the longest stall count
ENTRY, LEADS, BEYOND, END = 2, 7, 10, 14  # lines of a place: come to, led to, led to from there, all of them
# How the warp comes to the line: by a branch to a slot of it, it being missing; the same, it being there; from the line
# before it.
ENTRIES = ("miss, slot 0", "miss, slot 3", "hit", "straight")
# In which line the branch stands that is always taken: the warp's, the first or second one behind it.
LEADING = (None, 0, 1, 2)
LOOKED_AT = {"1 on": 3, "2 on": 4, "3 on": 5, "its target": 7, "1 behind its target": 8, "2 behind its target": 9}
AGAIN = {"the target's own": 10, "1 behind the target's own": 11}
TAKEN = ~NOT


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for entry in ENTRIES:
        for leading in LEADING:
            for where, line in LOOKED_AT.items():
                if leading is not None or line < LEADS:
                    yield from _looked(entry, leading, "BRA", where, line)
                if leading is not None:
                    yield from _looked(entry, leading, "CALL", where, line)
            if leading is not None:
                for where, line in AGAIN.items():
                    yield from _looked(entry, leading, "BRA", where, line)


def _looked(entry: str, leading: int | None, branch: str, where: str, line: int) -> Iterator[Experiment]:
    """One program for some waits, another for longer ones."""
    leads = "" if leading is None else f", {branch} {leading} on"
    for waits in WAITS:
        region = [op("BRA", "place0", stall=5)]
        region += up_to(region, 0)
        for place, wait in enumerate(waits):
            region += _place(place, wait, entry, (branch, leading), line)
        region.append(op("NOP", stall=SAFE, label=f"place{PLACES}"))
        name = f"brought/{where}, {entry}{leads}, waits from {waits[0]}"
        yield gone_round(name, region, range(FIRST, FIRST + 2 * PLACES), registers=REGISTERS)


def _place(place: int, wait: int, entry: str, lead: tuple[str, int | None], line: int) -> list[Instruction]:
    """A warp comes, waits, and looks at a line; the branch that leads elsewhere stands so many lines on."""
    code = [op("NOP")] * (END * LINE)

    def write(at: int, label: str, instructions: list[Instruction]) -> None:
        code[at : at + len(instructions)] = [instructions[0].having(label=label), *instructions[1:]]

    slot = 3 if entry == "miss, slot 3" else 2 if entry == "hit" else 0
    come = ENTRY * LINE + slot
    first = min(LONG, wait - 2)
    second = min(LONG, wait - first - 1)
    stay = [
        clock(FIRST + 2 * place, stall=first),
        op("NOP", stall=second),
        op("NOP", stall=wait - first - second),
        op("BRA", f"look{place}", guard=TAKEN, stall=5),
    ]
    begin = f"place{place}"
    if entry.startswith("miss"):
        write(come, begin, stay)
    else:
        write(come, f"come{place}", stay)
        before = [op("NOP", stall=LONG)] * 4
        if entry == "hit":
            before.append(op("BRA", f"come{place}", guard=TAKEN, stall=5))
        write(come - 4 if entry == "straight" else (ENTRY - 1) * LINE, begin, before)
    look = [clock(FIRST + 2 * place + 1, stall=LONG), *[op("NOP", stall=LONG)] * 4]
    write(line * LINE, f"look{place}", [*look, op("BRA", f"place{place + 1}", guard=TAKEN, stall=5)])

    def leave(at: int, name: str, target: int) -> None:
        code[at * LINE + LINE - 1] = op(name, f"look{place}" if target == line else f"line{target}_{place}", stall=5)
        if target != line:
            code[target * LINE] = code[target * LINE].having(label=f"line{target}_{place}")

    branch, leading = lead
    if leading is not None:
        leave(ENTRY + leading, branch, LEADS)
    if line >= BEYOND:
        leave(LEADS, "BRA", BEYOND)
    return code
