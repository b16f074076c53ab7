"""Several SMs in lock step, over the block dispatcher, the L2 and the DRAM that they share.

Each SM runs a stride of cycles on its own, fewer than an access takes to L2 and back; who goes first changes in turn.
Both drivers do it in this order, so that they agree to the cycle.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from smsim.gpcs import cpcs, gpcs
from smsim.in_lines import LINE_BYTES, zeros
from smsim.model import Model
from smsim.state.chip import NUM_SIDES

STRIDE = 16  # cycles

# The arrays that every SM has for itself.
OWN = (
    *("warps", "wakes", "turns", "issue_counts", "results", "copies", "producers", "gates", "smsps", "blocks", "sm"),
    *("queues", "data_queue", "l1_queue"),
    *("fills", "lines", "line_places", "fetched", "l1", "l1_ways", "l1_again", "store_lines"),
    *("constants", "constant_places", "constants_coming", "late_ldcs"),
    "dram_pairs",
)
# Those that they share and change.
SHARED = ("chip", "servers", "l2", "l2_sets", "l2_parts", "asked", "pushed", "warp_cycles")


def several(model: Model, sms: int) -> Model:
    """So many SMs as one that has not begun: the arrays that each has for itself have the SMs as their first axis."""
    own = _copies(model, OWN, sms)
    own["sm"]["index"] = np.arange(sms)[:, None]
    own["sm"]["side"] = own["sm"]["index"] % NUM_SIDES
    own["sm"]["gpc"] = own["sm"]["cpc"] = -1
    if sms > 1:
        gpc = gpcs(sms)
        own["sm"]["gpc"] = gpc[:, None]
        if model.params[0]["sharers"] == 1.0:
            own["sm"]["cpc"] = cpcs(gpc)[:, None]
        own["sm"]["constants_late"] += (_turns(gpc) * model.params[0]["constants_of_others"]).astype(np.int64)[:, None]
    return replace(model, **own)


def _turns(gpc: NDArray[np.int64]) -> NDArray[np.float64]:
    """When a GPC's SMs are first served by what serves them in turn, as a share of a turn: shape (SMs,)."""
    before = np.array([np.count_nonzero(gpc[:number] == gpc[number]) for number in range(len(gpc))])
    return before / np.bincount(gpc)[gpc]


def apart(model: Model) -> Model:
    """A model that goes on from where another stands whose SMs have begun with nothing yet; that one stays as it is."""
    names = [name for name in ("sm", *SHARED) if name != "l2_parts"]
    copies = {name: array[0] for name, array in _copies(model, names, 1).items()}
    # These are many, and all 0 where L2 has no sector in part.
    parts = zeros(model.l2_parts.shape, model.l2_parts.dtype)
    if model.l2_sets["partial"].any():
        parts[...] = model.l2_parts
    return replace(model, **copies, l2_parts=parts)


def _copies(model: Model, names: Sequence[str], sms: int) -> dict[str, np.ndarray]:
    """So many copies of some arrays, each of which begins with a cache line; of zeros no memory is touched.

    They lie in one piece, an SM's arrays side by side: so large a piece the host has in large pages, of which it knows
    where they are. SMs are an odd number of lines apart: so what is in the same place spreads over all sets of a cache.
    """
    arrays = {name: getattr(model, name) for name in names}
    first = np.cumsum([0, *(-(-array.nbytes // LINE_BYTES) for array in arrays.values())]) * LINE_BYTES
    rows = zeros((sms, int(first[-1]) | LINE_BYTES), np.uint8)
    copies = {}
    for (name, array), start in zip(arrays.items(), first[:-1], strict=True):
        copies[name] = rows[:, start : start + array.nbytes].view(array.dtype).reshape(sms, *array.shape)
        content = array.reshape(-1).view(np.uint8)
        if content.any():
            rows[:, start : start + array.nbytes] = content  # as bytes: records NumPy copies field by field
    return copies


def one_of(model: Model, number: int) -> Model:
    """One of several SMs; what it does to its arrays it does to theirs."""
    return replace(model, **{name: getattr(model, name)[number] for name in OWN})


def tables(models: Model) -> NDArray[np.intp]:
    """The table (:attr:`Model.table`) of each of several SMs: shape (SMs, words)."""
    sms = len(models.sm)
    words = np.tile(one_of(models, 0).table, (sms, 1))
    for place, (name, array) in enumerate(models.arrays()):
        if name in OWN:
            words[:, place] += np.arange(sms) * array.strides[0]
    return words


def first_in(stride: int, sms: int) -> int:
    """The SM that goes first in a stride, by the cycle at which that begins."""
    return stride // STRIDE % sms
