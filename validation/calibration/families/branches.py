"""Rows of branches that part and join lanes, by many warps: what each takes, and how often the SM takes one."""

from collections.abc import Callable, Iterator

from ..program import SAFE, Experiment, clock, sm_warps, smsp_warps
from ..sass import RZ, Instruction, op
from .operations import setup

START, END, TRIPS = 8, 9, 60
LANE, EIGHTH, REST = 58, 57, 56
LEAVES, HALF, QUARTER, NOBODY, LOOP = 0, 1, 2, 3, 5  # predicates: of a group, odd lanes, every other pair, none
PIECES = 8  # in the loop's body
LOOPS = 6

Piece = Callable[[int], list[Instruction]]


def experiments() -> Iterator[Experiment]:
    """Yield one program per kind of row: a loop of eight pieces, the cycles of all its trips."""
    for name, piece in ROWS.items():
        region = [*_predicates(), op("MOV.IMM", TRIPS, LOOPS, stall=SAFE), clock(START, stall=4)]
        region += [op("NOP", label="loop"), *(instruction for i in range(PIECES) for instruction in piece(i))]
        region += [
            op("IADD3.IMM", TRIPS, TRIPS, -1, RZ, stall=5),
            op("ISETP", LOOP, TRIPS, RZ, stall=13),
            op("BRA", "loop", guard=LOOP, stall=5),
            clock(END, stall=SAFE),
        ]
        yield Experiment(
            f"branches/row of {name}",
            region,
            [START, END],
            setup(),
            (
                *(smsp_warps(n, shared=16384) for n in range(1, 9)),
                *(sm_warps(n, shared=16384) for n in (1, 2, 4, 7)),
            ),
            iterations=3,
            sync=True,
            meta={"count": LOOPS * PIECES},
        )


def _predicates() -> list[Instruction]:
    return [
        op("LOP3.IMM", LANE, 0, 31, RZ, stall=SAFE),
        op("LOP3.IMM", EIGHTH, LANE, 7, RZ, stall=SAFE),
        op("LOP3.P", HALF, RZ, LANE, 1, RZ, stall=SAFE),
        op("LOP3.P", QUARTER, RZ, LANE, 2, RZ, stall=SAFE),
        op("ISETP", NOBODY, RZ, RZ, stall=SAFE),
    ]


def _enter(i: int) -> Instruction:
    return op("BSSY", f"join{i}", stall=5)


def _go(i: int, **control: object) -> Instruction:
    return op("BRA", f"join{i}", stall=5, **control)


def _join(i: int) -> Instruction:
    return op("BSYNC", stall=5, label=f"join{i}")


def _rest() -> list[Instruction]:
    return [op("NOP", stall=SAFE)] * 3


def _two_groups(i: int) -> list[Instruction]:
    return [_enter(i), _go(i, guard=HALF), op("NOP", stall=4), _join(i)]


def _two_sides(i: int) -> list[Instruction]:
    body = [_enter(i), op("BRA", f"other{i}", guard=HALF, stall=5), op("NOP", stall=4), _go(i)]
    return [*body, op("NOP", stall=4, label=f"other{i}"), _join(i)]


def _two_sides_with_rests(i: int) -> list[Instruction]:
    body = [_enter(i), op("BRA", f"other{i}", guard=HALF, stall=5), *_rest(), _go(i)]
    return [*body, op("NOP", stall=SAFE, label=f"other{i}"), *_rest(), _join(i), *_rest()]


def _eight_groups(i: int) -> list[Instruction]:
    """Every eighth lane leaves in turn."""
    body = [_enter(i)]
    for k in range(7):
        body += [op("IADD3.IMM", REST, EIGHTH, -k, RZ, stall=5), op("ISETP", LEAVES, REST, RZ, stall=13)]
        body.append(_go(i, guard=~LEAVES))
    return [*body, _join(i)]


def _halved_twice(i: int) -> list[Instruction]:
    """Lanes part into halves, and each half into two, all of which meet at once."""
    body = [_enter(i), op("BRA", f"low{i}", guard=HALF, stall=5), op("NOP", stall=SAFE)]
    body += [op("BRA", f"b{i}", guard=QUARTER, stall=5), *_rest(), _go(i), op("NOP", label=f"b{i}"), *_rest(), _go(i)]
    body += [op("NOP", stall=SAFE, label=f"low{i}"), op("BRA", f"d{i}", guard=QUARTER, stall=5), *_rest(), _go(i)]
    return [*body, op("NOP", label=f"d{i}"), *_rest(), _join(i)]


ROWS: dict[str, Piece] = {
    "BSSY": lambda i: [_enter(i), op("NOP", label=f"join{i}")],
    "BSSY and BSYNC": lambda i: [_enter(i), _join(i)],
    "BSSY and BSYNC with rests": lambda i: [_enter(i), *_rest(), _join(i), *_rest()],
    "half to BSYNC": _two_groups,
    "two sides": _two_sides,
    "two sides with rests": _two_sides_with_rests,
    "eight groups": _eight_groups,
    "halved twice": _halved_twice,
    "BRA not taken": lambda i: [_go(i, guard=NOBODY), op("NOP", label=f"join{i}")],
    "BRA taken": lambda i: [_go(i), op("NOP"), op("NOP", label=f"join{i}")],
}
