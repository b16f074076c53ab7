"""L1's data stage: a pass a cycle, of loads and stores in their order; a store's passes hold their banks for longer.

Those of a store that writes to all banks do not: other warps' stores go between.
Seen on the H100: microbenchmarks ``stored``; drain of stores side by side of 1 to 32 warps.
"""

from smsim.model import Model
from smsim.rules.data_stage import make_passes
from smsim.rules.rule import rule
from smsim.state import NUM_DATA_BANKS

ALL_BANKS = (1 << NUM_DATA_BANKS) - 1


@rule
def data_free(m: Model, banks: int) -> int:
    """When the data stage takes an access to these banks (a bit mask)."""
    sm = m.sm[0]
    free = sm["load_data_free"]
    if sm["all_stored_until"] <= free:
        return free
    for bank in range(NUM_DATA_BANKS):
        if (banks >> bank) & 1:
            free = max(free, sm["stored_until"][bank])
    return free


@rule
def write_data(m: Model, banks: int, passes: int, interval: int, begins: int) -> int:
    """A store makes its passes, each of which holds its banks for ``interval`` cycles; returns when all are over."""
    sm = m.sm[0]
    make_passes(m, begins, passes)
    until = begins + passes * interval
    if banks != ALL_BANKS:
        for bank in range(NUM_DATA_BANKS):
            if (banks >> bank) & 1:
                sm["stored_until"][bank] = max(sm["stored_until"][bank], until)
        sm["all_stored_until"] = max(sm["all_stored_until"], until)
    return until
