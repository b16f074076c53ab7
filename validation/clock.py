"""clock64() differences: when each warp's two reads of the clock issue, beside what the warps wrote on the GPU.

A traced clock64() holds the emulator's value, which is not timed; the issue cycles of the two CS2R are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import eq

from isa.instruction import Instruction
from isa.program import Program
from smsim.listeners import Event, Issue
from validation.measurement import Clock64
from validation.tally import Tally

WARPS_OF_ONE_PER_SMSP = 4


@dataclass(frozen=True)
class ClockComparison:
    """Cycles between the two clock64() of each warp of the first block, in warp order.

    Attributes:
        predicted, measured: the cycles.
        one_warp_per_smsp: whether no SMSP had more than one warp.
    """

    predicted: tuple[int, ...]
    measured: tuple[int, ...]
    one_warp_per_smsp: bool

    @property
    def warps_exact(self) -> Tally:
        """How many warps agree to the last cycle."""
        return Tally(sum(map(eq, self.predicted, self.measured)), len(self.measured))

    @property
    def exact(self) -> bool:
        """Whether every warp agrees to the last cycle."""
        return self.predicted == self.measured


def clock_reads(program: Program) -> Iterator[Instruction]:
    """The instructions that read the SM's cycle counter."""
    for instruction in program.instructions:
        if instruction.opcode == "CS2R" and "SR_CLOCKLO" in instruction.text:
            yield instruction


class ClockReads:
    """A listener: the cycles in which the warps of block 0 read the clock."""

    def __init__(self, program: Program) -> None:
        self._addresses = {instruction.address for instruction in clock_reads(program)}
        self._reads: dict[int, list[int]] = {}

    def __call__(self, event: Event) -> None:
        """Note a read of the clock."""
        if isinstance(event, Issue) and event.block == 0 and event.address in self._addresses:
            self._reads.setdefault(event.warp, []).append(event.reached)

    def differences(self) -> tuple[int, ...] | None:
        """Cycles between a warp's two reads, in warp order; None unless every warp that read the clock did so twice."""
        reads = [cycles for _, cycles in sorted(self._reads.items())]
        if not reads or any(len(cycles) != 2 for cycles in reads):
            return None
        return tuple(last - first for first, last in reads)


def compare_clocks(
    predicted: Sequence[int] | None, measured: Clock64 | None, num_blocks: int
) -> ClockComparison | None:
    """Lay the differences side by side, where there are some of every warp on both sides.

    ``num_blocks`` is how many blocks the simulated SM ran.
    """
    if predicted is None or measured is None or len(predicted) != len(measured.first):
        return None
    alone = num_blocks == 1 and len(predicted) <= WARPS_OF_ONE_PER_SMSP
    return ClockComparison(tuple(predicted), measured.first, alone)
