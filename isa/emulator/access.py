"""Loops over lanes that touch memory: address translation, loads, stores.

All memory of a batch is one array of bytes: the device's allocations first, then the shared memory of each block, then
the local memory of each thread. Translation turns an address into an offset in that array or finds the first lane that
may not touch what it asks for. Lanes are visited in ascending order, warp by warp, so that of two stores to one address
the one of the highest lane stays: CUDA leaves the choice open, and a fixed one keeps runs repeatable.
"""

from typing import Any

import numba
import numpy as np

from isa.compiled import compiled

GLOBAL, SHARED, LOCAL, GENERIC = 0, 1, 2, 9

OK, MISALIGNED, OUT_OF_BOUNDS = 0, 1, 2

# Generic windows: any addresses that no allocation uses will do; code reads them from SR_SWINHI and constant bank 0.
SHARED_WINDOW = 0x7FFD_0000_0000
LOCAL_WINDOW = 0x7FFE_0000_0000
WINDOW_BYTES = 1 << 32

# The stack pointer starts here and grows down (the value that sm_90 kernels are started with).
STACK_TOP = 0x00FFFDC0
LOCAL_END = 0x01000000

_MASK, _WHERE, _ROWS = "boolean[:,::1]", "int64[:,::1]", "uint32[:,::1]"


class Scratch:
    """Room for what ``touch`` finds out about an access of n warps.

    Attributes:
        address: the lanes' addresses, uint64 (n, 32).
        where: their byte offsets in the array of all memory, int64 (n, 32).
        found: which of GLOBAL, SHARED and LOCAL a generic access fell into, uint8 (3,).
    """

    __slots__ = ("address", "found", "where")

    def __init__(self, warps: int) -> None:
        self.address = np.zeros((warps, 32), np.uint64)
        self.where = np.zeros((warps, 32), np.int64)
        self.found = np.zeros(3, np.uint8)


@compiled(f"void({_ROWS}, {_ROWS}, {_ROWS}, {_ROWS}, uint64, int64, uint64, uint64[:,::1])")
def add_up(  # noqa: PLR0917
    low: Any, high: Any, uniform_low: Any, uniform_high: Any, offset: int, shift: int, limit: int, address: Any
) -> None:
    """Fill ``address``, uint64 (n, 32): (register << shift) + uniform register + offset, cut to the bits of ``limit``.

    The registers are uint32 (n, 32), the uniform ones (n, 1).
    """
    for row in range(address.shape[0]):
        uniform = np.uint64(uniform_high[row, 0]) << np.uint64(32) | np.uint64(uniform_low[row, 0])
        for lane in range(32):
            register = np.uint64(high[row, lane]) << np.uint64(32) | np.uint64(low[row, lane])
            address[row, lane] = ((register << np.uint64(shift)) + uniform + offset) & limit


@numba.njit
def _translate_alike(  # noqa: PLR0917
    address: Any, mask: Any, width: int, space: int, tables: Any, geometry: Any, first: int, where: Any
) -> bool:
    """``translate`` where all lanes of a warp fall into one allocation, or into shared memory; whether they all do.

    Lane by lane nothing depends on what was found before, so that a processor does several at once.
    """
    entry = 0
    for row in range(address.shape[0]):
        start, end, offset = np.uint64(0), np.uint64(geometry[1]), geometry[0]
        if space == SHARED:
            offset += (first + row) // geometry[2] * geometry[1]
        else:
            lowest = 0
            while lowest < 31 and not mask[row, lowest]:
                lowest += 1
            target = address[row, lowest]
            if not (tables[0, entry] <= target < tables[1, entry]):
                entry = max(0, np.searchsorted(tables[0], target, side="right") - 1)
            start, end, offset = tables[0, entry], tables[1, entry], np.int64(tables[2, entry])
        size = end - start
        if size < np.uint64(width):
            return False
        beyond = size - np.uint64(width)
        wrong = False
        for lane in range(32):
            inside = address[row, lane] - start
            wrong |= mask[row, lane] & ((inside > beyond) | ((address[row, lane] & np.uint64(width - 1)) != 0))
            where[row, lane] = (np.int64(inside) + offset) * mask[row, lane]
        if wrong:
            return False
    return True


