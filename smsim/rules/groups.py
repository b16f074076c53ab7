"""What groups of SMs share on the way to L2 and back, where all SMs are simulated.

The SMs of a CPC send requests for lines and packets of stores one after the other. A slice of L2 takes a request for 64
bytes at a time; what it answers goes over the link that its part, one of five in a partition, has to the GPC. An SM's
requests leave its CPC no longer than a load takes before they have their turns: what its CPC stores until then goes
before them. Seen on the H100: microbenchmarks ``sm_groups``.
"""

from smsim.model import Model
from smsim.rules.hashing import part_slice_of
from smsim.rules.rule import rule
from smsim.rules.servers import admit
from smsim.state.chip import (
    FIRST_CPC,
    FIRST_LINK,
    FIRST_LOAD_SLICE,
    IDLE_SPAN,
    IDLE_SPANS,
    L2_PARTS,
    NUM_L2_SLICES,
    NUM_SIDES,
    PART_SLICES,
)


@rule
def in_groups(m: Model) -> bool:
    """Whether the SM shares its way to L2 with others that are simulated, too."""
    return bool(m.sm[0]["cpc"] >= 0)


@rule
def load_sector(m: Model, line: int, sector: int, asked: int, at: int) -> int:
    """L2 hears at ``at`` of a load of sectors of a line, ``asked``, a bit mask; returns when it sends one of them."""
    p, sm = m.params[0], m.sm[0]
    number, begins = part_slice_of(line), at
    before = asked & (1 << sector) - 1
    if before >> sector // p["fill_sectors"] * p["fill_sectors"] == 0:
        side = sm["side"] * (NUM_L2_SLICES // NUM_SIDES)
        begins = admit(m, FIRST_LOAD_SLICE + side + number, p["slice_interval"], at)
    begins = admit(m, FIRST_LINK + sm["gpc"] * L2_PARTS + number // PART_SLICES, p["link_interval"], begins)
    if before == 0:
        begins = max(begins, send_request(m, max(at, begins - p["miss_latency"])))
    return begins


@rule
def send_request(m: Model, at: int) -> int:
    """A request for a line, which may from ``at`` on, leaves the CPC; returns when."""
    leaves = admit(m, FIRST_CPC + m.sm[0]["cpc"], m.params[0]["cpc_request_interval"], at)
    m.sm[0]["crosses"] = max(m.sm[0]["crosses"], leaves)
    return leaves


@rule
def send_packets(m: Model, packets: int, at: int) -> int:
    """Packets of stores leave the CPC; returns when the first does.

    Requests whose turns were known before, and now do not come behind these, are as much later as they should.
    """
    sm, takes = m.sm[0], packets * m.params[0]["cpc_store_interval"]
    server = FIRST_CPC + sm["cpc"]
    free = m.servers[server]["free"]
    leaves = admit(m, server, takes, at)
    if at < free and leaves >= int(free):
        push(m, takes, at)
    sm["l2_takes"] = max(sm["l2_takes"], leaves + takes)
    return leaves


@rule
def push(m: Model, takes: float, at: int) -> None:
    """Stores of the CPC that come in cycle ``at`` push back so far what has its turn behind them."""
    pushed, span = m.pushed[m.sm[0]["cpc"]], at // IDLE_SPAN
    until, last = pushed["until"], int(pushed["last"])
    if span > last:
        for later in range(max(last + 1, span - IDLE_SPANS + 1), span + 1):
            until[later % IDLE_SPANS] = until[last % IDLE_SPANS]
        pushed["last"] = last = span
    for later in range(max(span, last - IDLE_SPANS + 1), last + 1):
        until[later % IDLE_SPANS] += takes


@rule
def pushed_until(m: Model, at: int) -> float:
    """How far the CPC's stores that come before ``at`` have pushed back what has its turn behind them, all together."""
    pushed = m.pushed[m.sm[0]["cpc"]]
    last = int(pushed["last"])
    return float(pushed["until"][max(min(at // IDLE_SPAN, last), last - IDLE_SPANS + 1) % IDLE_SPANS])
