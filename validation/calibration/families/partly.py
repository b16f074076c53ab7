"""Loads behind stores of parts of their sectors: which of the stored bytes L1 has."""

from collections.abc import Iterable, Iterator

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .burst import APART, lanes_apart
from .operations import GLOBAL
from .stopwatch import REGISTERS, RESULTS, stopwatch

# Stores (S), reductions (R) and loads (L) of the words of a thread by their numbers, loads of so many other lines (X);
# the last load is timed. ``-``: all before is waited for, and some time passes.
SEQUENCES = (
    *("L0", "L0 - L0", "L0 - L1", "S0 L0", "S0 - L0", "S0 L1", "S0 - L1", "S0 - L1 - L0", "S0 - L1 - L1", "S0 L0 L0"),
    *("S0 S1 L0", "S0 S1 L1", "S0 S1 - L0", "S0 S1 - L1", "S0 S0 L0", "S0 - S1 - L0", "S0 - S1 - L1", "S0 S2 L0"),
    *("S0 S1 S2 S3 L0", "S0 S1 S2 S3 L3", "S0 S1 S2 S3 - L0", "S0 S1 S2 S3 - L3", "S0 S0 - L0", "S0 - S0 - L0"),
    *("L0 - S0 L0", "L0 - S0 - L0", "L0 - S0 L1", "L0 - S0 S1 L0", "L0 - S0 S1 - L1", "L0 S0 L0", "L0 S0 - L0"),
    *("L0 S1 L0", "L0 S1 L1", "L1 S0 L0", "L1 S0 - L0", "S0 L0 S1 L0", "S0 L0 S1 L1", "S0 L0 S1 - L0", "S0 L0 S1 - L1"),
    *("L0 - R0 - L0", "L0 - R0 - L1", "S0 - R0 - L0", "S0 - R1 - L0", "R0 - L0", "L0 R0 L0", "L0 R1 L0", "L0 R0 - L1"),
    *("L0 - S0 - L2 - S1 - L3", "L0 - S0 - S1 - L3", "L0 - S0 - L2 - S1 - L0", "L0 L1 - S0 - L2 L3 - S1 - L3"),
    *("L0 - S0 L2 - S1 - L3", "L0 - S0 - L2 S1 - L3"),
    *("S0 - L1 - S0 - L0", "S0 - L1 - S1 - L0", "S0 - L1 - S1 - L1", "S0 L0 S0 L0", "S0 L1 S0 L0"),
)
STRIDES = (8, 16, 32, 128)
PAUSE = 60
OTHERS, OTHER_LINES = 65536, 8192  # where the other lines begin, bytes between them
# Two stores so many cycles, or so many stores to other lines, apart, then a load.
DISTANCES = (0, 8, 16, 24, 32, *range(48, 128, 16), *range(128, 512, 32), 512, 576, 640, 800)
STORES_BETWEEN = (0, 1, 2, 4, 8, 16, 20, 22, 24, 25, 26, 27, 28, 30, 32, 40, 48, 64)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for stride in STRIDES:
        words = stride // 4
        sequences = [one for one in SEQUENCES if all(int(step[1:]) < words for step in one.split() if step != "-")]
        region: list[Instruction] = []
        for place, sequence in enumerate(sequences):
            region += _piece(sequence, RESULTS[place], (), PAUSE)
        yield Experiment(
            f"partly/{stride} bytes a lane",
            region,
            RESULTS[: len(sequences)],
            lanes_apart(stride),
            registers=REGISTERS,
            iterations=2,
            kind="cycles",
            meta={"sequences": sequences},
        )
    for stride, group in ((8, 0), (32, 0), (128, 0), (128, 5)):
        for ends in ("S1 - L0", "S1 - L1", "S1 - L2", "S0 - L0", "S1 L0"):
            for begins in ("S0", "L0 - S0", "L0"):
                if stride == 8 and "2" in ends:
                    continue
                sequence, prepare = f"{begins} ... {ends}", lanes_apart(stride, group, 0)
                name = f"partly/{sequence}, {{}} between, {32 >> group} times {stride} bytes apart"
                pauses = [[op("NOP", stall=8)] * (cycles // 8) for cycles in DISTANCES]
                yield by_distance(name.format("cycles"), sequence, pauses, prepare, DISTANCES)
                between = [[_other(i) for i in range(count)] for count in STORES_BETWEEN]
                yield by_distance(name.format("stores"), sequence, between, prepare, STORES_BETWEEN)


def by_distance(  # noqa: PLR0917
    name: str,
    sequence: str,
    between: list[list[Instruction]],
    prepare: list[Instruction],
    distances: Iterable[int],
    waited: int = PAUSE,
) -> Experiment:
    """A program that times a sequence's last load once for each of what stands ``between``, at ``...``.

    Args:
        name: the program's.
        sequence: its steps.
        between: what stands there.
        prepare: what goes before the region.
        distances: what the recording calls each.
        waited: NOPs of the largest stall count behind making L1 empty.
    """
    region: list[Instruction] = []
    for place, pause in enumerate(between):
        region += _piece(sequence, RESULTS[place], pause, waited)
    return Experiment(
        name,
        region,
        RESULTS[: len(between)],
        prepare,
        registers=REGISTERS,
        iterations=2,
        kind="cycles",
        meta={"distances": list(distances)},
    )


def _other(number: int) -> Instruction:
    return op("STG.32", 4, GLOBAL, APART * (1 + number), 40, read=2, stall=4)


def _piece(sequence: str, register: int, pause: Iterable[Instruction], waited: int) -> list[Instruction]:
    steps = sequence.split()
    piece = [op("CCTL.IVALL", stall=SAFE), *[op("NOP", wait=0x3F, stall=SAFE)] * waited]
    for step in steps[:-1]:
        piece += pause if step == "..." else _step(step)
    timed = _step(steps[-1])[0].having(write=1)
    # No wait for what came before.
    watch = stopwatch(register, [timed], wait=1 << 1)
    return [*piece, watch[0].having(wait=0), *watch[1:], op("NOP", wait=0x3F, stall=SAFE)]


def _step(step: str) -> list[Instruction]:
    """A step of a sequence, nothing waited for; ``-`` waits for all before."""
    if step == "-":
        return [op("NOP", wait=0x3F, stall=SAFE), *[op("NOP", stall=SAFE)] * PAUSE]
    if step[0] == "X":
        lines = range(OTHERS, OTHERS + int(step[1:]) * OTHER_LINES, OTHER_LINES)
        return [op("LDG.32", 24, 4, GLOBAL, line, write=0, stall=4) for line in lines]
    offset = 4 * int(step[1:])
    if step[0] == "R":
        return [op("REDG.ADD", 4, GLOBAL, offset, 40, read=2, stall=4)]
    if step[0] == "S":
        return [op("STG.32", 4, GLOBAL, offset, 40, read=2, stall=4)]
    return [op("LDG.32", 24, 4, GLOBAL, offset, write=0, stall=4)]
