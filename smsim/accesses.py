"""What each memory access of a trace touches: cache lines, sectors and shared-memory wavefronts.

Accesses that look alike relative to their line share one class, so that a loop over an array has a handful of them.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from isa.trace import Trace
from isa.trace.model import Space
from isa.trace.recorded import ATOMICS
from smsim.shared_wavefronts import LANES, WORD, shared_wavefronts
from smsim.state import NUM_DATA_BANKS, NUM_GROUPS

# An access: its class, and the cache line that the class is relative to; a barrier's or a MATCH's base as it is. Of
# these there are many, so they are packed.
ACCESS = np.dtype([("kind", np.int32), ("line", np.int64)])
AT_ONCE = 1 << 20  # accesses that are worked on together
# A class: a Space, passes through the data stage (of shared memory those of a load), the banks of L1's data that they
# touch, a bit mask, how many passes its width alone needs, the groups of lanes by which L1 serves it, those that shared
# memory serves a load by, its passes for a store and for an atomic, the most lanes that touch one word, the packets
# that an atomic sends to L2, the answers to it, those of several words, the lines touched, and whether these lie apart.
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
    ],
    align=True,
)


def touch(sectors: int) -> np.dtype[np.void]:
    """A line that a class touches, relative to the access's line, of each sector a bit mask of its bytes, of each group
    of lanes a bit mask of the banks whose words it touches, and how many sectors L2 works on for an atomic, one for all
    lanes at different words of it, and in how many packets these come.
    """
    masks = [("bytes", np.int64, sectors), ("banks", np.int64, NUM_GROUPS)]
    atomic = [("atomic_sectors", np.int64), ("atomic_packets", np.int64)]
    return np.dtype([("delta", np.int64), *masks, *atomic], align=True)


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
    keys = np.stack(np.divmod(np.flatnonzero(is_used), line_bytes), axis=1)
    lines = [_lines(trace.shapes[s], int(a), line_bytes, sector_bytes) for s, a in keys]
    packets = [NO_PACKETS] * len(keys)
    if any(instruction.opcode in ATOMICS for instruction in trace.program.instructions):
        packets = [_atomic_packets(trace.shapes[s], int(a), line_bytes, sector_bytes) for s, a in keys]
    ends = np.cumsum([len(masks) for masks in lines])
    kinds = np.zeros(len(keys), KIND)
    kinds["space"] = trace.shapes["space"][keys[:, 0]] if len(keys) else 0
    kinds["groups"] = [_words(trace.shapes[s]) for s, _ in keys]
    kinds["least_wavefronts"] = [_least_wavefronts(trace.shapes[s]) for s, _ in keys]
    for kind_record, (s, a) in zip(kinds, keys, strict=True):
        _set_wavefronts(kind_record, trace.shapes[s], int(a))
    kinds["banks"] = [_banks(trace.shapes[s], int(a)) for s, a in keys]
    kinds["lanes_per_word"] = [_lanes_per_word(trace.shapes[s]) for s, _ in keys]
    kinds["atomic_packets"] = [sum(each.packets.values()) for each in packets]
    kinds["atomic_answers"] = [each.answers for each in packets]
    kinds["wide_answers"] = [each.wide for each in packets]
    kinds["first_touch"] = np.concatenate([[0], ends[:-1]]) if len(keys) else 0
    kinds["end_touch"] = ends
    kinds["apart"] = [are_apart([line for line, *_ in touched]) for touched in lines]
    touches = [
        (line, masks, banks, each.sectors[line], each.packets[line])
        for touched, each in zip(lines, packets, strict=True)
        for line, masks, banks in touched
    ]
    return Accesses(accesses, kinds, np.array(touches, touch(line_bytes // sector_bytes)))


def local_lines(accesses: Accesses) -> int:
    """The lines that a warp's local memory takes, from the first that an access touches to the last."""
    kinds = accesses.kinds
    is_local = (kinds["space"] == Space.LOCAL) & (kinds["end_touch"] > kinds["first_touch"])
    if not is_local.any():
        return 0
    local = accesses.accesses[is_local[accesses.accesses["kind"]]]
    line, kinds = local["line"], kinds[local["kind"]]
    first, last = (accesses.touches["delta"][touch] for touch in (kinds["first_touch"], kinds["end_touch"] - 1))
    return int((line + last).max() - (line + first).min()) + 1


def are_apart(lines: Sequence[int]) -> bool:
    """Whether several lines, ascending, have at least as many others between them."""
    return len(lines) > 1 and lines[-1] - lines[0] >= 2 * (len(lines) - 1)


