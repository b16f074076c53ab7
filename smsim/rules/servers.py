"""What serves all SMs together: so much work at a time, and the more of it there is, the longer each waits.

Behind a server stand many channels or slices. Requests that meet at one of them wait for each other, which happens the
more often the more of the bandwidth is in use: on average as long as in a queue with random arrivals and constant
service, M/D/1. Seen on the H100: microbenchmarks ``gpu_bandwidth``, streams of 32 to 1024 threads on every SM.
"""

from smsim.model import Model
from smsim.rules.rule import rule

WINDOW = 2048.0  # cycles over which use is averaged
MOST = 0.9  # of the bandwidth: what asks for more waits for the server to be free


@rule
def admit(m: Model, server: int, takes: float, at: int) -> int:
    """Give a server work for so many cycles; returns when it begins.

    SMs name a cycle to come, each another one: what is asked of the server later for an earlier cycle takes the time
    that was left before.
    """
    state = m.servers[server]
    if at >= state["free"]:
        state["idle"] += at - state["free"]
        state["idle_until"] = at
        state["free"] = at + takes
        return at
    left = min(takes, max(0.0, min(state["idle"], state["idle_until"] - at)))
    state["idle"] -= left
    if left == takes:
        return at
    start = state["free"]
    state["free"] += takes - left
    return int(start)


@rule
def crowding(m: Model, server: int, takes: float, service: float, at: int) -> int:
    """How long a request for so many cycles of work waits for others at its channel, which needs ``service`` each."""
    state = m.servers[server]
    passed = max(0, at - state["asked"])
    state["asked"] = max(at, state["asked"])
    state["load"] = state["load"] * max(0.0, 1.0 - passed / WINDOW) + takes
    used = min(MOST, state["load"] / WINDOW)
    return int(service * used / (2.0 * (1.0 - used)))
