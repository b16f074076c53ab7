"""A group of neighbouring warps that stand at the same instruction, as semantics see it.

Registers are kept as uint32 [register][warp][lane], so that a group reads as a view of shape (n, 32) without copying.
Warps between the first and the last that stand elsewhere are part of the view and masked out: semantics compute on
them and nothing is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access, faults
from isa.emulator.access import Scratch
from isa.instruction import Instruction
from isa.operand import PT, RZ, URZ
from isa.trace.model import Space

if TYPE_CHECKING:
    from isa.emulator.batch import Batch

WARP_SIZE = 32

# The clock that kernels read goes on by so many for each instruction.
CYCLES_PER_INSTRUCTION = 4

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
Bools = NDArray[np.bool_]
Where = NDArray[np.int64]


class RegisterFiles:
    """The registers of the warps of a batch; the always-zero and always-true ones are rows that nothing writes.

    Attributes:
        general: uint32 (256, warps, 32).
        predicate: bool (8, warps, 32).
        uniform: uint32 (64, warps, 1).
        uniform_predicate: bool (8, warps, 1).
    """

    __slots__ = ("general", "predicate", "uniform", "uniform_predicate")

    def __init__(self, warps: int) -> None:
        self.general: U32 = np.zeros((RZ + 1, warps, WARP_SIZE), np.uint32)
        self.predicate: Bools = np.zeros((PT + 1, warps, WARP_SIZE), np.bool_)
        self.predicate[PT] = True
        self.uniform: U32 = np.zeros((URZ + 1, warps, 1), np.uint32)
        self.uniform_predicate: Bools = np.zeros((PT + 1, warps, 1), np.bool_)
        self.uniform_predicate[PT] = True

    def clear(self, registers: int) -> None:
        """Zero everything, of the general registers the first ``registers``, for the next batch."""
        self.general[:registers] = 0
        self.uniform[...] = 0
        self.predicate[:PT] = False
        self.uniform_predicate[:PT] = False


class Lanes:
    """Warps ``first`` to ``last`` (exclusive) of a batch, n of them, under a mask.

    Attributes:
        mask: bool (n, 32), the lanes that execute; ``None`` when all do.
        batch: the batch whose warps these are.
        first, last: warp indices within the batch.
        start: index of the first instruction of the straight run being executed.
        clock: cycle count at the first instruction of the run.
        scratch: room for the memory access being executed.
        skipped: instructions whose guard was false in every lane of a warp: (index, rows bool (n,), or None for all).
    """

    __slots__ = (
        "_general",
        "_predicate",
        "_uniform",
        "_uniform_predicate",
        "batch",
        "clock",
        "first",
        "last",
        "mask",
        "scratch",
        "skipped",
        "start",
    )

    def __init__(self, batch: Batch, files: RegisterFiles, first: int, last: int) -> None:
        self.batch = batch
        self.first = first
        self.last = last
        self.mask: Bools | None = None
        self.scratch = Scratch(last - first)
        self.start = 0
        self.clock = 0
        self.skipped: list[tuple[int, Any]] = []
        self._general = files.general[:, first:last]
        self._predicate = files.predicate[:, first:last]
        self._uniform = files.uniform[:, first:last]
        self._uniform_predicate = files.uniform_predicate[:, first:last]

    @property
    def count(self) -> int:
        """Warps in the view, masked-out ones included."""
        return self.last - self.first

    def active(self) -> Bools:
        """The mask as an array (n, 32) that must not be modified."""
        return self._predicate[PT] if self.mask is None else self.mask

    def register(self, index: int) -> U32:
        """A register, (n, 32); a view that must not be modified. RZ reads zeros."""
        values: U32 = self._general[index]
        return values

    def set_register(self, index: int, values: U32) -> None:
        """Write ``values``, uint32 broadcastable to (n, 32), under the mask. Writing RZ does nothing."""
        if index == RZ:
            return
        if self.mask is None:
            self._general[index] = values
        else:
            np.copyto(self._general[index], values, where=self.mask)

    def registers(self, index: int, count: int) -> U32:
        """``count`` registers from ``index`` on, (count, n, 32), a view that memory instructions read and write.

        For RZ it is an array of zeros of its own.
        """
        if index == RZ:
            return np.zeros((count, self.last - self.first, WARP_SIZE), np.uint32)
        values: U32 = self._general[index : index + count]
        return values

    def register64(self, index: int) -> U64:
        """The register pair ``index`` (low) and ``index + 1`` as uint64 (n, 32), a new array; RZ reads zeros."""
        pair = np.empty((self.last - self.first, WARP_SIZE, 2), np.uint32)
        pair[..., 0] = self._general[index]
        pair[..., 1] = self._general[index + 1 if index != RZ else RZ]
        words: U64 = pair.view(np.uint64)[..., 0]
        return words

    def set_register64(self, index: int, values: U64) -> None:
        """Write uint64 ``values`` broadcastable to (n, 32) to the pair ``index`` (low) and ``index + 1``."""
        if index == RZ:
            return
        words = np.ascontiguousarray(values).view(np.uint32)
        self.set_register(index, words[..., 0::2])
        self.set_register(index + 1, words[..., 1::2])

    def predicate(self, index: int) -> Bools:
        """A predicate, (n, 32); a view that must not be modified. PT reads true."""
        values: Bools = self._predicate[index]
        return values

    def set_predicate(self, index: int, values: Bools) -> None:
        """Write ``values``, bool broadcastable to (n, 32), under the mask. Writing PT does nothing."""
        if index == PT:
            return
        if self.mask is None:
            self._predicate[index] = values
        else:
            np.copyto(self._predicate[index], values, where=self.mask)

    def uniform(self, index: int) -> U32:
        """A uniform register, (n, 1); a view that must not be modified. URZ reads zeros."""
        values: U32 = self._uniform[index]
        return values

    def set_uniform(self, index: int, values: U32) -> None:
        """Write ``values``, uint32 broadcastable to (n, 1), in the warps that execute. Writing URZ does nothing."""
        if index == URZ:
            return
        if self.mask is None:
            self._uniform[index] = values
        else:
            np.copyto(self._uniform[index], values, where=self.mask.any(axis=1, keepdims=True))

    def uniform64(self, index: int) -> U64:
        """The uniform register pair ``index`` (low) and ``index + 1`` as uint64 (n, 1), a new array."""
        pair = np.empty((self.last - self.first, 1, 2), np.uint32)
        pair[..., 0] = self._uniform[index]
        pair[..., 1] = self._uniform[index + 1 if index != URZ else URZ]
        words: U64 = pair.view(np.uint64)[..., 0]
        return words

    def set_uniform64(self, index: int, values: U64) -> None:
        """Write uint64 ``values`` broadcastable to (n, 1) to the uniform pair ``index`` (low) and ``index + 1``."""
        if index == URZ:
            return
        words = np.ascontiguousarray(values).view(np.uint32)
        self.set_uniform(index, words[..., 0::2])
        self.set_uniform(index + 1, words[..., 1::2])

    def uniform_predicate(self, index: int) -> Bools:
        """A uniform predicate, (n, 1); a view that must not be modified. UPT reads true."""
        values: Bools = self._uniform_predicate[index]
        return values

    def set_uniform_predicate(self, index: int, values: Bools) -> None:
        """Write ``values``, bool broadcastable to (n, 1), in the warps that execute. Writing UPT does nothing."""
        if index == PT:
            return
        if self.mask is None:
            self._uniform_predicate[index] = values
        else:
            np.copyto(self._uniform_predicate[index], values, where=self.mask.any(axis=1, keepdims=True))

    # Memory

    def address(self, registers: tuple[int, int], uniform: tuple[int, int], offset: int, shift: int, limit: int) -> U64:
        """Add up an address in the scratch room, uint64 (n, 32), from pairs of registers as ``access.add_up`` does."""
        address = self.scratch.address
        (low, high), (uniform_low, uniform_high) = registers, uniform
        general, uniforms = self._general, self._uniform
        parts = general[low], general[high], uniforms[uniform_low], uniforms[uniform_high]
        access.add_up(*parts, offset, shift, limit, address)
        return address

    def locate(self, ins: Instruction, space: int, width: int, address: U64, record: bool = True) -> Where:
        """Check the access of the active lanes, record it, and return the byte offsets of ``address``, int64 (n, 32).

        Raises:
            KernelError: a lane's address is misaligned or outside what the kernel may touch.
        """
        memory, recorder = self.batch.memory, self.batch.recorder
        mask, scratch = self.active(), self.scratch
        where, found = scratch.where, scratch.found
        fault = access.translate(address, mask, width, space, memory.tables, memory.geometry, self.first, where, found)
        if fault >= 0:
            raise faults.access(self.batch, ins, space, width, self.first, address, fault)
        if record:
            recorder.access(self.first, Space(access.recorded_space(space, found)), width, mask, address)
        return where

    def load(self, where: Where, width: int, signed: bool, destination: int) -> None:
        """Load ``width`` bytes per active lane from byte offsets ``where`` to the registers from ``destination`` on."""
        memory, out = self.batch.memory, self.registers(destination, max(1, width // 4))
        if width >= 4:
            access.load_words(memory.words, where, self.active(), out)
        else:
            access.load_narrow(memory.bytes, where, self.active(), width, signed, out[0])

    def store(self, where: Where, width: int, source: int) -> None:
        """Store ``width`` bytes per active lane at byte offsets ``where`` from the registers from ``source`` on."""
        memory, values = self.batch.memory, self.registers(source, max(1, width // 4))
        self.batch.changes += 1
        if width >= 4:
            access.store_words(memory.words, where, self.active(), values)
        else:
            access.store_narrow(memory.bytes, where, self.active(), width, values[0])

    def meet_at(self, register: int) -> None:
        """BSSY: the active lanes of each warp will meet at BSYNC on convergence barrier ``register``."""
        access.meet(self.batch.convergence[register, self.first : self.last], self.active())
