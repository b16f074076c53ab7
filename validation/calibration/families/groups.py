"""Divergence into several groups: when each runs, and what joining costs, with one barrier and with nested ones."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, Launch, clock
from ..sass import RZ, Instruction, op
from .operations import setup

BEFORE, ENTERED, LEAVES, JOINED, INNER = 8, 9, 10, 11, 12
BIT, LANE = 58, 59
MOST = 6  # groups: as many predicates as the kernel leaves alone, and those who fall through
LAUNCH = (Launch(shared=16384),)
RECORDS = [BEFORE, ENTERED, LEAVES, JOINED, INNER]


def experiments() -> Iterator[Experiment]:
    """Yield one program per number of groups and per group that lane 0 belongs to."""
    for length in (1, 8):
        for groups in range(1, MOST + 1):
            for mine in range(groups):
                yield _probe(f"{groups} groups of {length} FMUL, lane 0 in {mine}", _one_barrier(groups, length), mine)
        for mine in range(4):
            yield _probe(f"nested, {length} FMUL, lane 0 in {mine}", _nested(length), mine)
    for mine in range(4):
        yield _probe(f"loop by lane, lane 0 makes {mine + 1} trips", _loop_by_lane(), mine)


def _probe(name: str, body: list[Instruction], mine: int) -> Experiment:
    region = lane_groups(mine)
    region += [op("MOV", r, RZ, stall=SAFE) for r in RECORDS[1:]]
    region += [op("NOP", stall=SAFE)] * 2
    region += [clock(BEFORE, stall=8), *body, clock(JOINED, stall=2)]
    return Experiment(f"groups/{name}", region, RECORDS, setup(), LAUNCH, kind="path")


def lane_groups(mine: int) -> list[Instruction]:
    """Predicate k holds in the lanes of group k: those whose number modulo 8 is k - `mine`."""
    region = [
        op("LOP3.IMM", LANE, 0, 7, RZ, stall=SAFE),
        op("MOV.IMM", BIT, 0x8080, stall=SAFE),
        op("SHF.R", BIT, RZ, LANE, BIT, stall=SAFE),
    ]
    for k in range(1, MOST):
        if k < 5:
            region.append(op("LOP3.P", k, RZ, BIT, 0x80 >> (k - mine) % 8, RZ, stall=SAFE))
        else:
            region.append(op("LOP3.P", 0, RZ, BIT, 0x80 >> (k - mine) % 8, RZ, stall=SAFE))
    return region


def row(length: int) -> list[Instruction]:
    """So many FMULs, none of which waits for another."""
    return [op("FMUL", 32 + i % 4, 40, 41) for i in range(length)]


def _group(label: str, length: int, target: str) -> list[Instruction]:
    return [clock(ENTERED, stall=2, label=label), *row(length), clock(LEAVES, stall=2), op("BRA", target, stall=5)]


def _one_barrier(groups: int, length: int) -> list[Instruction]:
    """A row of guarded branches, one group each; those who take none fall through."""
    body = [op("BSSY", "join", stall=5)]
    body += [op("BRA", f"g{k}", guard=k % 5, stall=5) for k in range(1, groups)]
    body += _group("g0", length, "join")
    for k in range(1, groups):
        body += _group(f"g{k}", length, "join")
    return [*body, op("BSYNC", stall=5, label="join")]


def _nested(length: int) -> list[Instruction]:
    """Groups 2 and 3 branch away together, then groups 1 and 3 from the others, with a barrier of their own."""
    body = [op("BSSY", "join", stall=5), op("BRA", "high", guard=2, stall=5), op("BRA", "high", guard=3, stall=5)]
    for half, first in (("low", 0), ("high", 2)):
        entry = op("BSSY.B1", f"{half}join", stall=5, label=half)
        body += [entry, op("BRA", f"g{first + 1}", guard=first + 1, stall=5)]
        body += _group(f"g{first}", length, f"{half}join")
        body += _group(f"g{first + 1}", length, f"{half}join")
        body += [op("BSYNC.B1", stall=5, label=f"{half}join"), clock(INNER, stall=2), op("BRA", "join", stall=5)]
    return [*body, op("BSYNC", stall=5, label="join")]


def _loop_by_lane() -> list[Instruction]:
    """A loop that groups leave one after the other: group k after k + 1 trips."""
    body = [op("BSSY", "join", stall=5), clock(ENTERED, stall=2)]
    for k in range(4):
        body += [*row(4), clock(LEAVES, stall=2)]
        if k < 3:
            # Those of a higher group go on.
            body += [op("BRA", f"on{k}", guard=j, stall=5) for j in range(k + 1, 4)]
            body += [op("BRA", "join", stall=5), op("NOP", label=f"on{k}")]
    return [*body, op("BSYNC", stall=5, label="join")]
