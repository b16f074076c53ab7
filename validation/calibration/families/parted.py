"""Parted lanes of a warp that BREAK, EXIT, YIELD, or meet at a WARPSYNC: when each group goes on."""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock
from ..sass import RZ, Instruction, op
from .groups import LAUNCH, lane_groups, row
from .operations import setup

CLOCKS = range(8, 18)
YIELDS = 4
NOBODY = 4  # a predicate that holds in no lane
STAYS = 3  # a predicate that holds in all lanes until the last iteration, where it holds in none
COUNT, MASK, OWN = 61, 60, 56


def experiments() -> Iterator[Experiment]:
    """Yield one program per group that lane 0 belongs to, and that does not exit."""
    for name, (others, body) in EXITS.items():
        for mine in others:
            yield _experiment(f"{name}, lane 0 in {mine}", body, mine)
    for groups in (1, 2, 4, 8, 16, 32):
        yield _experiment(f"WARPSYNC of {groups} masks", _masks(groups), 0)
    for name, (groups, body) in BODIES.items():
        for mine in range(groups):
            yield _experiment(f"{name}, lane 0 in {mine}" if groups > 1 else name, body, mine)


def _experiment(name: str, body: list[Instruction], mine: int) -> Experiment:
    region = [*lane_groups(mine), op("ISETP", NOBODY, RZ, RZ, stall=SAFE)]
    region += [op("MOV", r, RZ, stall=SAFE) for r in CLOCKS]
    region += [op("NOP", stall=SAFE), op("NOP", stall=SAFE), *body, op("NOP", stall=SAFE)]
    return Experiment(f"parted/{name}", region, CLOCKS, setup(), LAUNCH, kind="path")


def _at(i: int, stall: int = 2, **control: object) -> Instruction:
    return clock(CLOCKS[i], stall=stall, **control)


def _break(*guards: int | None) -> list[Instruction]:
    """Leave an inner barrier, those of a guard at a time, and branch to the outer one."""
    body = [op("BSSY.B1", "out", stall=5), op("BSSY", "join", stall=5), _at(0)]
    for i, guard in enumerate(guards):
        holds = {} if guard is None else {"guard": guard}
        body += [op("BREAK", stall=5, **holds), _at(2 * i + 1), op("BRA", "out", stall=5, **holds), _at(2 * i + 2)]
    body += [op("BSYNC", stall=5, label="join"), _at(7)]
    return [*body, op("BSYNC.B1", stall=5, label="out"), _at(9)]


def _break_apart() -> list[Instruction]:
    """The lanes of group 1 leave the barrier at which the others wait."""
    body = [op("BSSY.B1", "out", stall=5), op("BSSY", "join", stall=5), _at(0), op("BRA", "away", guard=1, stall=5)]
    body += [_at(1), op("BRA", "join", stall=5)]
    body += [_at(1, label="away"), *row(8), op("BREAK", stall=5), _at(2), op("BRA", "out", stall=5)]
    body += [op("BSYNC", stall=5, label="join"), _at(7)]
    return [*body, op("BSYNC.B1", stall=5, label="out"), _at(9)]


def _exit_apart(leaving: int, *lengths: int) -> list[Instruction]:
    """Group ``leaving`` of those with rows of their own exits in the last iteration; the others wait at a BSYNC."""
    body = [op("IADD3.IMM", COUNT, 7, -1, RZ, stall=SAFE), op("ISETP", STAYS, COUNT, RZ, stall=SAFE)]
    body += [op("BSSY", "join", stall=5), _at(0)]
    body += [op("BRA", f"g{k}", guard=k, stall=5) for k in range(1, len(lengths))]
    for k, length in enumerate(lengths):
        body += [_at(1, label=f"g{k}"), *row(length)]
        body += [op("EXIT", guard=~STAYS, stall=5)] if k == leaving else []
        body += [_at(2), op("BRA", "join", stall=5)]
    return [*body, op("BSYNC", stall=5, label="join"), _at(7), *row(2), _at(8)]


