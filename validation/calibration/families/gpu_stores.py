"""Stores of all SMs of parts of sectors: what L2 takes of words that lie apart.

As the streams of ``gpu_bandwidth``; a turn stores a word of each lane to two pieces of the buffer, some bytes a lane.
"""

from collections.abc import Iterator

from ..program import Experiment
from .chip import full
from .gpu_bandwidth import stream

# Bytes from lane to lane, and turns.
TURNS_OF = {4: (4, 32), 8: (4, 16), 16: (8, 32), 32: (8, 16), 64: (4, 8), 128: (4, 8)}
BYTES = {"STG.32": 4, "STG.128": 16}
BLOCKS = (1, 8, 33, 66)
AGAIN = (("STG.32", 4), ("STG.32", 16), ("STG.32", 32), ("STG.32", 128), ("STG.128", 16), ("STG.128", 32))
SMS, THREADS = (1, 33, 66, 99, 132), (256, 1024)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    launches = (full(), full("132 blocks of 256", threads=256), *(full(f"{n} blocks", blocks=n) for n in BLOCKS))
    for name, width in BYTES.items():
        for stride, lengths in TURNS_OF.items():
            for turns in lengths:
                if stride >= width:
                    yield stream(f"gpu_stores/{name}, {stride} bytes a lane/{turns}", name, stride, turns, launches)
    crowds = tuple(full(f"{n} blocks of {t}", blocks=n, threads=t) for t in THREADS for n in SMS)
    for name, stride in AGAIN:
        for turns in (16, 64):
            yield stream(
                f"gpu_stores/{name}, {stride} bytes a lane, again/{turns}", name, stride, turns, crowds, moves=False
            )
