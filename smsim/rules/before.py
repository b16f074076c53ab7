"""What L2 holds when a launch begins: what the same launch just before it left, or what other SMs bring meanwhile."""

import numpy as np
from numpy.typing import NDArray

from isa.trace.model import Space
from smsim.code import LG
from smsim.model import Model
from smsim.rules.copiers import BLOCK, copier_side
from smsim.rules.cursor import advance, start
from smsim.rules.foresight import foresee_l2_sets, foresee_places
from smsim.rules.hashing import spread
from smsim.rules.l2 import BEFORE, find, keep, renew, sectors_of
from smsim.rules.lookup import holds
from smsim.rules.rule import entry, rule
from smsim.state.chip import NUM_SIDES
from smsim.state.l2 import ASKED_FOR

GLOBAL = int(Space.GLOBAL)
ANYWHERE = -1  # an SM for each line
MANY = 1 << 60
SAVED = 1 << 39  # lines from any to its copy
# So many accesses, or warps, ahead what L2 will be searched for is fetched from the host's memory: its sets, the lines.
SETS_AHEAD, LINES_AHEAD = 8, 4


@entry
def leave_launch(m: Model) -> None:
    """Touch in L2 what the blocks touch, as many blocks at once as are resident, their warps in turn."""
    at_once = m.chip[0]["sms"] * m.sm[0]["block_slots"]
    for first in range(0, len(m.traced_blocks), at_once):
        end = min(first + at_once, len(m.traced_blocks))
        running = first_instructions(m, first, end)
        warps = running
        while running > 0:
            running = 0
            pass_quiet_turns(m, warps)
            for number in range(first, end):
                running += step_block(m, number, first)
    begin(m)


@entry
def copy_back(m: Model, stored: NDArray[np.int64], allocations: NDArray[np.int64], sms: int) -> None:
    """What ncu does before each of several passes: it copies back, from where it saved it, what the launch stored.

    Seen on the H100: copies of 12 + 12 and 18 + 18 MB take as long behind such a copy as ncu says that they do
    (11,990 and 20,690 cycles), without it 7,500 and 17,630. Where ncu runs the program again for each pass, none of
    what a kernel changes in place comes from far.

    Args:
        m: the machine.
        stored: the accesses that stored, by number.
        allocations: first line and lines of each array, shape (N, 2).
        sms: of the whole GPU.
    """
    for i in range(len(stored)):
        for further in (SAVED, 0):
            if i + SETS_AHEAD < len(stored):
                foresee_touch(m, stored[i + SETS_AHEAD], further, True)
            if i + LINES_AHEAD < len(stored):
                foresee_touch(m, stored[i + LINES_AHEAD], further, False)
        touch(m, stored[i], False, SAVED, ANYWHERE)
        give_back(m, stored[i], allocations, sms)
    begin(m)


@entry
def copy_from_host(m: Model, stored: NDArray[np.int64]) -> None:
    """What the host does before each launch that is measured: what accesses have stored has its contents again."""
    for access in stored:
        kind = m.kinds[m.accesses[access]["kind"]]
        if kind["space"] == GLOBAL:
            for i in range(kind["first_touch"], kind["end_touch"]):
                renew(m, m.accesses[access]["line"] + m.touches[i]["delta"])


