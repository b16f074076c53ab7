"""The SM's port to L2: packets that leave, sectors that come back, and how far L2's parts are."""

from smsim.description.checks import MOST_ATOMIC_PACKETS
from smsim.model import Model
from smsim.rules.bits import around
from smsim.rules.hashing import scatter, spread
from smsim.rules.rule import rule

MOST_SMS = 1024
ANY_SLICE = -1
# To loads behind it a line that leaves since it is idle has the port so many cycles sooner, unless others have it then.
# Seen on the H200: microbenchmarks ``passing`` and, of lines that leave for others, ``displaced``.
SOONER = 6


@rule
def leave_for_l2(m: Model, packets: int, at: int, sooner: int) -> int:
    """Take the port to L2 for a line's packets, so many; returns when the first leaves, ``sooner`` to loads behind."""
    sm, takes = m.sm[0], packets * m.params[0]["store_packet_interval"]
    leaves = max(float(at), sm["store_port_free"])
    sm["store_port_free"] = leaves + takes
    sm["lines_left"] = max(float(at - sooner), sm["lines_left"]) + takes
    takes_place(m, int(leaves))
    return int(leaves)


@rule
def hold_port(m: Model, until: int, sooner: int) -> None:
    """The port sends nothing more until then, so many cycles sooner to loads."""
    sm = m.sm[0]
    sm["store_port_free"] = max(sm["store_port_free"], float(until))
    sm["lines_left"] = max(sm["lines_left"], float(until - sooner))


@rule
def request(m: Model, behind: float, at: int) -> int:
    """Take the port for a load's request, behind lines of stores that have left then; returns when it leaves.

    These go first, whenever they do; the port has its packet to send besides.
    """
    sm, interval = m.sm[0], m.params[0]["store_packet_interval"]
    leaves = max(float(at), behind, sm["lines_left"], sm["request_free"])
    sm["request_free"] = leaves + interval
    sm["store_port_free"] = max(float(at), sm["store_port_free"]) + interval
    sm["lines_left"] = max(float(at), sm["lines_left"]) + interval
    takes_place(m, int(leaves))
    return int(leaves)


@rule
def takes_place(m: Model, leaves: int) -> None:
    """What of a line goes to L2, and leaves then, has the next of the places in front of the port."""
    sm = m.sm[0]
    sm["leaving"][sm["leaving_head"]] = leaves
    sm["leaving_head"] = around(sm["leaving_head"] + 1, m.params[0]["store_queue_lines"])


@rule
def left(m: Model, lines: int) -> int:
    """When what took the place so many before the next one left for L2, or leaves."""
    sm, size = m.sm[0], m.params[0]["store_queue_lines"]
    return sm["leaving"][around(sm["leaving_head"] + size - lines, size)]


@rule
def send(m: Model, at: int) -> int:
    """One sector comes back from L2; returns when it is let in."""
    sm = m.sm[0]
    comes = max(float(at), sm["l2_port_free"])
    sm["l2_port_free"] = comes + m.params[0]["sector_interval"]
    return int(comes)


@rule
def detour(m: Model, line: int) -> int:
    """How much longer than the mean the way to the part of L2 is that has the line, which address bits hash to."""
    pair = (line >> 1 ^ line >> 9 ^ line >> 17) & 0xFFFF
    mixed = pair * 40503 & 0xFFFF
    return (mixed * m.params[0]["miss_spread"] >> 16) - m.params[0]["miss_spread"] // 2


@rule
def own_way(m: Model, line: int) -> int:
    """How much longer than the mean of its GPC's SMs an SM's way is to L2, and to the line, as if drawn.

    Seen on the H100: microbenchmarks ``coalesced``, loads without others of the GPC beside them.
    """
    sm, p = m.sm[0], m.params[0]
    if sm["gpc"] < 0:
        return 0
    further = spread(sm["index"], p["sm_spread"] + 1) - p["sm_spread"] // 2
    return further + scatter((line >> 1) * MOST_SMS + sm["index"], p["way_spread"] + 1) - p["way_spread"] // 2


@rule
def wait_for_l2(m: Model, packets: int, begins: int, may_wait: int, l2_slice: int) -> int:
    """So many packets wait in front of a slice of L2 until it ``begins`` with them, those of stores in front of any.

    Returns when the port need not wait for them: it does when more than ``may_wait`` of all do.
    """
    sm = m.sm[0]
    free = 0
    for _ in range(packets):
        head = sm["atomics_head"]
        free = max(free, sm["atomics"][(head - may_wait) % MOST_ATOMIC_PACKETS])
        sm["atomics"][head], sm["atomic_slices"][head] = begins, l2_slice
        sm["atomics_head"] = (head + 1) % MOST_ATOMIC_PACKETS
    return free


@rule
def wait_for_slice(m: Model, packets: int, begins: int, l2_slice: int) -> int:
    """The same where only packets of the same slice count: of each SM so many may wait, and a part of its own room.

    Seen on the H100: catalogue kernels ``add_*``; microbenchmarks ``gpu_atomics/* lines in turn``.
    """
    sm, p = m.sm[0], m.params[0]
    there = p["slice_packets"] + (p["own_atomic_packets"] - p["slice_packets"]) // m.chip[0]["sms"]
    wait_for_l2(m, packets, begins, 0, l2_slice)
    place, of_slice = sm["atomics_head"], 0
    for _ in range(MOST_ATOMIC_PACKETS):
        place = (place - 1) % MOST_ATOMIC_PACKETS
        of_slice += sm["atomic_slices"][place] == l2_slice
        if of_slice > there:
            return int(sm["atomics"][place])
    return 0
