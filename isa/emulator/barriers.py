"""Block barriers 0 to 15 of the blocks of a batch: who has arrived, and what BAR.RED found."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.compiled import compiled
from isa.emulator.lanes import U32, Bools

NUM_BARRIERS = 16
SYNC = 0
_OPERATIONS = {"SYNC": SYNC, "POPC": 1, "AND": 2, "OR": 3}
_NAMES = {number: name for name, number in _OPERATIONS.items()}
EXPECTED, OPERATION = range(2)


@compiled("boolean(int64, uint32[:,::1], int64[:,::1], uint32[::1], int64, int64, uint32[:,::1])")
def pass_at_once(  # noqa: PLR0917
    barrier: int, arrived: Any, uses: Any, alive: Any, warps_per_block: int, first: int, row_bits: Any
) -> bool:
    """Let a group pass a barrier without a count if it is all that is left of its blocks; returns whether it does.

    Nobody waits there before or after that, so that it leaves no more than how the barrier was used last.

    Args:
        barrier: its number.
        arrived, uses: the barriers' state, as ``BlockBarriers`` keeps it.
        alive: the lanes of the batch's warps that have not exited, uint32 (warps,).
        warps_per_block: warps of a block.
        first: the first warp of the group's view.
        row_bits: the lanes of the group in each warp of the view, uint32 (n, 1).
    """
    if uses[barrier, EXPECTED]:
        return False
    looked_at = -1
    for row in range(row_bits.shape[0]):
        block = (first + row) // warps_per_block
        if row_bits[row, 0] == 0 or block == looked_at:
            continue
        looked_at = block
        for warp in range(block * warps_per_block, (block + 1) * warps_per_block):
            here = row_bits[warp - first, 0] if first <= warp < first + row_bits.shape[0] else 0
            if alive[warp] != here or arrived[barrier, warp]:
                return False
    uses[barrier, OPERATION] = SYNC
    return True


def recorded_key(key: Any, warps_per_block: Any) -> Any:
    """What the trace keeps of a barrier, number | expected warps << 16: all of the block's where it has no count."""
    return key | (key >> np.uint64(16) == 0) * np.uint64(warps_per_block << 16)


class BlockBarriers:
    """The barriers of all blocks of a batch.

    Threads are counted, not warps: a barrier is complete when every thread of its block that has not exited has
    arrived, or, for a barrier with a count, when all threads of so many warps have.

    Attributes:
        arrived: the lanes that wait at each barrier, or have said that they will come no more, uint32 (16, warps).
        uses: warps that the barrier waited for last, 0 for all, and what it was for, int64 (16, 2).
        result: of the last BAR.RED in each warp's block, uint32 (warps, 1).
    """

    def __init__(self, blocks: int, warps_per_block: int, alive: U32) -> None:
        """Make barriers; ``alive``, uint32 (warps,), are the lanes that have not exited, kept up by the caller."""
        self._shape = (blocks, warps_per_block)
        self._alive = alive
        self.arrived: U32 = np.zeros((NUM_BARRIERS, len(alive)), np.uint32)
        self._votes: U32 = np.zeros((NUM_BARRIERS, len(alive)), np.uint32)
        self.uses: NDArray[np.int64] = np.zeros((NUM_BARRIERS, 2), np.int64)
        self.result: U32 = np.zeros((len(alive), 1), np.uint32)

    def arrive(  # noqa: PLR0917
        self, barrier: int, expected: int, operation: str, warps: NDArray[np.intp], bits: U32, votes: U32 | None
    ) -> None:
        """Lanes ``bits`` of ``warps`` arrive; ``votes`` are those whose predicate is true. See ``Batch.arrive``."""
        self.uses[barrier, EXPECTED] = expected
        if operation != "ARV":
            self.uses[barrier, OPERATION] = _OPERATIONS[operation]
        self.arrived[barrier, warps] |= bits
        if votes is not None:
            self._votes[barrier, warps] |= bits & ~votes if operation == "AND" else votes

    def pass_at_once(self, barrier: int, first: int, row_bits: U32) -> bool:
        """See the function of that name."""
        return pass_at_once(barrier, self.arrived, self.uses, self._alive, self._shape[1], first, row_bits)

    def in_use(self) -> list[int]:
        """Barriers at which someone has arrived."""
        return [int(barrier) for barrier in np.flatnonzero(self.arrived.any(axis=1))]

    def complete(self, barrier: int) -> Bools:
        """Blocks, (blocks,), in which everyone who takes part has arrived."""
        arrived = self.arrived[barrier].reshape(self._shape)
        missing = self._alive.reshape(self._shape) & ~arrived
        expected = self.uses[barrier, EXPECTED]
        if expected:
            enough: Bools = ((arrived != 0) & (missing == 0)).sum(axis=1) >= expected
            return enough
        everyone: Bools = ~missing.any(axis=1) & arrived.any(axis=1)
        return everyone

    def reset(self, barrier: int, complete: Bools) -> NDArray[np.intp]:
        """Begin anew in the blocks where the barrier is ``complete``, leave their result, and return their warps."""
        rows = np.flatnonzero(np.repeat(complete, self._shape[1]))
        operation = self.uses[barrier, OPERATION]
        if operation != SYNC:
            counts = np.bitwise_count(self._votes[barrier]).reshape(self._shape).sum(axis=1, dtype=np.uint32)
            results = {"POPC": counts, "AND": counts == 0, "OR": counts != 0}[_NAMES[operation]]
            self.result[rows, 0] = np.repeat(results, self._shape[1])[rows]
            self._votes[barrier, rows] = 0
        self.arrived[barrier, rows] = 0
        return rows
