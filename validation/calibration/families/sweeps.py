"""A load so many cycles behind a lone store of 16 and 32 lines, each cycle while these lines are read and leave.

The words of the lines lie in one bank, those of the load's in few; L1 holds all of them.
"""

from collections.abc import Iterator

from ..program import Experiment
from .delayed import FIRST, load_behind, load_of
from .doubled import PROBES

# label of a store -> cycles until the load
LATER = {"1 STG.32 of 16 lines": range(24, 66), "1 STG.32 of 32 lines": range(66, 134)}


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for store, cycles in LATER.items():
        for probe, placed in PROBES.items():
            load = load_of("LDG.32", placed)
            for later in cycles:
                yield load_behind(f"sweeps/{store}, {later} cycles, {probe}", FIRST[store], load, later)
