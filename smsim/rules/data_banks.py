"""L1's data stage, a pass a cycle, of loads and stores in their order; an atomic's passes keep loads from their banks.

Each does for two cycles, whatever others do; those of an atomic that writes to all banks do not, nor do loads of one
pass wait.
Seen on the H100: microbenchmarks ``reducing``, ``draining`` and ``following``.
"""

from smsim.model import Model
from smsim.rules.data_stage import make_passes
from smsim.rules.rows import take_rows
from smsim.rules.rule import rule
from smsim.state.sizes import NUM_DATA_BANKS

ALL_BANKS = (1 << NUM_DATA_BANKS) - 1


@rule
def banks_free(m: Model, banks: int, at: int) -> int:
    """When no atomic holds these banks (a bit mask) any more, for a load of several passes that could begin ``at``."""
    sm = m.sm[0]
    if sm["banks_held_until"] > at:
        for bank in range(NUM_DATA_BANKS):
            if (banks >> bank) & 1:
                at = max(at, sm["bank_held_until"][bank])
    return at


@rule
def write_data(m: Model, passes: int, cycles: int, begins: int) -> int:
    """A store or atomic makes its passes, in so many cycles; returns when it begins, as far as loads allow."""
    make_passes(m, max(begins, m.sm[0]["load_data_free"]), passes, m.sm[0]["shared_until"] >= begins)
    return take_rows(m, begins, passes, cycles)


@rule
def hold_banks(m: Model, banks: int, until: int, further: int) -> None:
    """An atomic's passes keep loads of several passes from their banks until then, and for so many further cycles."""
    sm = m.sm[0]
    if banks != ALL_BANKS:
        for bank in range(NUM_DATA_BANKS):
            if (banks >> bank) & 1:
                sm["bank_held_until"][bank] = max(sm["bank_held_until"][bank] + further, until)
                sm["banks_held_until"] = max(sm["banks_held_until"], sm["bank_held_until"][bank])
