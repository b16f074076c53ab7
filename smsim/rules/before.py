"""What L2 holds when a launch begins: what the same launch just before it left, or what other SMs bring meanwhile."""

from isa.trace.model import Space
from smsim.model import Model
from smsim.rules.cursor import advance, start
from smsim.rules.l2 import home_of, place_of
from smsim.rules.rule import entry, rule
from smsim.state import NUM_SIDES

GLOBAL = int(Space.GLOBAL)
EVENLY = 0.6180339887498949  # its multiples fall evenly between whole numbers


@entry
def leave_launch(m: Model) -> None:
    """Touch in L2 what the blocks touch, as many blocks at once as are resident, their warps in turn."""
    blocks_at_once = m.sm[0]["block_slots"]
    for first in range(0, len(m.traced_blocks), blocks_at_once):
        last = min(first + blocks_at_once, len(m.traced_blocks)) - 1
        first_warp, end_warp = m.traced_blocks[first]["first_warp"], m.traced_blocks[last]["end_warp"]
        for w in range(end_warp - first_warp):
            start(m, w, first_warp + w)
        running = True
        while running:
            running = False
            for w in range(end_warp - first_warp):
                if m.warps[w]["run_end"] > 0:
                    running = True
                    # The first blocks are on the same SMs in every launch, those behind them anywhere.
                    side = m.sm[0]["side"] if first == 0 else (first + w) % NUM_SIDES
                    step(m, w, side)


@rule
def step(m: Model, w: int, side: int) -> None:
    """One instruction of a warp."""
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    if code["records_access"] and warp["mask"] != 0:
        touch(m, warp["access"], code["is_store"] or code["is_atomic"], side)
        warp["access"] += 1
    if not advance(m, w):
        warp["run_end"] = 0


@rule
def touch(m: Model, access: int, is_store: bool, side: int) -> None:
    """An access to global memory, without time."""
    kind = m.kinds[m.accesses[access]["kind"]]
    if kind["space"] != GLOBAL:
        return
    for i in range(kind["first_touch"], kind["end_touch"]):
        put(m, m.accesses[access]["line"] + m.touches[i]["delta"], m.touches[i]["sectors"], is_store, side)


@rule
def put(m: Model, line: int, sectors: int, is_store: bool, side: int) -> None:
    """Sectors of a line are in L2."""
    held = m.l2[place_of(m, line, 0)]
    held["sectors"] |= sectors
    held["sides"] |= 1 << home_of(line)
    if is_store:
        held["dirty"] |= sectors
    else:
        held["sides"] |= 1 << side


@entry
def bring(m: Model) -> None:
    """Put into L2 the lines that other SMs touch before the simulated ones do, into the partition that is their home."""
    for access in m.accesses:
        kind = m.kinds[access["kind"]]
        if kind["space"] == GLOBAL:
            for i in range(kind["first_touch"], kind["end_touch"]):
                line = access["line"] + m.touches[i]["delta"]
                if (line * EVENLY) % 1.0 >= m.params[0]["first"]:
                    put(m, line, m.touches[i]["sectors"], False, home_of(line))
