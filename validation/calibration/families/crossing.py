"""A warp's taken branch beside another warp that goes from line to line, and loops of several warps of one SMSP.

`crossing/SLOT to TARGET beside ROW, D`: warp 0 branches once, from a slot of its line to a slot of another, while warp
1 goes through the lines of a row, D cycles later than in the first of these programs; a clock in every line.
`crossing/loop of N KIND, branch in slot S`: what warps take for all trips round a loop like those of the catalogue's
chains, the branch back in each slot of its line.
`crossing/sections of N lines, branch in slot S`: a row of sections, each with a clock at its beginning and a branch to
the next one at its end, by several warps; with "pauses" stall counts of 5 and 13 come before the branch.
"""

from collections.abc import Iterator

from ..program import LINE, SAFE, Experiment, clock, sm_warps, smsp_warps, up_to
from ..sass import RZ, Instruction, op
from .operations import OPERATIONS, setup

FIRST, LINES = 8, 10  # the first clock's register; lines of a row
PLACES = ((3, 0), (7, 0), (3, 6))
ROWS = {"stall 2": 16, "stall 3": 24, "taken in slot 6": 17, "taken in slot 7": 18, "not taken in slot 7": 16}
KINDS = {"FFMA": 1, "IMAD": 2, "HFMA2": 2}  # stall counts
LENGTHS = (58, 61)
TRIPS_OF_LOOP = 6
SECTIONS, COUNT = (2, 3, 4, 5, 6, 7), 6  # lines of a section, sections of a row
_OTHER, _NEVER, _LOOPS = 0, 1, 1
_TRIPS, _WARP = 60, 59


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for slot, target in PLACES:
        for row, period in ROWS.items():
            for apart in range(period):
                yield _beside(slot, target, row, apart)
    for kind in KINDS:
        for length in LENGTHS:
            for slot in range(LINE):
                yield _loop(kind, length, slot)
    for lines in SECTIONS:
        for slot in (3, 6, 7):
            for pauses in (False, True):
                yield _sections(lines, slot, pauses)


def _beside(slot: int, target: int, row: str, apart: int) -> Experiment:
    region = [
        op("SHF.R.IMM", _WARP, RZ, 7, 0, stall=SAFE),
        op("ISETP", _OTHER, _WARP, RZ, stall=SAFE),
        op("BRA", "other", guard=_OTHER, stall=5),
        *[op("NOP", stall=SAFE)] * 10,
    ]
    region += up_to(region, slot - 1)
    region += [clock(FIRST), op("BRA", "target", stall=5)]
    region += up_to(region, target)
    region += [clock(FIRST + 1, label="target"), *[op("NOP")] * LINE, clock(FIRST + 2, stall=SAFE)]
    region += [clock(FIRST + i, stall=SAFE) for i in range(3, LINES)]
    region.append(op("BRA", "out", stall=5))
    wait = [op("NOP", stall=SAFE)] * 4 + [op("NOP", stall=4 + (apart + i) // 3) for i in range(3)]
    region += [wait[0].having(label="other"), *wait[1:]]
    region += up_to(region, 0)
    for i in range(LINES):
        region += _line(row, i)
    region.append(op("NOP", stall=SAFE, label="out"))
    return Experiment(
        f"crossing/{slot} to {target} beside {row}, {apart}",
        region,
        range(FIRST, FIRST + LINES),
        [*setup(), op("ISETP", _NEVER, RZ, RZ, stall=SAFE)],
        (smsp_warps(2, shared=16384),),
        iterations=3,
        sync=True,
        kind="timeline",
    )


def _line(row: str, i: int) -> list[Instruction]:
    kind, number = row.rsplit(" ", 1)
    if kind == "stall":
        return [clock(FIRST + i, stall=int(number)), *[op("NOP", stall=int(number))] * (LINE - 1)]
    if kind.startswith("not"):
        branch = op("BRA", "out", guard=_NEVER, stall=5)
        return [clock(FIRST + i, stall=2), *[op("NOP", stall=2)] * (LINE - 2), branch]
    branch = op("BRA", f"line{i + 1}" if i + 1 < LINES else "out", stall=5)
    line = [clock(FIRST + i, label=f"line{i}"), *[op("NOP")] * (int(number) - 1), branch]
    return [*line, *[op("NOP")] * (LINE - len(line))]


def _loop(kind: str, length: int, slot: int) -> Experiment:
    """Count and comparison stand in the body, as far from the branch as a compiler has them."""
    body = [OPERATIONS[kind](i).having(stall=KINDS[kind]) for i in range(length)]
    body.insert(length // 3, op("IADD3.IMM", _TRIPS, _TRIPS, -1, RZ))
    body.insert(length // 2, op("ISETP", _LOOPS, _TRIPS, RZ))
    body.append(op("BRA", "loop", guard=_LOOPS, stall=6))
    region = [op("MOV.IMM", _TRIPS, TRIPS_OF_LOOP, stall=SAFE), clock(FIRST, stall=2)]
    region += up_to(region, (slot + 1 - len(body)) % LINE)
    region += [body[0].having(label="loop"), *body[1:], clock(FIRST + 1, stall=4)]
    return Experiment(
        f"crossing/loop of {length} {kind}, branch in slot {slot}",
        region,
        (FIRST, FIRST + 1),
        setup(),
        (*(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 8)), *(sm_warps(n, shared=16384) for n in (2, 4))),
        iterations=3,
        sync=True,
        kind="timeline",
    )


def _sections(lines: int, slot: int, pauses: bool) -> Experiment:
    region: list[Instruction] = up_to([], 0)
    for i in range(COUNT):
        region += [clock(FIRST + i, label=f"section{i}"), *[op("NOP")] * ((lines - 1) * LINE + slot - 1)]
        if pauses:
            region[-2:] = [op("NOP", stall=5), op("NOP", stall=13)]
        region.append(op("BRA", f"section{i + 1}", stall=5))
        region += up_to(region, 0)
    region.append(clock(FIRST + COUNT, label=f"section{COUNT}", stall=SAFE))
    return Experiment(
        f"crossing/sections of {lines} lines, branch in slot {slot}{', pauses' if pauses else ''}",
        region,
        range(FIRST, FIRST + COUNT + 1),
        setup(),
        tuple(smsp_warps(n, shared=16384) for n in (1, 2, 3, 4, 8)),
        iterations=3,
        sync=True,
        kind="timeline",
    )