@entry
def has_lost(m: Model, tags: NDArray[np.int64], most: float) -> bool:
    """Whether L2 has no more of more than so many lines, by the tags that they had in it."""
    gone = 0
    for i in range(len(tags)):
        foresee_l2_sets(m, tags[min(i + SETS_AHEAD, len(tags) - 1)] // NUM_SIDES)
        gone += find(m, tags[i] // NUM_SIDES, tags[i] % NUM_SIDES) < 0
        if gone > most:
            return True
    return False


@rule
def step_block(m: Model, number: int, first: int) -> int:
    """One instruction of each warp of a block; returns how many warps have another one.

    Blocks that are all resident at once are on the same SMs in every launch; of more of them none is, not even of the
    first. Seen on the H100: %smid in launches of copies, of 132 to 1,056 blocks that fit and of 1,584 that do not.
    """
    block, sms = m.traced_blocks[number], m.chip[0]["sms"]
    side = number % sms % NUM_SIDES if len(m.traced_blocks) <= sms * m.sm[0]["block_slots"] else ANYWHERE
    running = 0
    for trace_warp in range(block["first_warp"], block["end_warp"]):
        w = trace_warp - m.traced_blocks[first]["first_warp"]
        if m.warps[w]["run_end"] > 0:
            step(m, w, side)
            running += m.warps[w]["run_end"] > 0
    return running


@rule
def pass_quiet_turns(m: Model, warps: int) -> None:
    """Pass the turns in which all warps do nothing but repeat loops that come to nothing that L2 may have.

    Looked for when the first of them comes to the first instruction of a loop.
    """
    turns = MANY
    for w in range(warps):
        warp = m.warps[w]
        if warp["run_end"] > 0:
            if turns == MANY and warp["pc"] != m.runs[m.steps[warp["step"]]["first_run"]]["start"]:
                return
            turns = min(turns, quiet_turns(m, w))
            if turns == 0:
                return
    if turns == MANY:
        return
    for w in range(warps):
        warp = m.warps[w]
        if warp["run_end"] > 0:
            once = turns_of(m, warp["step"])
            warp["repeat"] += turns // once
            warp["access"] += turns // once * accesses_of(m, warp["step"])
            for _ in range(turns % once):
                step(m, w, ANYWHERE)


@rule
def quiet_turns(m: Model, w: int) -> int:
    """Instructions that a warp has before it in its loop but for the last time, 0 if L2 may have what that touches."""
    step = m.steps[m.warps[w]["step"]]
    times = step["repeats"] - 1 - m.warps[w]["repeat"]
    if times == 0:
        return 0
    for number in range(step["first_run"], step["end_run"]):
        run = m.runs[number]
        for pc in range(run["start"], run["start"] + run["length"]):
            if m.instructions[pc]["unit"] == LG and run["mask"] != 0:
                return 0
    return times * turns_of(m, m.warps[w]["step"])


@rule
def turns_of(m: Model, step: int) -> int:
    """Instructions of a step, executed once."""
    turns = 0
    for number in range(m.steps[step]["first_run"], m.steps[step]["end_run"]):
        turns += m.runs[number]["length"]
    return turns


@rule
def accesses_of(m: Model, step: int) -> int:
    """Accesses of a step, executed once."""
    accesses = 0
    for number in range(m.steps[step]["first_run"], m.steps[step]["end_run"]):
        run = m.runs[number]
        if run["mask"] != 0:
            for pc in range(run["start"], run["start"] + run["length"]):
                accesses += m.instructions[pc]["records_access"]
    return accesses


@rule
def first_instructions(m: Model, first: int, end: int) -> int:
    """Put warps at the first instructions of the blocks from ``first`` to before ``end``; returns how many warps."""
    first_warp, end_warp = m.traced_blocks[first]["first_warp"], m.traced_blocks[end - 1]["end_warp"]
    for w in range(end_warp - first_warp):
        start(m, w, first_warp + w)
    return end_warp - first_warp


@rule
def begin(m: Model) -> None:
    """What happened before the launch took no time of it, and is not counted."""
    m.sm[0]["events"][:] = 0
    m.chip[0]["dram_read"] = 0
    m.chip[0]["stored"] = 0.0
    m.pushed["until"][:] = 0.0
    m.pushed["last"][:] = 0
    for server in range(len(m.servers)):
        m.servers[server]["free"] = 0.0
        m.servers[server]["idle"][:] = 0.0
        m.servers[server]["idle_until"] = 0.0
        m.servers[server]["load"] = 0.0


@rule
def step(m: Model, w: int, side: int) -> None:
    """One instruction of a warp."""
    warp = m.warps[w]
    code = m.instructions[warp["pc"]]
    if code["records_access"] and warp["mask"] != 0:
        if code["unit"] == LG:
            if w + SETS_AHEAD < len(m.warps):
                foresee_touch(m, m.warps[w + SETS_AHEAD]["access"], 0, True)
                foresee_touch(m, m.warps[w + LINES_AHEAD]["access"], 0, False)
            stores = code["is_store"] or code["is_atomic"]
            touch(m, warp["access"], stores, 0, side)
            m.stored[warp["access"]] = stores
        warp["access"] += 1
    if not advance(m, w):
        warp["run_end"] = 0


@rule
def foresee_touch(m: Model, access: int, further: int, sets: bool) -> None:
    """L2's ``sets`` of an access's lines, or of those so far behind, will be searched, or what it knows of them."""
    if access < len(m.accesses):
        kind = m.kinds[m.accesses[access]["kind"]]
        for i in range(kind["first_touch"], kind["end_touch"]):
            line = m.accesses[access]["line"] + further + m.touches[i]["delta"]
            if sets:
                foresee_l2_sets(m, line)
            else:
                foresee_places(m, line)


@rule
def touch(m: Model, access: int, is_store: bool, further: int, side: int) -> None:
    """An access to global memory, or so many lines further, from an SM near a partition of L2, or from many SMs."""
    kind = m.kinds[m.accesses[access]["kind"]]
    if kind["space"] != GLOBAL:
        return
    for i in range(kind["first_touch"], kind["end_touch"]):
        line = m.accesses[access]["line"] + further + m.touches[i]["delta"]
        near = spread(line, NUM_SIDES) if side == ANYWHERE else side
        keep(m, line, sectors_of(m, i), is_store, near, BEFORE)


@rule
def give_back(m: Model, access: int, allocations: NDArray[np.int64], sms: int) -> None:
    """An access's lines are stored again, by the SMs that copy the arrays that have them."""
    kind = m.kinds[m.accesses[access]["kind"]]
    if kind["space"] != GLOBAL:
        return
    for i in range(kind["first_touch"], kind["end_touch"]):
        line = m.accesses[access]["line"] + m.touches[i]["delta"]
        for array in range(len(allocations)):
            inside = line - allocations[array, 0]
            if 0 <= inside < allocations[array, 1]:
                near = copier_side(inside // BLOCK, -(-allocations[array, 1] // BLOCK), sms)
                keep(m, line, sectors_of(m, i), True, near, BEFORE)


@entry
def bring(m: Model) -> None:
    """Put into both partitions of L2 every line that SMs which are not simulated touch first: some are near each.

    They touch them when these SMs begin to, so that none is there before DRAM has answered once.
    """
    for access in m.accesses:
        kind = m.kinds[access["kind"]]
        if kind["space"] == GLOBAL:
            for i in range(kind["first_touch"], kind["end_touch"]):
                line = access["line"] + m.touches[i]["delta"]
                if holds(m.brought, line):
                    for side in range(NUM_SIDES):
                        keep(m, line, sectors_of(m, i), False, side, BEFORE)
                        m.l2[find(m, line, side)]["ready"] = ASKED_FOR
    begin(m)
