"""How often shared memory's banks are passed for an access: its wavefronts.

The banks deliver one word each in a pass. The lanes of a 64-bit access are served by half warps, those of a 128-bit one
by quarter warps; of a load two neighbouring groups go together when each lane of the warp reads what the next lane
does, or what the next but one does. A group without an active lane takes the turn of a pass all the same.
Seen on the H100: microbenchmarks ``atoms`` and ``lanes``.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numba
import numpy as np

from isa.compiled import compiled, source_digest

BANKS = 32
WORD = 4
LANES = 32


class SharedWavefronts(NamedTuple):
    """Passes of an access if it is a load, a store or an atomic, and the groups of lanes that it is served by.

    ``load_groups`` are those of a load that have an active lane, ``load_turns`` and ``store_turns`` all of them.
    """

    load: int
    load_groups: int
    load_turns: int
    store: int
    store_turns: int
    atomic: int


@numba.njit
def _alike(first: Any, lanes: Any) -> bool:
    """Whether each lane starts where its neighbour does, or each where its neighbour but one does."""
    word = np.full(LANES, -1)
    for place in range(len(lanes)):
        word[lanes[place]] = first[place]
    for step in (1, 2):
        alike = True
        for lane in lanes:
            alike &= word[lane] == word[lane ^ step] or word[lane ^ step] < 0
        if alike:
            return True
    return False


@numba.njit
def _most(first: Any, words: int, once: bool) -> Any:
    """The most words in one bank of those that lanes touch, so many each; different ones, if each counts ``once``."""
    of_bank = np.zeros(BANKS, np.int64)
    seen = np.empty(len(first) * words, np.int64)
    for place in range(len(first)):
        for part in range(words):
            number = place * words + part
            seen[number] = first[place] + part
            is_new = True
            for earlier in range(number if once else 0):
                is_new &= seen[earlier] != seen[number]
            of_bank[seen[number] % BANKS] += is_new
    return of_bank.max()


@compiled("(int64[::1], int64[::1], int64)", source_digest([Path(__file__)]))
def shared_wavefronts(starts: Any, lanes: Any, width: int) -> SharedWavefronts:
    """Count the passes of an access.

    Args:
        starts: the lanes' first bytes, relative to any multiple of 128, int64.
        lanes: their numbers, ascending, at least one, int64.
        width: bytes of each.
    """
    words = max(1, width // WORD)
    size = LANES // words
    first = starts // WORD
    load_size = 2 * size if words > 1 and _alike(first, lanes) else size
    load = load_groups = store = atomic = 0
    for begin in range(0, LANES, size):
        here = first[np.searchsorted(lanes, begin) : np.searchsorted(lanes, begin + size)]
        if len(here):
            store += _most(here, words, True)
            atomic += _most(here, words, False)
    for begin in range(0, LANES, load_size):
        here = first[np.searchsorted(lanes, begin) : np.searchsorted(lanes, begin + load_size)]
        if len(here):
            load += _most(here, words, True)
            load_groups += 1
    return SharedWavefronts(load, load_groups, LANES // load_size, store, words, atomic)
