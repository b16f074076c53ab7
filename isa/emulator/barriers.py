"""Block barriers 0 to 15 of the blocks of a batch: who has arrived, and what BAR.RED found."""

import numpy as np
from numpy.typing import NDArray

from isa.emulator.lanes import U32, Bools

NUM_BARRIERS = 16
_REDUCTIONS = ("POPC", "AND", "OR")


class BlockBarriers:
    """The barriers of all blocks of a batch.

    Threads are counted, not warps: a barrier is complete when every thread of its block that has not exited has
    arrived, or, for a barrier with a count, when all threads of so many warps have.

    Attributes:
        result: of the last BAR.RED in each warp's block, uint32 (warps, 1).
    """

    def __init__(self, blocks: int, warps_per_block: int, alive: U32) -> None:
        """Make barriers; ``alive``, uint32 (warps,), are the lanes that have not exited, kept up by the caller."""
        self._shape = (blocks, warps_per_block)
        self._alive = alive
        self._arrived: U32 = np.zeros((NUM_BARRIERS, len(alive)), np.uint32)
        self._votes: U32 = np.zeros((NUM_BARRIERS, len(alive)), np.uint32)
        self._expected = [0] * NUM_BARRIERS
        self._operation = [""] * NUM_BARRIERS
        self.result: U32 = np.zeros((len(alive), 1), np.uint32)

    def arrive(  # noqa: PLR0917
        self, barrier: int, expected: int, operation: str, warps: NDArray[np.intp], bits: U32, votes: U32 | None
    ) -> None:
        """Lanes ``bits`` of ``warps`` arrive; ``votes`` are those whose predicate is true. See ``Batch.arrive``."""
        self._expected[barrier] = expected
        if operation != "ARV":
            self._operation[barrier] = operation
        self._arrived[barrier, warps] |= bits
        if votes is not None:
            self._votes[barrier, warps] |= bits & ~votes if operation == "AND" else votes

    def in_use(self) -> list[int]:
        """Barriers at which someone has arrived."""
        return [int(barrier) for barrier in np.flatnonzero(self._arrived.any(axis=1))]

    def complete(self, barrier: int) -> Bools:
        """Blocks, (blocks,), in which everyone who takes part has arrived."""
        arrived = self._arrived[barrier].reshape(self._shape)
        missing = self._alive.reshape(self._shape) & ~arrived
        expected = self._expected[barrier]
        if expected:
            enough: Bools = ((arrived != 0) & (missing == 0)).sum(axis=1) >= expected
            return enough
        everyone: Bools = ~missing.any(axis=1) & arrived.any(axis=1)
        return everyone

    def reset(self, barrier: int, complete: Bools) -> NDArray[np.intp]:
        """Begin anew in the blocks where the barrier is ``complete``, leave their result, and return their warps."""
        rows = np.flatnonzero(np.repeat(complete, self._shape[1]))
        operation = self._operation[barrier]
        if operation in _REDUCTIONS:
            counts = np.bitwise_count(self._votes[barrier]).reshape(self._shape).sum(axis=1, dtype=np.uint32)
            results = counts if operation == "POPC" else (counts == 0 if operation == "AND" else counts != 0)
            self.result[rows, 0] = np.repeat(results, self._shape[1])[rows]
            self._votes[barrier, rows] = 0
        self._arrived[barrier, rows] = 0
        return rows
