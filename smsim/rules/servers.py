"""What serves all SMs together: so much work at a time, and the more of it there is, the longer each waits.

Behind a server stand many channels or slices. Requests that meet at one of them wait for each other, which happens the
more often the more of the bandwidth is in use: on average as long as in a queue with random arrivals and constant
service, M/D/1. Seen on the H100: microbenchmarks ``gpu_bandwidth``, streams of 32 to 1024 threads on every SM.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state.chip import IDLE_SPAN, IDLE_SPANS

WINDOW = 2048.0  # cycles over which use is averaged
MOST = 0.9  # of the bandwidth: what asks for more waits for the server to be free


@rule
def admit(m: Model, server: int, takes: float, at: int) -> int:
    """Give a server work for so many cycles; returns when it begins.

    SMs, and what DRAM brings, name a cycle to come, each another one: what is asked of the server later for an earlier
    cycle takes the time that was left from then on.
    """
    state = m.servers[server]
    if at >= state["free"]:
        leave_idle(m, server, at)
        state["free"] = at + takes
        return at
    last = int(state["idle_until"]) // IDLE_SPAN
    begins = -1
    for span in range(max(at // IDLE_SPAN, last - IDLE_SPANS + 1), last + 1):
        used = min(takes, state["idle"][span % IDLE_SPANS])
        if used > 0.0:
            begins = max(at, span * IDLE_SPAN) if begins < 0 else begins
            state["idle"][span % IDLE_SPANS] -= used
            takes -= used
            if takes == 0.0:
                return begins
    start = state["free"]
    state["free"] += takes
    return int(start)


@rule
def leave_idle(m: Model, server: int, until: int) -> None:
    """A server has nothing to do from the end of its work until then: what is asked for later may."""
    state = m.servers[server]
    last, newest = int(state["idle_until"]) // IDLE_SPAN, until // IDLE_SPAN
    oldest = newest - IDLE_SPANS + 1
    for span in range(max(last + 1, oldest), newest + 1):
        state["idle"][span % IDLE_SPANS] = 0.0
    for span in range(max(int(state["free"]) // IDLE_SPAN, oldest), newest + 1):
        begins = max(state["free"], float(span * IDLE_SPAN))
        state["idle"][span % IDLE_SPANS] += min(until, (span + 1) * IDLE_SPAN) - begins
    state["idle_until"] = until


@rule
def crowding(m: Model, server: int, takes: float, service: float, at: int) -> int:
    """How long a request for so many cycles of work waits for others at its channel, which needs ``service`` each."""
    state = m.servers[server]
    passed = max(0, at - state["asked"])
    state["asked"] = max(at, state["asked"])
    state["load"] = state["load"] * max(0.0, 1.0 - passed / WINDOW) + takes
    used = min(MOST, state["load"] / WINDOW)
    return int(service * used / (2.0 * (1.0 - used)))
