"""What each memory access of a trace touches: cache lines, sectors and shared-memory wavefronts.

Accesses that look alike relative to their line share one class, so that a loop over an array has a handful of them.
"""

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from isa.trace.model import Space
from isa.trace.recorded import ATOMICS
from smsim.access_classes import classify
from smsim.shared_wavefronts import WORD

# An access: its class, and the cache line that the class is relative to, of constants counted from those of bank 0 on;
# a barrier's or a MATCH's base as it is. Of these there are many, so they are packed.
ACCESS = np.dtype([("kind", np.int32), ("line", np.int64)])
AT_ONCE = 1 << 20  # accesses that are worked on together
BANK_BITS = 32  # of an access's base, from which on it says the bank of constants
CONSTANT_BANK_BYTES = 1 << 16
# A thread's local memory is a stack of 1,024 bytes, CUDA's default, and 576 above it: a line of 128 bytes for each word
# of a warp. Seen on the H100: which sets of L1 have words of 32 warps (``tests/unit/smsim/test_local_memory.py``).
LINES_ABOVE_STACK = 144
STACK_LINES = 256 + LINES_ABOVE_STACK


class Accesses(NamedTuple):
    """The trace's accesses, ready for the memory rules: records of dtype ACCESS, KIND and TOUCH."""

    accesses: np.ndarray
    kinds: np.ndarray
    touches: np.ndarray


_known: WeakKeyDictionary[Trace, dict[tuple[int, int], Accesses]] = WeakKeyDictionary()


def build_accesses(trace: Trace, line_bytes: int, sector_bytes: int) -> Accesses:
    """Classify every access of the trace by shape and by alignment of its base within a line.

    It is done once for a trace; the arrays are not to be changed.
    """
    known = _known.setdefault(trace, {})
    if (line_bytes, sector_bytes) not in known:
        known[line_bytes, sector_bytes] = _build_accesses(trace, line_bytes, sector_bytes)
    return known[line_bytes, sector_bytes]


def _build_accesses(trace: Trace, line_bytes: int, sector_bytes: int) -> Accesses:
    accesses = np.zeros(len(trace.accesses), ACCESS)
    # Of classes there are few, of accesses many: they are marked, not sorted, and some at a time.
    is_used = np.zeros(len(trace.shapes) * line_bytes, np.bool_)
    parts = [slice(first, first + AT_ONCE) for first in range(0, len(accesses), AT_ONCE)]
    for part in parts:
        line, align = _place(trace, part, line_bytes)
        key = trace.accesses["shape"][part].astype(np.int64) * line_bytes + align
        is_used[key] = True
        accesses["line"][part], accesses["kind"][part] = line, key
    number = np.cumsum(is_used, dtype=np.int32) - 1
    for part in parts:
        accesses["kind"][part] = number[accesses["kind"][part]]
    shape, align = np.divmod(np.flatnonzero(is_used), line_bytes)
    atomics = any(instruction.opcode in ATOMICS for instruction in trace.program.instructions)
    kinds, touches = classify(trace.shapes[shape], align, line_bytes, sector_bytes, atomics=atomics)
    return Accesses(accesses, kinds, touches)


def constant_byte(bank: NDArray[np.int64], offset: NDArray[np.int64]) -> NDArray[np.int64]:
    """The number of a byte of constants, one bank's behind the other's; past a bank's end there is no other byte."""
    return bank * CONSTANT_BANK_BYTES + np.minimum(offset, CONSTANT_BANK_BYTES - 1)


def array_lines(trace: Trace, line_bytes: int) -> NDArray[np.int64]:
    """First line of each array in device memory and how many lines it has, shape (N, 2)."""
    first = trace.allocations[:, 0] // line_bytes
    return np.column_stack([first, -(-trace.allocations.sum(axis=1) // line_bytes) - first])


def constant_lines(accesses: Accesses) -> int:
    """The lines from the first of bank 0 to the last one that an access by index touches."""
    kinds = accesses.kinds
    is_constant = (kinds["space"] == Space.CONSTANT) & (kinds["end_touch"] > kinds["first_touch"])
    if not is_constant.any():
        return 0
    constant = accesses.accesses[is_constant[accesses.accesses["kind"]]]
    last = np.zeros(len(kinds), np.int64)
    for number in np.flatnonzero(is_constant):
        last[number] = accesses.touches["delta"][kinds["first_touch"][number] : kinds["end_touch"][number]].max()
    return int((constant["line"] + last[constant["kind"]]).max()) + 1


def local_lines(accesses: Accesses) -> int:
    """The lines from one warp's local memory to the next one's: of a stack, or of more, where accesses touch more.

    0 when none touches local memory.
    """
    kinds = accesses.kinds
    is_local = (kinds["space"] == Space.LOCAL) & (kinds["end_touch"] > kinds["first_touch"])
    if not is_local.any():
        return 0
    local = accesses.accesses[is_local[accesses.accesses["kind"]]]
    least, most = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
    for number in np.flatnonzero(is_local):
        deltas = accesses.touches["delta"][kinds["first_touch"][number] : kinds["end_touch"][number]]
        least[number], most[number] = deltas.min(), deltas.max()
    line, kind = local["line"], local["kind"]
    return max(STACK_LINES, int((line + most[kind]).max() - (line + least[kind]).min()) + 1 + LINES_ABOVE_STACK)


def _place(trace: Trace, part: slice, line_bytes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lines of some accesses and where in their lines they begin; of barriers and values the number, and 0."""
    base = trace.accesses["base"][part].astype(np.int64)
    spaces = trace.shapes["space"][trace.accesses["shape"][part]]
    # A thread's local words are interleaved by lane: one 32-bit word of all lanes fills a line of 128 bytes.
    size = np.where(spaces == Space.LOCAL, WORD, line_bytes)
    size[(spaces == Space.BARRIER) | (spaces == Space.VALUES)] = 1
    is_constant = spaces == Space.CONSTANT
    base[is_constant] = constant_byte(base[is_constant] >> BANK_BITS, base[is_constant] & (1 << BANK_BITS) - 1)
    line, align = np.divmod(base, size)
    return line, align
