"""Loads, stores and both by all SMs, each again and again at its own addresses: what each SM takes for the same work.

The SMs of a CPC share their way to L2, those of a GPC the links from it. As the streams of ``gpu_bandwidth`` that do
not move; 128 bytes a lane are a request for a sector for each lane.
"""

from collections.abc import Iterator
from dataclasses import replace

from ..program import Experiment
from .chip import full
from .gpu_bandwidth import stream

# What a turn accesses twice, bytes from lane to lane, turns.
PROGRAMS = (
    ("STG.128", 16, (4, 16, 64)),
    ("STG.32", 4, (16, 64)),
    ("LDG.32.GPU", 128, (4, 16)),
    ("LDG.128.GPU", 16, (4, 16, 64)),
    ("COPY.128", 16, (2, 4, 16)),
)
LAUNCHES = (full(), full("132 blocks of 256", threads=256), full("8 blocks", blocks=8))


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for name, stride, lengths in PROGRAMS:
        for turns in lengths:
            title = f"sm_groups/{name}, {stride} bytes a lane/{turns}"
            yield replace(stream(title, name, stride, turns, LAUNCHES, moves=False), kind="sms")
