"""What the accesses of a class touch: lines, sectors, banks, passes through the data stage, packets of atomics.

A class is a shape and where in a line its accesses begin.
"""

from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

import smsim.shared_wavefronts
import smsim.state.sizes
from isa.compiled import compiled, source_digest
from isa.trace.model import Space
from smsim.shared_wavefronts import LANES, WORD, shared_wavefronts
from smsim.state.sizes import BANK_BITS, NUM_DATA_BANKS, NUM_GROUPS, NUM_SECTORS, SECTOR_BANKS

# A class: a Space, passes through the data stage (of shared memory those of a load), the banks of L1's data that they
# touch, a bit mask, how many passes its width alone needs, the groups of lanes by which L1 serves it, those that shared
# memory serves a load by, its passes for a store and for an atomic, the most lanes that touch one word, the packets
# that an atomic sends to L2, the answers to it, those of several words, the lines touched, whether these lie apart, and
# of a global access's passes those that touch each bank, by the sectors of a line that have them, eight bits a bank.
KIND = np.dtype(
    [
        ("space", np.int64),
        ("wavefronts", np.int64),
        ("banks", np.int64),
        ("least_wavefronts", np.int64),
        ("groups", np.int64),
        ("load_groups", np.int64),
        ("load_turns", np.int64),
        ("store_turns", np.int64),
        ("store_wavefronts", np.int64),
        ("atomic_wavefronts", np.int64),
        ("lanes_per_word", np.int64),
        ("atomic_packets", np.int64),
        ("atomic_answers", np.int64),
        ("wide_answers", np.int64),
        ("first_touch", np.int64),
        ("end_touch", np.int64),
        ("apart", np.int64),
        ("bank_passes", np.int64, NUM_SECTORS),
    ],
    align=True,
)
SPACE, WAVEFRONTS, BANKS, LEAST_WAVEFRONTS, GROUPS, LOAD_GROUPS, LOAD_TURNS, STORE_TURNS = range(8)
STORE_WAVEFRONTS, ATOMIC_WAVEFRONTS, LANES_PER_WORD, ATOMIC_PACKETS, ATOMIC_ANSWERS, WIDE_ANSWERS = range(8, 14)
FIRST_TOUCH, END_TOUCH, APART, BANK_PASSES = range(14, 18)

DELTA, BYTES = 0, 1
AT_ONCE = 256  # classes
MOST_CHUNKS = 8  # of a lane that touches 16 bytes, wherever they begin


def touch(sectors: int) -> np.dtype[np.void]:
    """A line that a class touches, relative to the access's line, of each sector a bit mask of its bytes, of each group
    of lanes a bit mask of the banks whose words it touches, and how many sectors L2 works on for an atomic, one for all
    lanes at different words of it, of how many of these all words, and in how many packets they come.
    """
    masks = [("bytes", np.int64, sectors), ("banks", np.int64, NUM_GROUPS)]
    atomic = [(name, np.int64) for name in ("atomic_sectors", "atomic_whole_sectors", "atomic_packets")]
    return np.dtype([("delta", np.int64), *masks, *atomic], align=True)


