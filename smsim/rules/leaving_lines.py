"""Lines of stores are read from L1's data as they leave for L2: rows that need their banks then make no pass.

A packet a cycle leaves, of a sector each. Each is read with the second one behind it, if their banks differ, so that
loads from all banks lose two passes to a whole line, those from one bank one. Shared memory loses none.
Seen on the H100: microbenchmarks ``interleaved``.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.l1 import all_bytes
from smsim.rules.rule import rule
from smsim.state import NUM_DATA_BANKS, NUM_ROWS

# Cycles from when a packet leaves until it is read, or another odd number: a lone warp's loads from one bank lose none
# (``stored``), its loads from all banks a pass (``alternating``).
READ_BEHIND = 1
FURTHER = 2  # cycles behind a packet that leaves the one comes that is read with it
SECTOR_BANKS = 8


@rule
def groups_of(banks: int) -> int:
    """The groups of banks, those of a sector each, that have some of these; both are bit masks."""
    groups = 0
    for group in range(NUM_DATA_BANKS // SECTOR_BANKS):
        groups |= (banks >> SECTOR_BANKS * group & (1 << SECTOR_BANKS) - 1 != 0) << group
    return groups


@rule
def sectors_in(line: np.void) -> int:
    """The sectors, a bit mask, of which a line has bytes that stores gathered there."""
    sectors = 0
    for sector in range(len(line["bytes"])):
        sectors |= (line["bytes"][sector] != 0) << sector
    return sectors


@rule
def partial_in(line: np.void, whole: int) -> int:
    """Those of which it has not all; ``whole`` is the mask of all bytes of a sector."""
    partial = 0
    for sector in range(len(line["bytes"])):
        partial |= (line["bytes"][sector] != 0 and line["bytes"][sector] != whole) << sector
    return partial


@rule
def packets_of(sectors: int, partial: int) -> int:
    """A line's packets: one for each sector, and one more where a sector is written in part."""
    packets = int(partial != 0)
    for sector in range(NUM_DATA_BANKS // SECTOR_BANKS):
        packets += sectors >> sector & 1
    return packets


@rule
def read_while_busy(m: Model, row: int) -> None:
    """Those lines are read that leave, as far as is known, while a row makes its passes."""
    sm, p = m.sm[0], m.params[0]
    port, whole = sm["store_port_free"], all_bytes(m)
    for i in range(sm["store_lines"]):
        waiting = m.store_lines[around(sm["store_lines_head"] + i, p["store_queue_lines"])]
        leaves = max(float(waiting["idle"]), port)
        if leaves >= sm["row_free"][row]:
            return
        sectors = sectors_in(waiting)
        read_line(m, waiting, sectors, int(leaves) + READ_BEHIND)
        port = leaves + packets_of(sectors, partial_in(waiting, whole)) * p["store_packet_interval"]


@rule
def read_line(m: Model, line: np.void, sectors: int, leaves: int) -> None:
    """Some sectors of a line, a bit mask, leave from then on: they are read, if they have not been."""
    if line["read"]:
        return
    line["read"] = 1
    at = leaves
    for sector in range(len(line["bytes"])):
        if sectors >> sector & 1:
            read_sector(m, 1 << sector, at)
            at += 1


@rule
def read_sector(m: Model, banks: int, at: int) -> None:
    """A packet leaves then; its sector's banks are one of four groups, a bit mask."""
    sm = m.sm[0]
    which = at % FURTHER
    if sm["read_at"][which] == at - FURTHER and not sm["read_both"][which] and sm["read_banks"][which] & banks == 0:
        sm["read_both"][which] = 1
        at -= FURTHER
        banks |= sm["read_banks"][which]
    else:
        sm["read_at"][which], sm["read_both"][which], sm["read_held"][which] = at, 0, 0
    sm["read_banks"][which] = banks
    if not sm["read_held"][which]:
        sm["read_held"][which] = pass_over(m, banks, at)


@rule
def pass_over(m: Model, banks: int, at: int) -> bool:
    """The load that would make a pass then makes it in its row's next cycle if it needs one of these groups of banks.

    Where it is a store's turn, that in the other row does.
    """
    sm = m.sm[0]
    for row in range(NUM_ROWS):
        if is_busy(m, row, at) and (sm["row_free"][row] - at) % NUM_ROWS == 0:
            load = row if sm["row_banks"][row] != 0 else NUM_ROWS - 1 - row
            if is_busy(m, load, at) and sm["row_banks"][load] & banks != 0:
                lose_pass(m, load)
                return True
            return False
    return False


@rule
def is_busy(m: Model, row: int, at: int) -> bool:
    """Whether passes are made in a row then."""
    return m.sm[0]["row_from"][row] <= at < m.sm[0]["row_free"][row]


@rule
def lose_pass(m: Model, row: int) -> None:
    """A row makes a pass, and all behind it, two cycles later."""
    m.sm[0]["row_free"][row] += NUM_ROWS
    m.sm[0]["load_data_free"] += 1


@rule
def pass_over_known(m: Model, row: int, begins: int) -> None:
    """What begins in a row loses passes to reads that are known already."""
    sm = m.sm[0]
    for which in range(FURTHER):
        left = sm["row_free"][row] - sm["read_at"][which]
        is_its_turn = sm["read_at"][which] >= begins and left > 0 and left % NUM_ROWS == 0
        if is_its_turn and not sm["read_held"][which] and sm["read_banks"][which] & sm["row_banks"][row] != 0:
            lose_pass(m, row)
            sm["read_held"][which] = 1
