"""When the blocks of a launch come to an SM that has room for all, by their warps: each warp's first clock.

With warps that stand still, and with rows that leave few places to issue from.
"""

from collections.abc import Iterator

from ..program import Experiment
from ..sass import op
from .ages import COUNT, between_entries
from .chip import ALL_SMS, full

# Warps of a block, by which so many blocks have room on an SM.
BLOCKS = {1: 32, 2: 32, 3: 21, 4: 16, 5: 12, 6: 10, 8: 8, 10: 6, 12: 5, 16: 4, 21: 3, 24: 2, 28: 2, 32: 2}
SOURCE, RESULT = 8, 20
_FFMA = op("FFMA", RESULT, SOURCE, SOURCE, SOURCE)
ROWS = {
    "NOP, stall 12": [op("NOP", stall=12)] * 64,
    "FFMA, stall 4": [_FFMA.having(stall=4)] * COUNT,
    "FFMA, stall 1": [_FFMA.having(stall=1)] * COUNT,
}


def experiments() -> Iterator[Experiment]:
    """Yield one program for each row."""
    launches = [
        full(f"{blocks} blocks of {warps} warps", threads=32 * warps, blocks=blocks * ALL_SMS)
        for warps, blocks in BLOCKS.items()
    ]
    for name, row in ROWS.items():
        yield between_entries(f"filling/{name}", row, [SOURCE], launches)