@compiled(f"int64(uint64[:,::1], {_MASK}, int64, int64, uint64[:,::1], int64[::1], int64, {_WHERE}, uint8[::1])")
def translate(  # noqa: PLR0917
    address: Any, mask: Any, width: int, space: int, tables: Any, geometry: Any, first: int, where: Any, found: Any
) -> int:
    """Fill ``where`` with byte offsets; returns -1, or ``code << 32 | lane`` of the first lane that is at fault.

    Args:
        address: uint64 (n, 32).
        mask: bool (n, 32).
        width: bytes per lane, a power of two.
        space: GLOBAL, SHARED, LOCAL or GENERIC.
        tables: uint64 (3, allocations): start, end, offset; ascending starts.
        geometry: int64: shared offset, shared bytes per block, warps per block, local offset, local bytes per thread.
        first: the first warp of the group within its batch.
        where: int64 (n, 32), written.
        found: uint8 (3,): which of GLOBAL, SHARED, LOCAL were touched, written.
    """
    is_simple = space in (GLOBAL, SHARED)
    if is_simple and _translate_alike(address, mask, width, space, tables, geometry, first, where):
        found[:] = 0
        found[space] = 1
        return -1
    shared_offset, shared_bytes, warps_per_block = geometry[0], geometry[1], geometry[2]
    local_offset, local_bytes = geometry[3], geometry[4]
    starts, ends, offsets = tables[0], tables[1], tables[2]
    found[:] = 0
    entry = 0
    for row in range(address.shape[0]):
        warp = first + row
        for lane in range(32):
            if not mask[row, lane]:
                where[row, lane] = 0
                continue
            target = address[row, lane]
            kind = space
            if kind == GENERIC:
                window = target >> np.uint64(32)
                if window == np.uint64(SHARED_WINDOW >> 32):
                    kind = SHARED
                elif window == np.uint64(LOCAL_WINDOW >> 32):
                    kind = LOCAL
                else:
                    kind = GLOBAL
            found[kind] = 1
            if target & np.uint64(width - 1):
                return MISALIGNED << 32 | row * 32 + lane
            if kind == GLOBAL:
                if not (starts[entry] <= target < ends[entry]):
                    entry = np.searchsorted(starts, target, side="right") - 1
                    if entry < 0:
                        return OUT_OF_BOUNDS << 32 | row * 32 + lane
                if target + np.uint64(width) > ends[entry]:
                    return OUT_OF_BOUNDS << 32 | row * 32 + lane
                where[row, lane] = np.int64(target - starts[entry] + offsets[entry])
            else:
                offset = np.int64(target & np.uint64(0xFFFFFFFF))
                if kind == SHARED:
                    if offset + width > shared_bytes:
                        return OUT_OF_BOUNDS << 32 | row * 32 + lane
                    where[row, lane] = shared_offset + (warp // warps_per_block) * shared_bytes + offset
                else:
                    offset -= LOCAL_END - local_bytes
                    if offset < 0 or offset + width > local_bytes:
                        return OUT_OF_BOUNDS << 32 | row * 32 + lane
                    where[row, lane] = local_offset + (warp * 32 + lane) * local_bytes + offset
    return -1


@compiled("int64(int64, uint8[::1])")
def recorded_space(space: int, found: Any) -> int:
    """The space as which an access is recorded: of a generic one the one that it ``found``, GLOBAL if several."""
    if space != GENERIC:
        return space
    if found[GLOBAL] or found[SHARED] == found[LOCAL]:
        return GLOBAL
    return SHARED if found[SHARED] else LOCAL


@compiled(f"void({_ROWS}, {_MASK})")
def meet(convergence: Any, mask: Any) -> None:
    """Write the lanes ``mask``, (n, 32), of each warp to the places in ``convergence``, uint32 (n, 32), of these."""
    for row in range(mask.shape[0]):
        word = np.uint32(0)
        for lane in range(32):
            word |= np.uint32(mask[row, lane]) << np.uint32(lane)
        for lane in range(32):
            if mask[row, lane]:
                convergence[row, lane] = word


@compiled(f"void(uint32[::1], {_WHERE}, {_MASK}, uint32[:,:,:])")
def load_words(words: Any, where: Any, mask: Any, out: Any) -> None:
    """Load ``out.shape[0]`` consecutive 32-bit words per lane into ``out``, uint32 (words, n, 32), under the mask."""
    for row in range(where.shape[0]):
        for lane in range(32):
            if mask[row, lane]:
                index = where[row, lane] >> 2
                out[0, row, lane] = words[index]
                for word in range(1, out.shape[0]):
                    out[word, row, lane] = words[index + word]


@compiled(f"void(uint8[::1], {_WHERE}, {_MASK}, int64, boolean, {_ROWS})")
def load_narrow(  # noqa: PLR0917
    memory: Any, where: Any, mask: Any, width: int, signed: bool, out: Any
) -> None:
    """Load 1 or 2 bytes per lane, extended to 32 bits, into ``out``, uint32 (n, 32), under the mask."""
    for row in range(where.shape[0]):
        for lane in range(32):
            if mask[row, lane]:
                index = where[row, lane]
                value = np.uint32(memory[index])
                if width == 2:
                    value |= np.uint32(memory[index + 1]) << np.uint32(8)
                if signed and value >> np.uint32(8 * width - 1):
                    value |= np.uint32(0xFFFFFFFF) << np.uint32(8 * width)
                out[row, lane] = value


@compiled(f"void(uint32[::1], {_WHERE}, {_MASK}, uint32[:,:,:])")
def store_words(words: Any, where: Any, mask: Any, values: Any) -> None:
    """Store ``values``, uint32 (words, n, 32), under the mask."""
    for row in range(where.shape[0]):
        for lane in range(32):
            if mask[row, lane]:
                index = where[row, lane] >> 2
                for word in range(values.shape[0]):
                    words[index + word] = values[word, row, lane]


@compiled(f"void(uint8[::1], {_WHERE}, {_MASK}, int64, {_ROWS})")
def store_narrow(memory: Any, where: Any, mask: Any, width: int, values: Any) -> None:
    """Store the low 1 or 2 bytes of ``values``, uint32 (n, 32), under the mask."""
    for row in range(where.shape[0]):
        for lane in range(32):
            if mask[row, lane]:
                index = where[row, lane]
                memory[index] = values[row, lane] & np.uint32(0xFF)
                if width == 2:
                    memory[index + 1] = (values[row, lane] >> np.uint32(8)) & np.uint32(0xFF)
