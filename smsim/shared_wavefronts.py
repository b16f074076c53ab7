"""How often shared memory's banks are passed for an access: its wavefronts.

The banks deliver one word each in a pass. The lanes of a 64-bit access are served by half warps, those of a 128-bit one
by quarter warps; of a load two neighbouring groups go together when each lane of the warp reads what the next lane
does, or what the next but one does. A group without an active lane takes the turn of a pass all the same.
Seen on the H100: microbenchmarks ``atoms`` and ``lanes``.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


def shared_wavefronts(starts: NDArray[np.int64], lanes: NDArray[np.int64], width: int) -> SharedWavefronts:
    """Count the passes of an access.

    Args:
        starts: the lanes' first bytes, relative to any multiple of 128.
        lanes: their numbers, ascending, at least one.
        width: bytes of each.
    """
    words = max(1, width // WORD)
    size = LANES // words
    groups = list(_groups(starts // WORD, lanes, size))
    load_size = 2 * size if words > 1 and _alike(starts // WORD, lanes) else size
    load_groups = list(_groups(starts // WORD, lanes, load_size))
    return SharedWavefronts(
        load=sum(_most(_touched(first, words)) for first in load_groups),
        load_groups=len(load_groups),
        load_turns=LANES // load_size,
        store=sum(_most(_touched(first, words)) for first in groups),
        store_turns=words,
        atomic=sum(_most((first[:, None] + np.arange(words)).ravel()) for first in groups),
    )


def _groups(first: NDArray[np.int64], lanes: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """First words of the lanes, so many in a group."""
    for group in np.unique(lanes // size):
        yield first[lanes // size == group]


def _alike(first: NDArray[np.int64], lanes: NDArray[np.int64]) -> bool:
    """Whether each lane starts where its neighbour does, or each where its neighbour but one does."""
    word = np.full(LANES, -1)
    word[lanes] = first
    return any(bool(((word[lanes] == word[lanes ^ step]) | (word[lanes ^ step] < 0)).all()) for step in (1, 2))


def _touched(first: NDArray[np.int64], words: int) -> NDArray[np.int64]:
    """The different words that lanes touch."""
    return np.unique(first[:, None] + np.arange(words))


def _most(words: NDArray[np.int64]) -> int:
    """The most of them in one bank."""
    return int(np.bincount(words % BANKS).max())
