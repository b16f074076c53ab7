"""Probes: short pieces of code, many in one program, each between two clock reads and behind a block barrier."""

from collections.abc import Iterable, Iterator, Sequence

from ..program import SAFE, Experiment, Launch, clock
from ..sass import Instruction, op

PER_PROGRAM = 32
LEAD = 4  # cycles between the first clock read and the piece
REGISTERS = 136
_CLOCKS = range(64, 64 + 2 * PER_PROGRAM)
# What a probe may leave to be waited for: its last instruction's barrier.
LAST = 5

Probe = tuple[str, list[Instruction]]


def probes(
    name: str, pieces: Iterable[Probe], prepare: list[Instruction], launches: Sequence[Launch], setup_name: str = ""
) -> Iterator[Experiment]:
    """Yield programs that time the pieces, each from `LEAD` cycles before its first instruction until barrier `LAST`.

    The records are the two clocks of each probe, in order; their names stand in the programs' ``meta``.
    """
    pieces = list(pieces)
    for first in range(0, len(pieces), PER_PROGRAM):
        chosen = pieces[first : first + PER_PROGRAM]
        region: list[Instruction] = []
        for i, (_, piece) in enumerate(chosen):
            region += [*together(f"probe{i}"), clock(_CLOCKS[2 * i], stall=LEAD), *piece]
            region.append(clock(_CLOCKS[2 * i + 1], stall=SAFE, wait=1 << LAST))
        label = f"{name}{setup_name}" if len(pieces) <= PER_PROGRAM else f"{name}{setup_name} from {first}"
        yield Experiment(
            label,
            [*region, op("NOP", wait=0x3F, stall=SAFE)],
            _CLOCKS[: 2 * len(chosen)],
            prepare,
            launches,
            registers=REGISTERS,
            kind="timeline",
            iterations=3,
            meta={"probes": [label for label, _ in chosen]},
        )


def together(label: str) -> list[Instruction]:
    """Let all warps of the block go on in the same cycle, with nothing left in flight."""
    return [
        op("NOP", wait=0x3F, stall=SAFE),
        op("BAR.SYNC", stall=8),
        op("BRA", label, stall=5),
        op("NOP", stall=SAFE, label=label),
        op("NOP", stall=SAFE),
    ]