def _place(trace: Trace, part: slice, line_bytes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The lines of some accesses and where in their lines they begin; of barriers and values the number, and 0."""
    base = trace.accesses["base"][part].astype(np.int64)
    spaces = trace.shapes["space"][trace.accesses["shape"][part]]
    # A thread's local words are interleaved by lane: one 32-bit word of all lanes fills a line of 128 bytes.
    size = np.where(spaces == Space.LOCAL, WORD, line_bytes)
    size[(spaces == Space.BARRIER) | (spaces == Space.VALUES)] = 1
    line, align = np.divmod(base, size)
    return line, align


class TouchedLine(NamedTuple):
    """A line that a class touches: the byte masks of its sectors, and the banks that each group of lanes touches."""

    line: int
    masks: tuple[int, ...]
    banks: tuple[int, ...]


def _lines(shape: np.void, align: int, line_bytes: int, sector_bytes: int) -> list[TouchedLine]:
    """The lines that a class touches."""
    if Space(int(shape["space"])) not in (Space.GLOBAL, Space.LOCAL):
        return []
    touched = _bytes(shape, align)
    lines, place = np.unique(touched // line_bytes, return_inverse=True)
    masks = np.zeros((len(lines), line_bytes // sector_bytes), np.int64)
    sector = touched % line_bytes // sector_bytes
    np.bitwise_or.at(masks, (place.reshape(touched.shape), sector), 1 << touched % sector_bytes)
    banks = np.zeros((len(lines), NUM_GROUPS), np.int64)
    group = np.broadcast_to(_groups(shape), touched.shape)
    np.bitwise_or.at(banks, (place.reshape(touched.shape), group), 1 << touched // WORD % NUM_DATA_BANKS)
    parts = zip(lines.tolist(), masks.tolist(), banks.tolist(), strict=True)
    return [TouchedLine(line, tuple(mask), tuple(bank)) for line, mask, bank in parts]


def _groups(shape: np.void) -> NDArray[np.int64]:
    """The group of lanes by which L1 serves each byte of each active lane, of local memory the word."""
    if Space(int(shape["space"])) == Space.LOCAL:
        return np.arange(int(shape["width"]))[None, :] // WORD
    return (_active(shape) * _words(shape) // LANES)[:, None]


def _words(shape: np.void) -> int:
    """The words of each lane: as many groups of lanes are served apart."""
    return max(1, int(shape["width"]) // WORD)


def _bytes(shape: np.void, align: int) -> NDArray[np.int64]:
    """Every byte of each active lane, shape (lanes, width); a thread's local words are interleaved by lane."""
    active = _active(shape)
    touched: NDArray[np.int64] = (shape["offsets"][active] + align)[:, None] + np.arange(int(shape["width"]))
    if Space(int(shape["space"])) == Space.LOCAL:
        touched = touched // WORD * (LANES * WORD) + active[:, None] * WORD + touched % WORD
    return touched


def _banks(shape: np.void, align: int) -> int:
    """The banks of L1's data that hold what a class touches, a bit mask."""
    if Space(int(shape["space"])) not in (Space.GLOBAL, Space.LOCAL):
        return 0
    return sum(1 << int(bank) for bank in np.unique(_bytes(shape, align) // WORD % NUM_DATA_BANKS))


def _set_wavefronts(kind: np.void, shape: np.void, align: int) -> None:
    """Passes through the data stage: the banks that hold shared memory hold L1's lines, too."""
    space, active = Space(int(shape["space"])), _active(shape)
    kind["wavefronts"] = 1
    if space in (Space.BARRIER, Space.VALUES) or not len(active):
        return
    starts = shape["offsets"][active] + align
    if space == Space.CONSTANT:
        kind["wavefronts"] = len(np.unique(starts))
    elif space == Space.LOCAL:
        # Each lane has a bank of its own.
        kind["wavefronts"] = max(1, int(shape["width"]) // WORD)
    else:
        passes = shared_wavefronts(starts, active, int(shape["width"]))
        # L1 serves the groups of a load's lanes apart.
        kind["wavefronts"] = passes.load if space == Space.SHARED else passes.store
        kind["load_groups"] = passes.load_groups
        kind["load_turns"] = passes.load_turns
        kind["store_turns"] = passes.store_turns
        kind["store_wavefronts"], kind["atomic_wavefronts"] = passes.store, passes.atomic


class AtomicPackets(NamedTuple):
    """What an atomic sends to L2, by line: the sectors, and the packets that they and their addresses come in.

    ``answers`` is how many come back, one for each line that goes at once, and ``wide`` those of several words.
    """

    sectors: Counter[int]
    packets: Counter[int]
    answers: int
    wide: int


NO_PACKETS = AtomicPackets(Counter(), Counter(), 0, 0)


def _atomic_packets(shape: np.void, align: int, line_bytes: int, sector_bytes: int) -> AtomicPackets:
    """What an atomic of this class sends to L2: lanes at one word go one after the other.

    What goes at once takes for each line one packet with the address, and one for each sector; where all lines have a
    single word, each goes with its address.
    """
    sectors, packets = Counter[int](), Counter[int]()
    answers, wide = 0, 0
    if Space(int(shape["space"])) != Space.GLOBAL:
        return AtomicPackets(sectors, packets, answers, wide)
    words, lanes = np.unique(_bytes(shape, align)[:, 0], return_counts=True)
    for turn in range(int(lanes.max(initial=0))):
        together = words[lanes > turn]
        lines, counts = np.unique(together // line_bytes, return_counts=True)
        answers += len(lines)
        wide += int((counts > 1).sum())
        for line in lines:
            touched = len(np.unique(together[together // line_bytes == line] // sector_bytes))
            sectors[int(line)] += touched
            packets[int(line)] += touched + bool(counts.max() > 1)
    return AtomicPackets(sectors, packets, answers, wide)


def _active(shape: np.void) -> NDArray[np.int64]:
    """The lanes that access."""
    return np.flatnonzero((int(shape["mask"]) >> np.arange(LANES)) & 1)


def _least_wavefronts(shape: np.void) -> int:
    """Passes of 128 bytes that the access's width needs without any conflict."""
    return max(1, -(-int(shape["width"]) * len(_active(shape)) // (LANES * WORD)))


def _lanes_per_word(shape: np.void) -> int:
    """The most lanes that start at one address."""
    active = _active(shape)
    return int(np.unique(shape["offsets"][active], return_counts=True)[1].max()) if len(active) else 1
