"""Reads of special registers of the block and of the thread beside LDC and shuffles: when each of two kinds issues."""

from collections.abc import Iterator

from ..program import Experiment
from .mio import KINDS, issues
from .operations import OPERATIONS

MIXES = (
    *("S2R.CTAID", "S2R.CTAID+LDC", "S2R.CTAID+S2UR.CTAID", "S2R.CTAID+S2R.TID", "S2R.CTAID+SHFL.BFLY"),
    *("S2R.TID", "S2R.TID+LDC", "S2R.CTAID+MATCH.ANY", "S2R.CTAID+LDS.32 8-way", "S2R.CTAID+MUFU.RCP"),
)


def experiments() -> Iterator[Experiment]:
    """Yield one program for each mixture."""
    for mix in MIXES:
        yield issues("lined_up/issues", mix, {**KINDS, "S2R.CTAID": OPERATIONS["S2R.CTAID"]})
