"""L1: the queue in front of it, its tag stage, its lines, and the data stage behind.

Seen on the H100: microbenchmarks ``l1`` and ``scattered``. The tag stage looks up a line a cycle in each of its four
slices; the data stage reads the banks that shared memory has, so that words of one bank in several lines cost a pass
each, which a warp alone gets every other cycle. Loads pass those that wait for L2.
"""

from smsim.model import Model
from smsim.rules.rule import rule
from smsim.state import FIRST_LOCAL_LINE, NUM_SLICES

@rule
def queue_free(m: Model, places: int) -> int:
    """When the queue in front of L1 has so many places."""
    sm = m.sm[0]
    return sm["l1_queue"][(sm["l1_queue_head"] + places - 1) % m.params[0]["store_queue_wavefronts"]]


@rule
def take_queue(m: Model, places: int, until: int) -> None:
    """Hold so many places of the queue."""
    sm = m.sm[0]
    for _ in range(places):
        sm["l1_queue"][sm["l1_queue_head"]] = until
        sm["l1_queue_head"] = (sm["l1_queue_head"] + 1) % m.params[0]["store_queue_wavefronts"]


@rule
def slice_of(line: int) -> int:
    """The slice of the tag stage that looks a line up: neighbours go to four slices, and so do lines any power of two
    apart.
    """
    return (line ^ line >> 2 ^ line >> 4 ^ line >> 6 ^ line >> 8 ^ line >> 10) % NUM_SLICES


@rule
def look_up(m: Model, line: int, at: int) -> int:
    """When the line's slice looks it up."""
    slices = m.sm[0]["slice_free"]
    number = slice_of(line)
    slices[number] = max(at, slices[number]) + 1
    return slices[number] - 1


@rule
def way_of(m: Model, line: int, now: int) -> int:
    """The way of its set that holds the line; the least recently used one makes room where none does."""
    ways = m.l1[set_of(m, line)]
    oldest = 0
    for way in range(len(ways)):
        if ways[way]["tag"] == line:
            ways[way]["used"] = now
            return way
        if ways[way]["used"] < ways[oldest]["used"]:
            oldest = way
    ways[oldest]["tag"] = line
    ways[oldest]["used"] = now
    ways[oldest]["ready"][:] = -1
    return oldest


@rule
def set_of(m: Model, line: int) -> int:
    """The set of a line: lines any stride apart share the sets evenly."""
    sets = m.params[0]["l1_sets"]
    return (line + line // sets + line // sets // sets) % sets


@rule
def empty_l1(m: Model) -> None:
    """Forget all lines of global memory; local memory stays."""
    for number in range(len(m.l1)):
        for way in range(m.l1.shape[1]):
            if m.l1[number, way]["tag"] < FIRST_LOCAL_LINE:
                m.l1[number, way]["tag"] = -1
