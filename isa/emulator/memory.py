"""Device memory: allocations with addresses of their own, and the shared and local memory of a batch of blocks."""

import bisect
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access
from isa.emulator.lanes import WARP_SIZE
from isa.program import RESERVED_SHARED_BYTES
from isa.trace.model import PLACE_BITS

# Seen on the H100: arrays from cudaMalloc that are smaller than a page lie behind each other in one, 512 bytes aligned.
ALIGNMENT = 512
PAGE_BYTES = 2 << 20
FIRST_ADDRESS = 0x7F00_0000_0000
FIRST_IMAGE = 0x7E00_0000_0000


@dataclass(frozen=True, slots=True)
class Allocation:
    """A range of device addresses that a kernel may touch; ``offset`` is its place in the byte array."""

    name: str
    address: int
    size: int
    offset: int

    def describe(self, address: int) -> str:
        """Where ``address`` lies, seen from this allocation."""
        place = f"{self.name} ({self.size} bytes at {self.address:#x})"
        if address < self.address:
            return f"{self.address - address} bytes before {place}"
        if address >= self.address + self.size:
            return f"{address - self.address - self.size} bytes past the end of {place}"
        return f"at byte {address - self.address} of {place}"


def _align(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment


class Memory:
    """All memory that a launch can touch, in one array of bytes.

    Allocate first, then ``reserve`` room for a batch; from then on ``bytes``, ``words``, ``tables`` and ``geometry``
    are valid (see ``isa.emulator.access`` for their layout).
    """

    def __init__(self) -> None:
        self.allocations: list[Allocation] = []
        self._contents: list[tuple[int, NDArray[np.uint8]]] = []
        self._begun = self._page_end = FIRST_ADDRESS  # where a small array may begin, and the end of its page
        self._next_page = FIRST_ADDRESS
        self._global_bytes = 0
        self.bytes: NDArray[np.uint8] = np.zeros(0, np.uint8)
        self.words: NDArray[np.uint32] = self.bytes.view(np.uint32)
        self.tables: NDArray[np.uint64] = np.zeros((3, 0), np.uint64)
        self.geometry: NDArray[np.int64] = np.zeros(5, np.int64)

    def allocate(self, name: str, contents: NDArray[np.uint8]) -> Allocation:
        """Place a copy of ``contents``, uint8 (bytes,): in the page that is begun, where it fits, else in new ones."""
        first = self._begun
        if first + contents.size > self._page_end:
            first = self._next_page
            self._next_page += _align(contents.size, PAGE_BYTES)
        if contents.size < PAGE_BYTES:
            self._begun = _align(first + contents.size, ALIGNMENT)
            self._page_end = _align(first + 1, PAGE_BYTES)
        # Bits that no place has keep allocations apart, so that running past the end does not land in a neighbour.
        return self._add(name, len(self.allocations) << PLACE_BITS | first, contents)

    def allocate_image(self, parts: list[tuple[str, int, NDArray[np.uint8]]]) -> int:
        """Place parts (name, offset, contents) at their offsets from one address, apart from arrays; returns it."""
        for name, offset, contents in parts:
            self._add(name, FIRST_IMAGE + offset, contents)
        return FIRST_IMAGE

    def _add(self, name: str, address: int, contents: NDArray[np.uint8]) -> Allocation:
        allocation = Allocation(name, address, contents.size, self._global_bytes)
        bisect.insort(self.allocations, allocation, key=lambda other: other.address)
        self._contents.append((allocation.offset, contents))
        self._global_bytes = _align(self._global_bytes + contents.size, 16)
        return allocation

    def reserve(self, blocks: int, warps_per_block: int, shared_bytes: int, local_bytes: int) -> None:
        """Make room for the shared memory of ``blocks`` blocks and the local memory of their threads."""
        shared = _align(shared_bytes, 16)
        local = _align(local_bytes, 16)
        shared_offset = self._global_bytes
        local_offset = shared_offset + blocks * shared
        threads = blocks * warps_per_block * WARP_SIZE
        self.words = np.zeros((local_offset + threads * local) // 16 * 4 + 4, np.uint32)
        self.bytes = self.words.view(np.uint8)
        self.geometry = np.array([shared_offset, shared, warps_per_block, local_offset, local], np.int64)
        for offset, contents in self._contents:
            self.bytes[offset : offset + contents.size] = contents
        self._contents.clear()
        rows = [(a.address, a.address + a.size, a.offset) for a in self.allocations] or [(2**64 - 1, 2**64 - 1, 0)]
        self.tables = np.ascontiguousarray(np.array(rows, np.uint64).T)

    def clear_block_memory(self) -> None:
        """Zero shared and local memory, for the next batch."""
        self.bytes[self._global_bytes :] = 0

    def contents(self, allocation: Allocation) -> NDArray[np.uint8]:
        """The bytes of an allocation, a view."""
        return self.bytes[allocation.offset : allocation.offset + allocation.size]

    def read(self, address: int, size: int) -> bytes | None:
        """Up to ``size`` bytes of device memory at ``address``; ``None`` when no allocation holds it."""
        for allocation in self.allocations:
            if allocation.address <= address < allocation.address + allocation.size:
                start = address - allocation.address
                return self.contents(allocation)[start : start + size].tobytes()
        return None

    def nearest(self, address: int) -> Allocation | None:
        """The allocation whose range is closest to a device address."""

        def distance(allocation: Allocation) -> int:
            return max(allocation.address - address, address - allocation.address - allocation.size + 1, 0)

        return min(self.allocations, key=distance, default=None)

    def where_is(self, address: int, space: int) -> str:
        """A sentence about an address that may not be touched: its space and what lies nearest."""
        window = address >> 32
        if space == access.SHARED or (space == access.GENERIC and window == access.SHARED_WINDOW >> 32):
            size = int(self.geometry[1]) - RESERVED_SHARED_BYTES
            offset = (address & 0xFFFFFFFF) - RESERVED_SHARED_BYTES
            return f"byte {offset} of the block's {size} bytes of shared memory"
        if space == access.LOCAL or (space == access.GENERIC and window == access.LOCAL_WINDOW >> 32):
            return f"local address {address & 0xFFFFFFFF:#x} of a thread that has {self.geometry[4]} bytes"
        nearest = self.nearest(address)
        return nearest.describe(address) if nearest else "the launch has no device memory"
