"""Lines of stores are read from L1's data before they leave for L2: rows that need their banks then make no pass.

A sector a cycle is, of a store that found no line waiting the words that it stored. Where a load loses a pass to it,
the second one behind is read with it, if their banks differ, so that loads from all banks lose two passes to a whole
line, those from one bank one. Shared memory loses none. An atomic's sectors are read so, too, behind its passes. A load
loses a pass only where that pass needs the banks.
Seen on the H100: microbenchmarks ``interleaved``, ``paired`` and ``stacked``; on an H200: ``other_banks``.
"""

import numpy as np

from smsim.model import Model
from smsim.rules.bits import around, lowest
from smsim.rules.l1 import all_bytes
from smsim.rules.rule import rule
from smsim.shared_wavefronts import WORD
from smsim.state.sizes import BANK_BITS, MAX_READS, NUM_ROWS, NUM_SECTORS, SECTOR_BANKS, STORE_LINES

# A line is read so many cycles before it leaves where nothing waits for the port to L2, where something does at most so
# many: ``stacked/once`` and ``delayed``.
READ_AHEAD, MOST_AHEAD = 3, 11
FURTHER = 2  # cycles behind a sector's read comes that which may go with it
MOST_LOST = 7  # passes that a load loses at most before it makes one, beside another row: ``spread``, ``sweeps``


@rule
def waiting_line(m: Model, number: int) -> np.void:
    """The line that gathers stores to which so many others that wait were stored longer ago."""
    sm = m.sm[0]
    return m.store_lines[sm["store_order"][around(sm["store_lines_head"] + number, STORE_LINES)]]


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
def takes_port(m: Model, line: np.void) -> float:
    """The cycles in which the port to L2 sends a line's packets."""
    packets = packets_of(sectors_in(line), partial_in(line, all_bytes(m)))
    return packets * m.params[0]["store_packet_interval"]


@rule
def read_while_busy(m: Model, row: int) -> None:
    """Those lines are read that leave, as far as is known, while a row makes its passes."""
    sm, p = m.sm[0], m.params[0]
    port, whole = sm["store_port_free"], all_bytes(m)
    for i in range(sm["store_lines"]):
        waiting = waiting_line(m, i)
        leaves = max(float(waiting["idle"]), port)
        if read_from(m, waiting["idle"], int(leaves)) >= sm["row_free"][row]:
            return
        read_line(m, waiting, waiting["idle"], int(leaves))
        port = leaves + packets_of(sectors_in(waiting), partial_in(waiting, whole)) * p["store_packet_interval"]


@rule
def read_from(m: Model, may_leave: int, leaves: int) -> int:
    """When the first sector is read of a line that may leave then, and does when the port is free: behind others."""
    return max(may_leave - READ_AHEAD, leaves - MOST_AHEAD, m.sm[0]["read_until"])


@rule
def read_line(m: Model, line: np.void, may_leave: int, leaves: int) -> None:
    """A line may leave then and does: what stores gathered there is read, if it has not been."""
    if not line["read"]:
        line["read"] = 1
        by_word = m.sm[0]["mingled"] == 0
        m.sm[0]["read_until"] = read_sectors(m, line, read_from(m, may_leave, leaves), by_word)


@rule
def read_sectors(m: Model, line: np.void, at: int, by_word: bool) -> int:
    """The sectors of which a line has bytes are read from then on, one a cycle; returns when all are.

    ``by_word``: of these no words but those of which it has bytes.
    """
    for sector in range(NUM_SECTORS):
        if line["bytes"][sector] != 0:
            words = words_in(line, sector) if by_word else (1 << SECTOR_BANKS) - 1
            read_sector(m, words << sector * SECTOR_BANKS, at)
            at += 1
    return at


@rule
def words_in(line: np.void, sector: int) -> int:
    """The words of a sector, a bit mask, of which a line has bytes."""
    words, of_word = 0, (1 << WORD) - 1
    for word in range(SECTOR_BANKS):
        words |= (line["bytes"][sector] >> word * WORD & of_word != 0) << word
    return words


@rule
def read_sector(m: Model, banks: int, at: int) -> None:
    """Banks of a sector, a bit mask, are read then, or with another sector's two cycles before.

    They are where a load has lost a pass to these, and the banks differ.
    """
    sm = m.sm[0]
    which = at % FURTHER
    last = sm["read_last"][which]
    read_at, both, read = sm["read_at"][which], sm["read_both"][which], sm["read_banks"][which]
    lost = sm["read_held"][which, last] != 0
    if read_at[last] == at - FURTHER and lost and not both[last] and read[last] & banks == 0:
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
    """The load that would make a pass then makes it in its row's next cycle if it needs one of these banks.

    Where it is a store's turn, that in the other row does.
    """
    sm = m.sm[0]
    for row in range(NUM_ROWS):
        if is_busy(m, row, at) and (sm["row_free"][row] - at) % NUM_ROWS == 0:
            load = row if sm["row_passes"][row] != 0 else NUM_ROWS - 1 - row
            if is_busy(m, load, at) and needs_banks(m, load, banks, at):
                lose_pass(m, load, at)
                return True
            return False
    return False


@rule
def needs_banks(m: Model, row: int, banks: int, at: int) -> bool:
    """Whether the load in a row needs one of some banks, a bit mask, for the pass that it makes then.

    The passes that need no word of a bank are taken to be its last ones.
    """
    sm = m.sm[0]
    passes = sm["row_passes"][row]
    left = min((sm["row_free"][row] - at + NUM_ROWS - 1) // NUM_ROWS, passes)
    while banks != 0:
        bank = lowest(banks)
        of_sector = sm["row_bank_passes"][row, bank // SECTOR_BANKS]
        if left > max(0, passes - (of_sector >> bank % SECTOR_BANKS * BANK_BITS & (1 << BANK_BITS) - 1)):
            return True
        banks &= banks - 1
    return False


@rule
def is_busy(m: Model, row: int, at: int) -> bool:
    """Whether passes are made in a row then."""
    return m.sm[0]["row_from"][row] <= at < m.sm[0]["row_free"][row]


@rule
def lose_pass(m: Model, row: int, at: int) -> None:
    """A row makes a pass, and all behind it, two cycles later.

    Where it has lost many and the other row makes passes, too, the read waits instead.
    """
    sm = m.sm[0]
    if sm["row_lost"][row] >= MOST_LOST and is_busy(m, NUM_ROWS - 1 - row, at):
        sm["row_lost"][row] = 0
        return
    sm["row_lost"][row] += 1
    sm["row_free"][row] += NUM_ROWS
    sm["load_data_free"] += 1


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
            lose_pass(m, load, at)
            sm["read_held"][which, place] = 1
            if known > 0:
                read_along(m, which, place)


@rule
def read_along(m: Model, which: int, place: int) -> None:
    """What is read two cycles behind a read to which a load has lost a pass is read with it, if their banks differ."""
    sm, behind = m.sm[0], (place + 1) % MAX_READS
    banks, both, at = sm["read_banks"][which], sm["read_both"][which], sm["read_at"][which]
    if at[behind] == at[place] + FURTHER and not both[place] and banks[place] & banks[behind] == 0:
        both[place] = both[behind] = sm["read_held"][which, behind] = 1
