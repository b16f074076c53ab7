"""What each memory access of a trace touches: cache lines, sectors and shared-memory wavefronts.

Accesses that look alike relative to their line share one class, so that a loop over an array has a handful of them.
"""

from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

import isa.trace.model
from isa.compiled import compiled, source_digest
from isa.trace import Trace
from isa.trace.model import Space
from isa.trace.recorded import ATOMICS
from smsim import shared_wavefronts
from smsim.access_classes import classify
from smsim.shared_wavefronts import WORD

# An access: its class, and the cache line that the class is relative to, of constants counted from those of bank 0 on;
# a barrier's or a MATCH's base as it is. Of these there are many, so they are packed.
ACCESS = np.dtype([("kind", np.int32), ("line", np.int64)])
BANK_BITS = 32  # of an access's base, from which on it says the bank of constants
CONSTANT_BANK_BYTES = 1 << 16
# A thread's local memory is a stack of 1,024 bytes, CUDA's default, and 576 above it: a line of 128 bytes for each word
# of a warp. Seen on the H100: which sets of L1 have words of 32 warps (``tests/unit/smsim/test_local_memory.py``).
LINES_ABOVE_STACK = 144
STACK_LINES = 256 + LINES_ABOVE_STACK


class Accesses(NamedTuple):
    """The trace's accesses, ready for the memory rules.

    Attributes:
        accesses, kinds, touches: records of dtype ACCESS, KIND and TOUCH.
        bounds: the least and the greatest line of the accesses of each kind, (kinds, 2).
    """

    accesses: np.ndarray
    kinds: np.ndarray
    touches: np.ndarray
    bounds: NDArray[np.int64]


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
    accesses = np.empty(len(trace.accesses), ACCESS)
    # Of classes there are few, of accesses many: they are marked, not sorted.
    is_used = np.zeros(len(trace.shapes) * line_bytes, np.bool_)
    sizes, is_constant = _line_sizes(trace.shapes["space"], line_bytes), trace.shapes["space"] == Space.CONSTANT
    _place(trace.accesses, sizes, is_constant, line_bytes, accesses, is_used)
    shape, align = np.divmod(np.flatnonzero(is_used), line_bytes)
    bounds = np.tile([np.iinfo(np.int64).max, np.iinfo(np.int64).min], (len(shape), 1))
    _number(accesses, np.cumsum(is_used, dtype=np.int32) - 1, bounds)
    atomics = any(instruction.opcode in ATOMICS for instruction in trace.program.instructions)
    kinds, touches = classify(trace.shapes[shape], align, line_bytes, sector_bytes, atomics=atomics)
    return Accesses(accesses, kinds, touches, bounds)


def _line_sizes(spaces: NDArray[np.integer[Any]], line_bytes: int) -> NDArray[np.int64]:
    """Bytes of a thread's in a line; of barriers and values, which are numbers, 1.

    A thread's local words are interleaved by lane: one 32-bit word of all lanes fills a line of 128 bytes.
    """
    sizes = np.full(len(spaces), line_bytes, np.int64)
    sizes[spaces == Space.LOCAL] = WORD
    sizes[np.isin(spaces, (Space.BARRIER, Space.VALUES))] = 1
    return sizes


def array_lines(trace: Trace, line_bytes: int) -> NDArray[np.int64]:
    """First line of each array in device memory and how many lines it has, shape (N, 2)."""
    first = trace.allocations[:, 0] // line_bytes
    return np.column_stack([first, -(-trace.allocations.sum(axis=1) // line_bytes) - first])


def constant_lines(accesses: Accesses) -> int:
    """The lines from the first of bank 0 to the last one that an access by index touches."""
    return _touched(accesses, Space.CONSTANT)[1]


def local_lines(accesses: Accesses) -> int:
    """The lines from one warp's local memory to the next one's: of a stack, or of more, where accesses touch more.

    0 when none touches local memory.
    """
    first, end = _touched(accesses, Space.LOCAL)
    return max(STACK_LINES, end - first + LINES_ABOVE_STACK) if end > first else 0


def _touched(accesses: Accesses, space: Space) -> tuple[int, int]:
    """The first line of a space that accesses touch, and the one behind the last; 0 and 0 if none is."""
    kinds = accesses.kinds
    numbers = np.flatnonzero((kinds["space"] == space) & (kinds["end_touch"] > kinds["first_touch"]))
    first, end = [], []
    for (least, greatest), kind in zip(accesses.bounds[numbers], kinds[numbers], strict=True):
        deltas = accesses.touches["delta"][kind["first_touch"] : kind["end_touch"]]
        first.append(int(least + deltas.min()))
        end.append(int(greatest + deltas.max()) + 1)
    return min(first, default=0), max(end, default=0)


_DIGEST = source_digest([Path(str(file)) for file in (__file__, isa.trace.model.__file__, shared_wavefronts.__file__)])
_TRACED = types.Array(numba.from_dtype(isa.trace.model.ACCESS), 1, "C", readonly=True)
_PLACED = types.Array(numba.from_dtype(ACCESS), 1, "C")
_INT32, _INT64, _BOOL = types.int32[::1], types.int64[::1], types.boolean[::1]


@numba.njit
def _constant_byte(bank: Any, offset: Any) -> Any:
    """The number of a byte of constants, one bank's behind the other's; past a bank's end there is no other byte."""
    return bank * CONSTANT_BANK_BYTES + min(offset, CONSTANT_BANK_BYTES - 1)


@compiled(types.void(_TRACED, _INT64, _BOOL, types.int64, _PLACED, _BOOL), _DIGEST)
def _place(traced: Any, sizes: Any, is_constant: Any, line_bytes: int, placed: Any, is_used: Any) -> None:  # noqa: PLR0917
    """Write of each access its line, and as its kind a key: shape, and where in its line it begins; mark the keys.

    Args:
        traced: the accesses as in the trace.
        sizes, is_constant: of each shape the bytes of a line, and whether a base says the bank of constants, too.
        line_bytes: the most bytes of a line.
        placed, is_used: written.
    """
    for i in range(len(traced)):
        shape, base = traced[i]["shape"], np.int64(traced[i]["base"])
        if is_constant[shape]:
            base = _constant_byte(base >> BANK_BITS, base & (1 << BANK_BITS) - 1)
        line = base // sizes[shape]
        key = shape * line_bytes + base - line * sizes[shape]
        placed[i]["line"], placed[i]["kind"] = line, key
        is_used[key] = True


@compiled(types.void(_PLACED, _INT32, types.int64[:, ::1]), _DIGEST)
def _number(placed: Any, numbers: Any, bounds: Any) -> None:
    """Write of each access the number of its key as its kind, and of each kind the least and the greatest line."""
    for i in range(len(placed)):
        kind, line = numbers[placed[i]["kind"]], placed[i]["line"]
        placed[i]["kind"] = kind
        bounds[kind, 0] = min(bounds[kind, 0], line)
        bounds[kind, 1] = max(bounds[kind, 1], line)
