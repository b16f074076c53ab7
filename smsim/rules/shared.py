"""From the head of an SMSP's queue to shared memory: the path that its operands take, and the SM's data stage.

All instructions for memory and shuffles take one path, in order, on which every source register has its cycles. Behind
it the SMSPs enter the LSU one after the other, as fast as it takes their data, and there an instruction waits its turn
for shared memory's data stage. Its halves serve SMSPs 0 and 2, 1 and 3, and make a pass, a wavefront, in two cycles.
Seen on the H100: microbenchmarks ``mio`` and ``atoms``.
"""

import numpy as np

from smsim.code import LG
from smsim.events import Event
from smsim.model import Model
from smsim.rules.rule import rule
from smsim.shared_service import ATOMIC, LOAD, STORE
from smsim.state import MAX_DATA_QUEUE, NEVER, NUM_HALVES, NUM_SMSPS

SHARED_REQUESTS = int(Event.SHARED_REQUESTS)
SHARED_WAVEFRONTS = int(Event.SHARED_WAVEFRONTS)


@rule
def take_lsu(m: Model, smsp: int, pc: int, path: float, shared: float, now: int) -> int:
    """An access to L1TEX that set out now holds the path at least for its interval, then enters the LSU.

    Returns for how long a load's data has to wait for the data stage, of which it takes either half.
    """
    code = m.instructions[pc]
    way, sm = m.smsps[smsp], m.sm[0]
    # Fractions of a cycle are carried on.
    way["operand_path_free"] = max(float(now), way["operand_path_free"]) + max(float(code["interval"]), path)
    sm["arbiter"] = (smsp + 1) % NUM_SMSPS
    arrival = now + code["path"]
    entered = max(float(arrival), sm["lsu_free"])
    if code["is_store"] or code["is_atomic"]:
        sm["lsu_free"] = entered + max(float(code["sm_interval"]), shared)
        return 0
    sm["lsu_free"] = entered + 1.0
    half = 0 if sm["data_free"][0] <= sm["data_free"][1] else 1
    return pass_data(m, half, int(shared), int(entered)) - arrival


@rule
def enter_path(m: Model, smsp: int, w: int, pc: int, access: int, now: int) -> None:
    """The instruction sets out for the data stage; nothing else enters the path until it is there."""
    way = m.smsps[smsp]
    way["moving_warp"], way["moving_pc"], way["moving_access"] = w, pc, access
    way["moving_until"] = now + m.instructions[pc]["interval"]


@rule
def arrives_at(m: Model, smsp: int) -> int:
    """When the instruction on the path enters the LSU, whose queue may be full; NEVER when there is none."""
    way, sm, p = m.smsps[smsp], m.sm[0], m.params[0]
    if way["moving_warp"] < 0:
        return NEVER
    code = m.instructions[way["moving_pc"]]
    at = max(way["moving_until"], int(sm["lsu_free"]))
    if code["unit"] == LG and code["is_store"]:
        return at
    places = p["data_queue_stores"] if code["sends_data"] else p["data_queue_loads"]
    return max(at, sm["data_starts"][MAX_DATA_QUEUE - places])


@rule
def through_shared(m: Model, smsp: int, pc: int, access: int, now: int) -> int:
    """Shared memory, shuffles and whatever else the LSU does without L1TEX, from the path's end on; returns when the
    result is there.
    """
    code = m.instructions[pc]
    sm = m.sm[0]
    passes, sent, extra = 1, 1, 0
    if access >= 0:
        kind = m.kinds[m.accesses[access]["kind"]]
        wavefronts = wavefronts_of(m, pc, kind)
        sm["events"][SHARED_REQUESTS] += 1
        sm["events"][SHARED_WAVEFRONTS] += wavefronts
        passes = wavefronts * code["shared_passes"]
        extra = (passes - code["words"] * code["shared_passes"]) * m.params[0]["conflict_interval"]
        if code["shared_service"] == LOAD:
            extra -= code["words"] - kind["load_groups"]
        elif code["sends_data"]:
            sent = kind["least_wavefronts"]
    sm["lsu_free"] = now + code["sm_interval"] + sent - 1
    sm["arbiter"] = (smsp + 1) % NUM_SMSPS
    start = pass_data(m, smsp % NUM_HALVES, passes, now)
    # The table's latency counts from the issue, with an empty queue, a free path, no conflict and no groups merged.
    return start - code["interval"] - code["queue_latency"] + code["latency"] + extra


@rule
def wavefronts_of(m: Model, pc: int, kind: np.void) -> int:
    """Passes that the access needs, once."""
    service = m.instructions[pc]["shared_service"]
    if service == LOAD:
        return kind["wavefronts"]
    if service == STORE:
        return kind["store_wavefronts"]
    return kind["atomic_wavefronts"] if service == ATOMIC else 1


@rule
def pass_data(m: Model, half: int, passes: int, now: int) -> int:
    """Take a half of the data stage for so many passes, behind all that came before; returns when the first begins."""
    sm = m.sm[0]
    start = max(now, sm["data_free"][half])
    sm["data_free"][half] = start + passes * m.params[0]["conflict_interval"]
    for place in range(MAX_DATA_QUEUE - 1):
        sm["data_starts"][place] = sm["data_starts"][place + 1]
    sm["data_starts"][MAX_DATA_QUEUE - 1] = start
    return start
