"""The shape of a kernel launch."""

from dataclasses import dataclass

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class LaunchShape:
    """Grid and block, each (x, y, z), and the dynamic shared memory per block in bytes."""

    grid: Dim3
    block: Dim3
    dynamic_shared_bytes: int = 0

    @property
    def num_blocks(self) -> int:
        """Blocks in the grid."""
        x, y, z = self.grid
        return x * y * z

    @property
    def threads_per_block(self) -> int:
        """Threads in a block."""
        x, y, z = self.block
        return x * y * z

    @property
    def warps_per_block(self) -> int:
        """Warps in a block, the last one possibly partial."""
        return -(-self.threads_per_block // 32)