def _masks(groups: int) -> list[Instruction]:
    """All lanes meet at WARPSYNCs whose mask names those of their group alone: each so-manieth lane."""
    body = [
        op("LOP3.IMM", OWN, 0, groups - 1, RZ, stall=SAFE),
        op("MOV.IMM", MASK, sum(1 << lane for lane in range(0, 32, groups)), stall=SAFE),
        op("SHF", MASK, MASK, OWN, RZ, stall=SAFE),
    ]
    for i in range(3):
        body += [_at(i), op("NOP", stall=8), op("WARPSYNC", MASK, stall=5)]
    return [*body, _at(3), *row(4), _at(6), op("WARPSYNC.ALL", stall=5), _at(9)]


def _apart(*groups: list[Instruction]) -> list[Instruction]:
    """Groups with code of their own, of which the last falls through, before they meet."""
    body = [_at(0)]
    body += [op("BRA", f"g{k}", guard=k, stall=5) for k in range(1, len(groups))]
    body += [_at(1), *groups[0], op("BRA", "meet", stall=5)]
    for k in range(1, len(groups)):
        body += [_at(1, label=f"g{k}"), *groups[k], op("BRA", "meet", stall=5)]
    meet = [_at(6, label="meet"), op("WARPSYNC.ALL", stall=5), _at(7), *row(2), _at(8)]
    return [*body, *meet, op("WARPSYNC.ALL", stall=5), _at(9)]


def _yields(count: int = YIELDS) -> list[Instruction]:
    return [piece for i in range(count) for piece in (op("YIELD", stall=5), _at(2 + i))]


def _yields_before_bsync() -> list[Instruction]:
    """Group 1 yields; the others wait for it at a BSYNC, and then at a WARPSYNC."""
    body = [op("BSSY", "join", stall=5), _at(0), op("BRA", "g1", guard=1, stall=5), _at(1), op("BRA", "join", stall=5)]
    body += [_at(1, label="g1"), *_yields(), op("BSYNC", stall=5, label="join"), _at(6)]
    return [*body, op("WARPSYNC.ALL", stall=5), _at(7), *row(2), _at(8), op("WARPSYNC.ALL", stall=5), _at(9)]


BODIES = {
    "BREAK of all": (1, _break(None)),
    "BREAK of none": (1, _break(NOBODY)),
    "BREAK of some": (2, _break(1)),
    "BREAK of some, and some": (3, _break(1, 2)),
    "BREAK of some, and some, and some": (4, _break(1, 2, 3)),
    "BREAK apart": (2, _break_apart()),
    "WARPSYNC of all": (1, _apart(row(4))),
    **{
        f"WARPSYNC of groups of {', '.join(map(str, lengths))} FMUL": (len(lengths), _apart(*map(row, lengths)))
        for lengths in ((4, 24), (24, 4), (4, 4, 24), (4, 24, 4), (24, 4, 4), (4, 8, 12, 16))
    },
    "YIELD of all": (1, _apart(_yields())),
    "YIELD beside a WARPSYNC": (2, _apart([], _yields())),
    "YIELD of those who fall through": (2, _apart(_yields(), [])),
    "YIELD of two": (2, _apart(_yields(), _yields())),
    "YIELD of two beside a WARPSYNC": (3, _apart([], _yields(), _yields())),
    "YIELD of two, one sooner done": (3, _apart([], _yields(), _yields(2))),
    "YIELD of one, two at a WARPSYNC": (3, _apart([], row(24), _yields())),
    "YIELD of three": (3, _apart(_yields(), _yields(), _yields())),
    "YIELD before a BSYNC": (2, _yields_before_bsync()),
}

# By name: the groups that do not exit, and the code of all.
EXITS = {
    "EXIT apart": ((0,), _exit_apart(1, 4, 8)),
    "EXIT apart, later": ((0,), _exit_apart(1, 4, 40)),
    "EXIT apart, first": ((1,), _exit_apart(0, 4, 8)),
    "EXIT of one of three, first": ((0, 2), _exit_apart(1, 4, 8, 8)),
    "EXIT of one of three, last": ((0, 1), _exit_apart(2, 4, 8, 8)),
}
