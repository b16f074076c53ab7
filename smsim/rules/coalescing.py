"""L2's request coalescer: requests of a GPC's SMs for the same sectors of a line are one as long as the first waits.

L2 answers the first one, and the crossbar brings the answer to all. Where L2 has the sectors, the first waits for a
short time only, where DRAM has to bring them as long as that takes. One request stands for a few at most, and who asks
for other sectors of the line begins another one, which is the one that those behind may join. Seen on the H100:
microbenchmarks ``coalesced``, and ncu's counters of the unit LRC.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state.chip import ASKED_PLACES

# Requests that one stands for. Seen on the H100 (ncu): where 1 to 4 SMs of a GPC load the same lines at once, or four
# warps of one past L1, L2 is asked once for each line, where 5 do twice, where 16 do four and where 18 do five times.
MOST = 4


@rule
def join(m: Model, line: int, sectors: int, at: int) -> bool:
    """Whether a request for sectors (a bit mask) of a line, of which L2 hears in cycle ``at``, stands with another one.

    If not, others may join it.
    """
    p, asked = m.params[0], m.asked[m.sm[0]["gpc"], line % ASKED_PLACES]
    first = asked["ready"][0]
    for sector in range(1, len(asked["ready"])):
        first = max(first, asked["ready"][sector])
    window = p["coalescing_window"]
    if (
        asked["line"] == line
        and asked["sectors"] == sectors
        and asked["requests"] < MOST
        and asked["asked"] - window <= at <= first - p["miss_latency"] + window
    ):
        asked["requests"] += 1
        return True
    asked["line"], asked["sectors"], asked["asked"], asked["requests"] = line, sectors, at, 1
    asked["ready"][:] = 0
    return False


@rule
def note_ready(m: Model, line: int, sector: int, ready: int) -> None:
    """When what L2 was asked for is in L1."""
    m.asked[m.sm[0]["gpc"], line % ASKED_PLACES]["ready"][sector] = ready


@rule
def joined_ready(m: Model, line: int, sector: int, at: int) -> int:
    """When a sector is in the L1 of an SM whose request, of which L2 hears in cycle ``at``, stands with another one."""
    ready = m.asked[m.sm[0]["gpc"], line % ASKED_PLACES]["ready"][sector]
    m.sm[0]["awaits_dram"] |= ready > at + m.params[0]["miss_latency"]
    return int(ready)
