"""Lines of one set of L1: how many stay, and which is given up for another.

A probe is one load of a line: about 35 cycles where L1 holds it, 270 and more where it does not. A row of probes is the
history of the set, hit by hit and miss by miss.
"""

from collections.abc import Iterator, Sequence
from random import Random

from smsim.rules.tags import SET_MASKS

from ..program import SAFE, Experiment
from ..sass import Instruction, op
from .operations import GLOBAL, setup
from .stopwatch import REGISTERS, RESULTS, stopwatch

LINE_BYTES = 128
LINES = 1 << 14  # among which lines of a set are looked for
COUNTS = (2, 3, 4, 5, 6, 8)
ROWS = 12
PROBES = 40


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    same = lines_of_set(ROWS + 4)
    for count in COUNTS:
        offsets = [LINE_BYTES * line for line in same[:count]]
        yield _probes(f"{count} lines of a set, again", [*offsets, *offsets], offsets)
    for row in range(ROWS):
        draw = Random(row)
        lines = draw.sample(same, 5 + row % 4)
        yield _probes(
            f"row {row} of {len(lines)} lines of a set", [], [LINE_BYTES * draw.choice(lines) for _ in range(PROBES)]
        )
    other = list(range(1, LINES, 509))[:24]
    yield _probes(
        "24 lines of other sets, again",
        [LINE_BYTES * line for line in other] * 2,
        [LINE_BYTES * line for line in other],
    )


def lines_of_set(count: int) -> list[int]:
    """So many lines of the set of line 0, the lowest."""
    lines = (line for line in range(LINES) if not any((line & mask).bit_count() % 2 for mask in SET_MASKS))
    return [line for _, line in zip(range(count), lines, strict=False)]


def _load(offset: int) -> Instruction:
    return op("LDG.32", 40, 4, GLOBAL, offset, write=0, stall=2)


def _probes(name: str, touched: Sequence[int], probed: Sequence[int]) -> Experiment:
    """Empty L1, touch lines one after the other, then time a load of each probed line; the records are those times."""
    region = [op("CCTL.IVALL", stall=SAFE), *[op("NOP", wait=0x3F, stall=SAFE)] * 8]
    region += [_load(offset).having(wait=1) for offset in touched]
    region.append(op("NOP", wait=1, stall=SAFE))
    for register, offset in zip(RESULTS, probed, strict=False):
        region += stopwatch(register, [_load(offset)], wait=1)
    return Experiment(
        f"tags/{name}",
        region,
        RESULTS[: len(probed)],
        setup(lane_stride=0),
        registers=REGISTERS,
        iterations=2,
        kind="cycles",
    )
