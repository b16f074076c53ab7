"""Atomics in L2: a slice works on one sector after the other, whichever SMs they are from.

Seen on the H100: microbenchmarks ``gpu_atomics``. Words of the same 256 bytes, and of those half a kilobyte on, go
through one slice; a sector all of whose words are touched takes less than one of which some are; lanes of a float
addition at one word wait for each other.
"""

from smsim.model import Model
from smsim.rules.hashing import l2_slice_of
from smsim.rules.lookup import holds
from smsim.rules.rule import rule
from smsim.rules.servers import admit
from smsim.state.chip import FIRST_L2_SLICE

# What a packet of one SM takes on its way to a slice, of what a sector takes the slice: more where each sector comes
# with an address of its own. Other SMs' packets come beside it (``gpu_atomics``, one line, 8 lanes a word).
# Seen on the H100: microbenchmarks ``atomics`` and ``collisions``, reductions of all warps at 1 to 32 words of a line.
PACKET = 0.8


@rule
def l2_atomic(
    m: Model, line: int, sectors: int, whole: int, packets: int, lanes: int, pc: int, at: int
) -> tuple[int, int, int]:
    """So many sectors of an atomic's line, those of the ``lanes`` at one word apart, in so many packets.

    Of the ``whole`` ones all words are touched.

    Returns when the slice begins with the first of them, and with the last, and from when on no more of the SM's
    packets wait there than may; those of SMs that are not simulated go in between.
    """
    p, code = m.params[0], m.instructions[pc]
    interval = p["atomic_interval"] if code["is_store"] else p["returned_atomic_interval"]
    takes = whole * p["whole_atomic_interval"] + (sectors - whole) * interval
    if code["is_float"]:
        takes = max(takes, lanes * p["float_atomic_interval"])
    is_shared = holds(m.shared, line)
    takes *= p["sharers"] if is_shared else 1.0
    if m.chip[0]["sms"] == 1:
        takes = max(takes, PACKET * packets * interval)
    begins = admit(m, FIRST_L2_SLICE + l2_slice_of(line), takes, at)
    last = begins + int(takes * (1.0 - 1.0 / max(sectors, lanes)))
    m.chip[0]["last_ready"] = max(m.chip[0]["last_ready"], last)
    if not is_shared:
        return begins, last, begins
    return begins, last, begins + int(takes) - waited_for(m, takes / waiting(sectors, whole, packets))


@rule
def waiting(sectors: int, whole: int, packets: int) -> int:
    """As how many so many packets wait at a slice: of a line's whole sectors the address takes no place of its own."""
    return whole if whole == sectors else packets


@rule
def waited_for(m: Model, packet: float) -> int:
    """How long before L2 is done with the last of an SM's packets the port sends more to the slice.

    L2 takes so long for a ``packet`` of the SM and of those that it stands for. So many may be on their way from each
    SM to a slice, which has room for some more, of whichever SMs. Seen on the H100: catalogue kernels ``add_*``.
    """
    p, simulated = m.params[0], m.chip[0]["sms"]
    room = p["own_atomic_packets"] - p["slice_packets"]
    return int((p["slice_packets"] + room / (p["sharers"] * simulated)) * packet * simulated)


@rule
def behind_atomics(m: Model, line: int, at: int) -> int:
    """When the line's slice, asked for it in cycle ``at``, has done the atomics that came before.

    Seen on the H100: ``dot_serial`` and ``stream_dot``, of whose SMs the last ones wait for loads behind reductions.
    """
    if m.chip[0]["last_ready"] <= at:
        return at
    return max(at, int(m.servers[FIRST_L2_SLICE + l2_slice_of(line)]["free"]))
