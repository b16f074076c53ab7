"""Lines of stores are read from L1's data as they leave for L2: rows that need their banks then make no pass.

A packet a cycle leaves, of a sector each. Each is read with the second one behind it, if their banks differ, so that
loads from all banks lose two passes to a whole line, those from one bank one. Shared memory loses none.
An atomic's sectors are read so, too, behind its passes. A load loses a pass only where that pass needs the banks.
Seen on the H100: microbenchmarks ``interleaved`` and ``paired``.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.l1 import all_bytes
from smsim.rules.rule import rule
from smsim.state import MAX_READS, NUM_ROWS, NUM_SECTORS

# Cycles from when a packet leaves until it is read, or another odd number: a lone warp's loads from one bank lose none
# (``stored``), its loads from all banks a pass (``alternating``).
READ_BEHIND = 1
FURTHER = 2  # cycles behind a packet that leaves the one comes that is read with it


@rule
def sectors_in(line: np.void) -> int:
    """The sectors, a bit mask, of which a line has bytes: that stores gathered there, or that an access touches."""
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
    for sector in range(NUM_SECTORS):
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
        if read_from(waiting, int(leaves)) >= sm["row_free"][row]:
            return
        sectors = sectors_in(waiting)
        read_line(m, waiting, sectors, int(leaves))
        port = leaves + packets_of(sectors, partial_in(waiting, whole)) * p["store_packet_interval"]


@rule
def read_from(line: np.void, leaves: int) -> int:
    """When a line is read that leaves then: as it does, if not before."""
    return line["read_at"] if line["read_at"] > 0 else leaves + READ_BEHIND


@rule
def read_line(m: Model, line: np.void, sectors: int, leaves: int) -> None:
    """Some sectors of a line, a bit mask, leave from then on: they are read, if they have not been."""
    if not line["read"]:
        line["read"] = 1
        read_sectors(m, sectors, read_from(line, leaves))


@rule
def read_sectors(m: Model, sectors: int, leaves: int) -> None:
    """Some sectors of a line, a bit mask, are read as they leave from then on, a packet a cycle."""
    at = leaves
    for sector in range(NUM_SECTORS):
        if sectors >> sector & 1:
            read_sector(m, 1 << sector, at)
            at += 1


@rule
def read_sector(m: Model, banks: int, at: int) -> None:
    """The banks of a sector, a bit mask of one, are read then, or with another sector's that are two cycles before."""
    sm = m.sm[0]
    which = at % FURTHER
    last = sm["read_last"][which]
    read_at, both, read = sm["read_at"][which], sm["read_both"][which], sm["read_banks"][which]
    if read_at[last] == at - FURTHER and not both[last] and read[last] & banks == 0:
        both[last] = 1
        at -= FURTHER
        banks |= read[last]
    else:
        last = (last + 1) % MAX_READS
        sm["read_last"][which] = last
        read_at[last], both[last], sm["read_held"][which, last] = at, 0, 0
    read[last] = banks
    if not sm["read_held"][which, last]:
        sm["read_held"][which, last] = pass_over(m, banks, at)


@rule
def pass_over(m: Model, banks: int, at: int) -> bool:
    """The load that would make a pass then makes it in its row's next cycle if it needs banks of one of these sectors.

    Where it is a store's turn, that in the other row does.
    """
    sm = m.sm[0]
    for row in range(NUM_ROWS):
        if is_busy(m, row, at) and (sm["row_free"][row] - at) % NUM_ROWS == 0:
            load = row if sm["row_passes"][row] != 0 else NUM_ROWS - 1 - row
            if is_busy(m, load, at) and needs_banks(m, load, banks, at):
                lose_pass(m, load)
                return True
            return False
    return False


@rule
def needs_banks(m: Model, row: int, sectors: int, at: int) -> bool:
    """Whether the load in a row needs banks of one of some sectors, a bit mask, for the pass that it makes then.

    The passes that need none of a sector's are taken to be its last ones.
    """
    sm = m.sm[0]
    left = min((sm["row_free"][row] - at + NUM_ROWS - 1) // NUM_ROWS, sm["row_passes"][row])
    needed = False
    for sector in range(NUM_SECTORS):
        needed |= sectors >> sector & 1 != 0 and left > sm["row_spares"][row, sector]
    return needed


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
    """What begins in a row loses passes to reads that are known already; beside a store's the other row does."""
    sm = m.sm[0]
    which = sm["row_free"][row] % FURTHER
    read_at, last, known = sm["read_at"][which], sm["read_last"][which], 0
    while known < MAX_READS and read_at[(last - known) % MAX_READS] >= begins:
        known += 1
    load = row if sm["row_passes"][row] != 0 else NUM_ROWS - 1 - row
    while known > 0:
        known -= 1
        place = (last - known) % MAX_READS
        at = read_at[place]
        if at >= sm["row_free"][row]:
            return
        if sm["read_held"][which, place] or (load != row and not is_busy(m, load, at)):
            continue
        if needs_banks(m, load, sm["read_banks"][which, place], at):
            lose_pass(m, load)
            sm["read_held"][which, place] = 1
