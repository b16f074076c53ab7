"""Loops that warps of all SMs run at once, and what they record: clocks of each SM, its number, the global timer."""

from collections.abc import Sequence

from ..program import SAFE, Experiment, Launch, clock, constant
from ..sass import RZ, Instruction, op

ALL_SMS = 132
START, END, SM, BEGUN, ENDED = 8, 9, 10, 12, 14  # registers: SM clock, SM, global timer
RECORDS = (START, END, SM, BEGUN, ENDED)
TURNS = 60  # register
AWAIT = op("NOP", stall=SAFE, wait=1)  # barrier 0


def full(label: str = "132 blocks", **launch: object) -> Launch:
    """A launch of so many ``blocks`` (one on each SM) of so many ``threads`` (1,024)."""
    threads, blocks = launch.pop("threads", 1024), launch.pop("blocks", ALL_SMS)
    return Launch(label, threads, (1 << threads // 32) - 1, blocks, **launch)  # type: ignore[arg-type, operator]


def loop(
    title: str,
    body: Sequence[Instruction],
    *,
    onward: Sequence[Instruction],
    prepare: Sequence[Instruction],
    turns: int,
    launches: Sequence[Launch],
    **meta: object,
) -> Experiment:
    """The experiment that runs ``body`` so many times, timed as a whole on each SM.

    Args:
        title: of the experiment.
        body: what is timed.
        onward: what waits for the body and moves the pointers for the next turn.
        prepare: what sets the pointers.
        turns: how often.
        launches, meta: as the experiment's.
    """
    region = [
        constant(TURNS, turns),
        op("CS2R.GT", BEGUN, stall=SAFE),
        clock(START, stall=SAFE),
        body[0].having(label="turn"),
        *body[1:],
        op("IADD3.IMM", TURNS, TURNS, -1, RZ, stall=SAFE),
        op("ISETP", 0, TURNS, RZ, stall=SAFE),
        *onward,
        op("BRA", "turn", guard=0, stall=5),
        clock(END, stall=SAFE),
        op("CS2R.GT", ENDED, stall=SAFE),
    ]
    return Experiment(title, region, RECORDS, prepare, launches, iterations=1, sync=True, kind="chip", meta=meta)


def repeated(label: str, turns: int, body: Sequence[Instruction]) -> list[Instruction]:
    """The body so many times over; ``label`` is its place."""
    return [
        constant(TURNS, turns),
        op("NOP", label=label, stall=SAFE),
        *body,
        op("IADD3.IMM", TURNS, TURNS, -1, RZ, stall=SAFE),
        op("ISETP", 0, TURNS, RZ, stall=SAFE),
        op("BRA", label, guard=0, stall=5),
    ]
