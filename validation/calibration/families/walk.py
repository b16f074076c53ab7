"""A warp that walks through global memory line by line, again and again: where a cache ends."""

from ..program import DATA, SAFE, Experiment, Launch, clock
from ..sass import Instruction, op
from .operations import GLOBAL, setup

START, END = 8, 9
LINE_BYTES = 128


def timed_turns(loads: list[Instruction], turns: int, step: int, begin: Instruction) -> list[Instruction]:
    """Clock reads around so many turns of loads, `step` bytes on after each; `begin` waits for the first address."""
    return [
        op("MOV.IMM", 60, turns, stall=SAFE),
        op("LDC.64", GLOBAL, DATA, write=0, stall=SAFE),
        begin,
        clock(START, stall=4),
        *[loads[0].having(label="walk"), *loads[1:]],
        op("IADD3.IMM", 60, 60, -1, 255, stall=SAFE),
        op("ISETP", 0, 60, 255, stall=SAFE),
        op("IMAD.WIDE.U32.IMM", GLOBAL, 14, step, GLOBAL, stall=SAFE, wait=1),
        op("BRA", "walk", guard=0, stall=5),
        clock(END, stall=4),
    ]


def walk(name: str, kilobytes: int, lines: int, launches: tuple[Launch, ...]) -> Experiment:
    """Return the experiment that times the last of some walks over so many KB, 32 lanes x 4 bytes, `lines` a turn."""
    turns = kilobytes * 1024 // (lines * LINE_BYTES)
    loads = [op("LDG.32", 10 + i % 4, 4, GLOBAL, LINE_BYTES * i, stall=2) for i in range(lines)]
    loads[-1] = loads[-1].having(write=0)
    lane = op("IMAD.WIDE.U32.IMM", GLOBAL, 53, 4, GLOBAL, wait=1, stall=SAFE)
    region = timed_turns(loads, turns, LINE_BYTES * lines, lane)
    one = op("MOV.IMM", 14, 1, stall=SAFE)
    meta: dict[str, object] = {"count": turns * lines}
    return Experiment(name, region, [START, END], [*setup(), one], launches, iterations=3, meta=meta)
