"""DRAM: a latency, and a bandwidth that reads and written-back lines share.

Seen on the H100: microbenchmarks ``gpu_bandwidth``, streams that are flushed or larger than L2.
"""

from smsim.events import Event
from smsim.model import Model
from smsim.rules.hashing import home_of, l2_slice_of, turn_of
from smsim.rules.rule import apart, rule
from smsim.rules.servers import admit, crowding
from smsim.state.chip import DRAM, DRAM_WRITES

# Channels of a partition are refreshed at so many times, a third of a bank's turn apart (``refresh``).
TIERS = 3
DRAM_BYTES_READ = int(Event.DRAM_BYTES_READ)
DRAM_BYTES_WRITTEN = int(Event.DRAM_BYTES_WRITTEN)


@rule
def dram_read(m: Model, line: int, sector: int, count: int, apart: bool, at: int, arrives: int) -> int:
    """Read so many sectors of a line, asked for by way of L2 in cycle ``at``, whose answer ``arrives`` at the SM.

    Returns when they do. Where the lines asked for together lie ``apart``, the row has to be opened for these sectors
    alone. Reads and writes take their turns in the order in which they left the SMs.
    """
    p, chip = m.params[0], m.chip[0]
    takes = count * p["dram_read_interval"]
    row = (line * p["line_sectors"] + sector) // p["row_sectors"]
    if apart and row != chip["row"]:
        takes += p["dram_row_interval"]
    chip["row"] = row
    start = max(admit(m, DRAM, takes, at) + p["miss_latency"], arrives)
    chip["dram_read"] = start
    m.sm[0]["events"][DRAM_BYTES_READ] += count * p["sector_bytes"]
    start = read_pair(m, line, refreshed(m, line, start))
    return start + p["dram_latency"] + crowding(m, DRAM, takes, p["dram_service"], at)


@rule
def read_pair(m: Model, line: int, at: int) -> int:
    """Read a line, or half of one, of two neighbouring ones; returns when that begins: one behind the other of each SM.

    Two further lines, 512 bytes on, are the same channel's and go beside them. Seen on the H100: microbenchmarks
    ``neighbours``, single loads of pieces of one to 32 lines.
    """
    pair = pair_of(line)
    begins = max(at, m.dram_pairs[pair])
    m.dram_pairs[pair] = begins + m.params[0]["pair_interval"]
    return begins


@rule
def pair_of(line: int) -> int:
    """The number of the two neighbouring lines that a line belongs to: each channel has two in 1 KB."""
    return l2_slice_of(line) * 2 + (line >> 2 & 1)


@apart
def dram_write(m: Model, sectors: int, at: int) -> int:
    """Write sectors back: while there is something to read, too, the bus turns around for them.

    Returns when that would begin if there were nothing to read: it is the reads that wait, not what is stored
    (``stream_scale``: no warp waits for its stores).
    """
    p = m.params[0]
    turnaround = p["turnaround"] if at <= m.chip[0]["dram_read"] + p["dram_latency"] else 0.0
    takes = sectors * p["dram_write_interval"] + turnaround
    admit(m, DRAM, takes, at)
    crowding(m, DRAM, takes, 0.0, at)
    m.sm[0]["events"][DRAM_BYTES_WRITTEN] += sectors * p["sector_bytes"]
    return admit(m, DRAM_WRITES, sectors * p["dram_write_interval"], at)


@rule
def dram_fill(m: Model, sectors: int, at: int) -> int:
    """Read sectors, which nobody waits for, of a line that is to be written; returns the same as `dram_write`.

    The bus turns around for them, and a line takes some time however few sectors there are. Seen on the H100:
    microbenchmarks ``gpu_stores``, words 32 to 128 bytes apart.
    """
    p = m.params[0]
    least = p["dram_fill_interval"] - sectors * p["dram_write_interval"]
    takes = max(least, sectors * p["dram_read_interval"] + p["turnaround"])
    admit(m, DRAM, takes, at)
    crowding(m, DRAM, takes, 0.0, at)
    m.chip[0]["dram_read"] = max(m.chip[0]["dram_read"], at)
    m.sm[0]["events"][DRAM_BYTES_READ] += sectors * p["sector_bytes"]
    return admit(m, DRAM_WRITES, takes, at)


@rule
def refreshed(m: Model, line: int, at: int) -> int:
    """When the line's bank, which is refreshed now and then, can be read: ``at`` or later.

    On the H100 a launch begins at any time (:mod:`smsim.engines.refresh`).
    """
    p = m.params[0]
    turn = turn_of(line) + (home_of(line) * TIERS + l2_slice_of(line) % TIERS) / TIERS
    since = (at + m.chip[0]["refreshed"] - int(turn * p["refresh_turn"])) % p["refresh_interval"]
    return at + max(0, p["refresh"] - since)