def classify(
    shapes: np.ndarray, aligns: NDArray[np.int64], line_bytes: int, sector_bytes: int, *, atomics: bool
) -> tuple[np.ndarray, np.ndarray]:
    """What accesses of some classes touch.

    Args:
        shapes: of each class, dtype SHAPE (k,).
        aligns: where in a line of ``line_bytes`` they begin, int64 (k,).
        line_bytes, sector_bytes: the machine's, whole words.
        atomics: whether any access is an atomic.

    Returns:
        Records of dtype KIND (k,), and those of dtype ``touch`` that they name.
    """
    of_touch = touch(line_bytes // sector_bytes)
    kinds = np.zeros((len(shapes), KIND.itemsize // 8), np.int64)
    room = np.zeros((AT_ONCE * LANES * MOST_CHUNKS, of_touch.itemsize // 8), np.int64)
    touches, known = [room[:0]], 0
    for first in range(0, len(shapes), AT_ONCE):
        part = slice(first, first + AT_ONCE)
        some, rows = shapes[part], kinds[part]
        spaces, widths, masks = (some[name].astype(np.int64) for name in ("space", "width", "mask"))
        offsets = np.ascontiguousarray(some["offsets"])
        of_machine = line_bytes, sector_bytes
        count = _classify(spaces, widths, masks, offsets, aligns[part], *of_machine, atomics, rows, room)
        rows[:, FIRST_TOUCH : END_TOUCH + 1] += known
        touches.append(room[:count].copy())
        room[:count] = 0
        known += count
    return kinds.view(KIND)[:, 0], np.concatenate(touches).view(of_touch)[:, 0]


@numba.njit
def _chunk(start: int, within: int, width: int, lane: int, is_local: bool) -> Any:
    """The byte ``within`` a lane's access, where it lies, and how many behind it lie in the same word.

    A thread's local words are interleaved by lane.
    """
    byte = start + within
    size = min(WORD - byte % WORD, WORD - within % WORD, width - within)
    if is_local:
        byte = byte // WORD * (LANES * WORD) + lane * WORD + byte % WORD
    return byte, size


@numba.njit
def _touch_lines(  # noqa: PLR0917
    starts: Any, lanes: Any, width: int, is_local: bool, line_bytes: int, sector_bytes: int, rows: Any
) -> tuple[int, int]:
    """Fill rows, ascending by line, with what lanes touch; returns how many lines and the banks of all of them."""
    words = max(1, width // WORD)
    sectors = line_bytes // sector_bytes
    count = 0
    for place in range(len(lanes)):
        within = 0
        while within < width:
            byte, size = _chunk(starts[place], within, width, lanes[place], is_local)
            within += size
            line = byte // line_bytes
            row = count
            while row > 0 and rows[row - 1, DELTA] > line:
                row -= 1
            if row > 0 and rows[row - 1, DELTA] == line:
                continue
            for moved in range(count, row, -1):
                rows[moved, DELTA] = rows[moved - 1, DELTA]
            rows[row, DELTA] = line
            count += 1
    banks, row = 0, 0
    for place in range(len(lanes)):
        within = 0
        while within < width:
            byte, size = _chunk(starts[place], within, width, lanes[place], is_local)
            group = within // WORD if is_local else lanes[place] * words // LANES
            within += size
            line = byte // line_bytes
            if rows[row, DELTA] != line:
                row = np.searchsorted(rows[:count, DELTA], line)
            sector = byte % line_bytes // sector_bytes
            rows[row, BYTES + sector] |= ((1 << size) - 1) << byte % sector_bytes
            bank = 1 << byte // WORD % NUM_DATA_BANKS
            rows[row, BYTES + sectors + group] |= bank
            banks |= bank
    return count, banks


@numba.njit
def _order_by_lanes(  # noqa: PLR0917
    starts: Any, lanes: Any, width: int, is_local: bool, line_bytes: int, count: int, rows: Any
) -> None:
    """Put lines in the order in which they are looked for: of the first lane first.

    Seen on the H100: microbenchmarks ``indexed/table of``, first rounds by several warps; on the H200: ``gathered``.
    """
    ordered = 0
    for place in range(len(starts)):
        within = 0
        while within < width and ordered < count:
            byte, size = _chunk(starts[place], within, width, lanes[place], is_local)
            within += size
            line = byte // line_bytes
            row = ordered
            while row < count and rows[row, DELTA] != line:
                row += 1
            if ordered < row < count:
                moved = rows[row].copy()
                for later in range(row, ordered, -1):
                    rows[later] = rows[later - 1]
                rows[ordered] = moved
            ordered += row < count


@numba.njit
def _send_packets(  # noqa: PLR0917
    starts: Any, width: int, line_bytes: int, sector_bytes: int, count: int, kind: Any, rows: Any
) -> None:
    """Count what an atomic sends to L2 for each of its lines and in all: lanes at one word go one after the other.

    What goes at once takes for each line one packet with the address, and one for each sector; where all lines have a
    single word, each goes with its address. One answer comes back for each line that goes at once.
    """
    turns = np.zeros(len(starts), np.int64)
    for place in range(len(starts)):
        for earlier in range(place):
            turns[place] += starts[earlier] == starts[place]
    per_line = line_bytes // sector_bytes
    words, of_sectors = np.empty(count, np.int64), np.empty((count, per_line), np.int64)
    columns = rows.shape[1]
    for turn in range(turns.max() + 1):
        words[:], of_sectors[:] = 0, 0
        for place in range(len(starts)):
            if turns[place] == turn:
                row = np.searchsorted(rows[:count, DELTA], starts[place] // line_bytes)
                words[row] += 1
                of_sectors[row, starts[place] % line_bytes // sector_bytes] += 1
        most = words.max()
        for row in range(count):
            if words[row]:
                touched = 0
                for sector in range(per_line):
                    touched += of_sectors[row, sector] > 0
                    rows[row, columns - 2] += of_sectors[row, sector] * width == sector_bytes
                packets = touched + (most > 1)
                rows[row, columns - 3] += touched
                rows[row, columns - 1] += packets
                kind[ATOMIC_PACKETS] += packets
                kind[ATOMIC_ANSWERS] += 1
                kind[WIDE_ANSWERS] += words[row] > 1


@numba.njit
def _different(values: Any) -> int:
    """How many different values there are."""
    count = 0
    for place in range(len(values)):
        is_new = True
        for earlier in range(place):
            is_new &= values[earlier] != values[place]
        count += is_new
    return count


@numba.njit
def _most_alike(values: Any) -> int:
    """How often the most frequent value comes, at least 1."""
    most = 1
    for place in range(len(values)):
        alike = 0
        for other in range(len(values)):
            alike += values[other] == values[place]
        most = max(most, alike)
    return most


@numba.njit
def _set_wavefronts(kind: Any, space: int, starts: Any, lanes: Any, width: int) -> None:
    """Passes through the data stage: the banks that hold shared memory hold L1's lines, too."""
    kind[WAVEFRONTS] = 1
    if space in (Space.BARRIER, Space.VALUES) or not len(lanes):
        return
    if space == Space.CONSTANT:
        kind[WAVEFRONTS] = _different(starts)
    elif space == Space.LOCAL:
        kind[WAVEFRONTS] = max(1, width // WORD)  # each lane has a bank of its own
    else:
        passes = shared_wavefronts(starts, lanes, width)
        # L1 serves the groups of a load's lanes apart.
        kind[WAVEFRONTS] = passes.load if space == Space.SHARED else passes.store
        kind[LOAD_GROUPS], kind[LOAD_TURNS] = passes.load_groups, passes.load_turns
        kind[STORE_TURNS] = passes.store_turns
        kind[STORE_WAVEFRONTS], kind[ATOMIC_WAVEFRONTS] = passes.store, passes.atomic


@numba.njit
def _set_bank_passes(kind: Any, starts: Any, lanes: Any, width: int) -> None:
    """The passes that touch each bank, each group of lanes by itself: its words there. Eight bits for each."""
    words = max(1, width // WORD)
    touched, counts = np.empty(LANES * MOST_CHUNKS, np.int64), np.empty(NUM_DATA_BANKS, np.int64)
    for group in range(words):
        number = 0
        counts[:] = 0
        for place in range(len(lanes)):
            if lanes[place] * words // LANES == group:
                for word in range(starts[place] // WORD, (starts[place] + width - 1) // WORD + 1):
                    is_new = True
                    for earlier in range(number):
                        is_new &= touched[earlier] != word
                    if is_new:
                        touched[number] = word
                        number += 1
                        counts[word % NUM_DATA_BANKS] += 1
        for bank in range(NUM_DATA_BANKS):
            kind[BANK_PASSES + bank // SECTOR_BANKS] += counts[bank] << BANK_BITS * (bank % SECTOR_BANKS)


_FIELDS = "int64[::1], int64[::1], int64[::1], int64[:,::1], int64[::1]"


@compiled(
    f"int64({_FIELDS}, int64, int64, boolean, int64[:,::1], int64[:,::1])",
    source_digest(Path(file) for file in (__file__, smsim.shared_wavefronts.__file__, smsim.state.sizes.__file__)),
)
def _classify(  # noqa: PLR0917
    spaces: Any,
    widths: Any,
    masks: Any,
    offsets: Any,
    aligns: Any,
    line_bytes: int,
    sector_bytes: int,
    atomics: bool,
    kinds: Any,
    touches: Any,
) -> int:
    """Fill rows of ``kinds`` and ``touches``, zeros before, with the fields of their dtypes; returns how many touches.

    Args:
        spaces, widths, masks, offsets: of each class, as in SHAPE.
        aligns, line_bytes, sector_bytes, atomics: as for ``classify``.
        kinds, touches: written.
    """
    known = 0
    lanes_of, starts_of = np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    for number in range(len(spaces)):
        kind, space, width = kinds[number], spaces[number], widths[number]
        active = 0
        for lane in range(LANES):
            if masks[number] >> lane & 1:
                lanes_of[active] = lane
                starts_of[active] = offsets[number, lane] + aligns[number]
                active += 1
        lanes, starts = lanes_of[:active], starts_of[:active]
        count = 0
        if space in (Space.GLOBAL, Space.LOCAL, Space.CONSTANT):
            is_local = space == Space.LOCAL
            rows = touches[known:]
            count, kind[BANKS] = _touch_lines(starts, lanes, width, is_local, line_bytes, sector_bytes, rows)
            if atomics and not is_local and active:
                _send_packets(starts, width, line_bytes, sector_bytes, count, kind, rows)
            if space == Space.GLOBAL and active:
                _set_bank_passes(kind, starts, lanes, width)
        kind[SPACE] = space
        kind[GROUPS] = max(1, width // WORD)
        kind[LEAST_WAVEFRONTS] = max(1, -(-width * active // (LANES * WORD)))
        kind[LANES_PER_WORD] = _most_alike(starts)
        _set_wavefronts(kind, space, starts, lanes, width)
        kind[FIRST_TOUCH], kind[END_TOUCH] = known, known + count
        # Several lines lie apart if they have at least as many others between them.
        kind[APART] = count > 1 and touches[known + count - 1, DELTA] - touches[known, DELTA] >= 2 * (count - 1)
        _order_by_lanes(starts, lanes, width, space == Space.LOCAL, line_bytes, count, touches[known:])
        known += count
    return known
