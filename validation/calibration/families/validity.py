"""Which bytes of a sector L1 has, by the time between two stores and between a load and a store."""

from collections.abc import Iterator, Sequence

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .burst import lanes_apart
from .operations import GLOBAL
from .partly import step_of
from .stopwatch import REGISTERS, RESULTS, stopwatch

# Steps as in `partly`; ``X4``: loads of four other lines. At ``...`` so many cycles pass; the last load is timed.
STORED = ("S0 ... S1 - L0", "L0 - S0 ... S1 - L3", "S0 L0 ... S1 - L0")
LOADED = ("L0 ... S0 - L1", "X4 L0 ... S0 - L1", "L0 X4 ... S0 - L1", "L0 L1 ... S0 - L1")
BEHIND_STORES = (*range(0, 40, 2), *range(40, 80, 4), *range(80, 128, 8), *range(128, 256, 32))
STEPS_BEHIND_LOADS = range(0, 96, 2)
# Bytes between lanes, of which one in 1 << group counts, and a time shortly before what a load brings is there.
LANES = ((8, 0, 210), (16, 0, 212), (32, 0, 212), (128, 0, 280), (128, 5, 206))
WAITED = 30
OTHERS, OTHER_LINES = 65536, 8192  # where they begin, bytes between them


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stride, group, back in LANES:
        lanes = f"{32 >> group} times {stride} bytes apart"
        for sequences, distances in ((STORED, BEHIND_STORES), (LOADED, [back + step for step in STEPS_BEHIND_LOADS])):
            for sequence in sequences:
                if max(int(step[1:]) for step in sequence.split() if step[0] in "LS") * 4 < stride:
                    yield _sweep(f"validity/{sequence}, {lanes}", sequence, distances, lanes_apart(stride, group, 0))


def _sweep(name: str, sequence: str, distances: Sequence[int], prepare: list[Instruction]) -> Experiment:
    region: list[Instruction] = []
    for register, cycles in zip(RESULTS, distances, strict=False):
        pause = [op("NOP", stall=8)] * (cycles // 8)
        if cycles % 8:
            pause.append(op("NOP", stall=cycles % 8))
        region += _piece(sequence.split(), register, pause)
    return Experiment(
        name,
        region,
        RESULTS[: len(distances)],
        prepare,
        registers=REGISTERS,
        iterations=2,
        kind="cycles",
        meta={"distances": list(distances)},
    )


def _piece(steps: list[str], register: int, pause: list[Instruction]) -> list[Instruction]:
    piece = [op("CCTL.IVALL", stall=SAFE), *[op("NOP", wait=0x3F, stall=SAFE)] * WAITED]
    for step in steps[:-1]:
        if step == "...":
            piece += pause
        elif step[0] == "X":
            lines = range(OTHERS, OTHERS + int(step[1:]) * OTHER_LINES, OTHER_LINES)
            piece += [op("LDG.32", 24, 4, GLOBAL, line, write=0, stall=4) for line in lines]
        else:
            piece += step_of(step)
    timed = step_of(steps[-1])[0].having(write=1)
    # No wait for what came before.
    watch = stopwatch(register, [timed], wait=1 << 1)
    return [*piece, watch[0].having(wait=0), *watch[1:], op("NOP", wait=0x3F, stall=SAFE)]
