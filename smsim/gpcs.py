"""Which GPC and CPC of the GPU the SMs are in that a launch's first blocks go to.

Seen on the H100: %smid of all blocks of launches of 33, 64 and 132 blocks of 128 to 1,024 threads
(``validation/calibration/README.md``). Other H100s have GPCs of other sizes: this one has two of 18 SMs and six of 16.
"""

import numpy as np
from numpy.typing import NDArray

from smsim.state.chip import CPCS_OF_GPC, NUM_CPCS, NUM_GPCS

# The GPCs in the order in which they get blocks: eight SMs of the one that has SM 0 before all others, later its rest.
GPCS = (0, 6, 7, 0, 1, 2, 3, 4, 5)
FIRST = 8
# The TPCs of each behind the first SMs; each has two SMs, of which one gets a block before any TPC gets two.
TPCS = (0, 9, 9, 4, 8, 8, 8, 8, 8)
SMS_OF_TPC = 2
FEWEST_TPCS = 8  # that a GPC has
# In which turn they get one more.
TURNS = (3, 4, 5, 6, 7, 8, 1, 2)


def gpcs(sms: int) -> NDArray[np.int64]:
    """The GPC of each of so many SMs that have a block, in the order of their first blocks.

    The first eight blocks go to one GPC, the others to each GPC in turn; those of a GPC have numbers in a row. SMs
    that the H100 does not have are in each in turn.
    """
    counts = np.zeros(len(GPCS), np.int64)
    counts[0] = min(FIRST, sms)
    turns = [place for _ in range(SMS_OF_TPC) for number in range(max(TPCS)) for place in TURNS if number < TPCS[place]]
    for place in turns[: sms - int(counts[0])]:
        counts[place] += 1
    further = np.arange(sms - int(counts.sum())) % NUM_GPCS
    return np.concatenate([np.repeat(np.array(GPCS), counts), further])


def cpcs(gpc: NDArray[np.int64]) -> NDArray[np.int64]:
    """The CPC of each of some SMs, by their GPCs, in the order of their first blocks.

    A GPC's TPCs are in its CPCs in turn, so that of nine each has three, of eight one has two.
    """
    found = np.zeros(len(gpc), np.int64)
    for number in range(NUM_GPCS):
        sms = np.flatnonzero(gpc == number)
        tpcs = max(-(-len(sms) // SMS_OF_TPC), FEWEST_TPCS)
        found[sms] = number * CPCS_OF_GPC + np.arange(len(sms)) % tpcs % CPCS_OF_GPC
    return found


def cpc_interval(sms: int, least: float, together: float) -> float:
    """Cycles that a CPC takes for a packet where so many SMs have blocks, each of which sends one a cycle at most.

    CPCs share evenly what L2 takes of all, but for what some have no use for.

    Args:
        sms: how many.
        least: cycles that a CPC takes in any case.
        together: those that each takes where all SMs send.
    """
    wanted = np.minimum(np.bincount(cpcs(gpcs(sms)), minlength=NUM_CPCS), 1.0 / least)
    wanted.sort()
    left = NUM_CPCS / together
    for number, one in enumerate(wanted):
        share = left / (NUM_CPCS - number)
        if one > share:
            return float(max(least, 1.0 / share))
        left -= one
    return least
