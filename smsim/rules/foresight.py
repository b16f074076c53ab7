"""What an access, or an SM's turn, will ask the host's memory for, is fetched from there while something else is done.

The L1s of many SMs and L2 are more than the caches of a host hold, and each line is looked up once in a while. What one
SM looks up is mostly there; to foresee it would take longer. No result depends on any of this.
"""

import numpy as np
from numpy.typing import NDArray

from smsim.in_lines import LINE_BYTES
from smsim.model import Model
from smsim.rules.bits import lowest
from smsim.rules.dram import pair_of
from smsim.rules.l1 import line_of
from smsim.rules.l2 import l2_set_of, likely_place
from smsim.rules.leaving_lines import waiting_line
from smsim.rules.prefetch import prefetch
from smsim.rules.replacement import last_way
from smsim.rules.rule import rule
from smsim.rules.tags import l1_set_of, way_with
from smsim.state.chip import NUM_SIDES
from smsim.state.l1 import L1_WAY
from smsim.state.l2 import L2_SET
from smsim.state.layout import lines_of_numbers, lines_to
from smsim.state.sizes import ALARMS, COUNTER_BITS, KEPT_COUNTS, NUM_SMSPS
from smsim.state.sms import SM
from smsim.state.smsps import SMSP
from smsim.state.warps import RESULT, WARP

SM_LINES = lines_of_numbers(SM)
SMSP_LINES = lines_to(SMSP, "alarms")  # what is behind them is of blocks
COUNTS_LINES = KEPT_COUNTS * COUNTER_BITS * 8 // LINE_BYTES
L1_WAY_BYTES = L1_WAY.itemsize
WARP_LINES = lines_to(WARP, "launch_order")
RESULT_BYTES = RESULT.itemsize
WORD_BYTES = np.dtype(np.intp).itemsize
L2_SET_LINES = L2_SET.itemsize // LINE_BYTES


@rule
def foresee_sets(m: Model, w: int, access: int) -> None:
    """The sets of an access's lines will be searched, of L1, and of L2 where others wait for it as well."""
    if m.chip[0]["sms"] == 1 or access < 0:
        return
    prefetch(m.accesses, access + 1, 0)
    kind, misses = m.kinds[m.accesses[access]["kind"]], m.sm[0]["fills"] > 0
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        number = l1_set_of(m, line)
        foresee_ways(m, number)
        prefetch(m.l1_again, number, 0)
        if misses:
            foresee_l2_sets(m, line)


@rule
def foresee_lines(m: Model, w: int, access: int) -> None:
    """What L1 knows of an access's lines will be asked for.

    Of those that it lacks so will be what it and L2 know of the lines whose places they take.
    """
    if m.chip[0]["sms"] == 1:
        return
    kind = m.kinds[m.accesses[access]["kind"]]
    for touch in range(kind["first_touch"], kind["end_touch"]):
        line = line_of(m, w, access, touch)
        number = l1_set_of(m, line)
        way = way_with(m, number, line)
        if way >= 0:
            prefetch(m.l1[number], way, 0)
        else:
            prefetch(m.l1[number], last_way(m.l1_ways[number]), 0)
            foresee_places(m, line)
            prefetch(m.dram_pairs, pair_of(line), 0)


@rule
def foresee_sent(m: Model, line: int) -> None:
    """The set of L1 of a line that gathered stores will be searched when they have left, the next one's sets of L2."""
    if m.chip[0]["sms"] == 1:
        return
    foresee_ways(m, l1_set_of(m, line))
    if m.sm[0]["store_lines"] > 0:
        foresee_l2_sets(m, waiting_line(m, 0)["line"])


@rule
def foresee_ways(m: Model, number: int) -> None:
    """The ways of a set of L1 will be searched."""
    for part in range(-(-m.l1_ways.shape[1] * L1_WAY_BYTES // LINE_BYTES)):
        prefetch(m.l1_ways, number, part * LINE_BYTES)


@rule
def foresee_l2_sets(m: Model, line: int) -> None:
    """The sets of a line in both partitions of L2 will be searched."""
    for side in range(NUM_SIDES):
        number = l2_set_of(m, line, side)
        for part in range(L2_SET_LINES):
            prefetch(m.l2_sets, number, part * LINE_BYTES)


@rule
def foresee_places(m: Model, line: int) -> None:
    """What both partitions of L2 know of a line, or else of that whose place it takes, will be asked for."""
    for side in range(NUM_SIDES):
        prefetch(m.l2, likely_place(m, line, side), 0)


@rule
def foresee_table(tables: NDArray[np.intp], number: int) -> None:
    """Where the arrays of an SM lie, and how large they are."""
    for line in range(tables.shape[1] * WORD_BYTES // LINE_BYTES + 1):
        prefetch(tables, number, line * LINE_BYTES)


@rule
def foresee_turn(m: Model) -> None:
    """An SM will go on from the single numbers of its own, and from when its SMSPs have something to look at."""
    for line in range(SM_LINES):
        prefetch(m.sm, 0, line * LINE_BYTES)
    for smsp in range(NUM_SMSPS):
        prefetch(m.smsps, smsp, 0)


@rule
def foresee_smsps(m: Model, until: int) -> None:
    """What the SMSPs that have something to look at before a cycle have of their own."""
    for smsp in range(NUM_SMSPS):
        if m.smsps[smsp]["wake"] < until:
            for line in range(1, SMSP_LINES):
                prefetch(m.smsps, smsp, line * LINE_BYTES)
            for line in range(COUNTS_LINES):
                prefetch(m.issue_counts, smsp, line * LINE_BYTES)
            for line in range(-(-m.wakes.shape[1] * 8 // LINE_BYTES)):
                prefetch(m.wakes, smsp, line * LINE_BYTES)


@rule
def foresee_warps(m: Model, until: int) -> None:
    """The warps that SMSPs look at next, if that is before a cycle, and what comes from L2 next."""
    for smsp in range(NUM_SMSPS):
        state = m.smsps[smsp]
        if state["wake"] < until and state["pending"] != 0:
            due = state["alarms"][state["looked"] + lowest(state["pending"]) & ALARMS - 1]
            while due != 0:
                foresee_warp(m, lowest(due) * NUM_SMSPS + smsp)
                due &= due - 1
        if state["wake"] < until and state["later"] < until:
            for slot in range(m.wakes.shape[1]):
                if m.wakes[smsp, slot] < until:
                    foresee_warp(m, slot * NUM_SMSPS + smsp)
    prefetch(m.fills, m.sm[0]["fills_head"], 0)
    prefetch(m.fills, m.sm[0]["fills_head"], LINE_BYTES)


@rule
def foresee_fills(m: Model, until: int) -> None:
    """The warp that what comes from L2 next is for, if it comes before a cycle."""
    first = m.fills[m.sm[0]["fills_head"]]
    if m.sm[0]["fills"] > 0 and first["there"] < until:
        foresee_warp(m, first["warp"])


@rule
def foresee_warp(m: Model, w: int) -> None:
    """All that a warp's record has, and its results."""
    for line in range(WARP_LINES):
        prefetch(m.warps, w, line * LINE_BYTES)
    for line in range(m.results.shape[1] * RESULT_BYTES // LINE_BYTES):
        prefetch(m.results, w, line * LINE_BYTES)


@rule
def foresee_access(m: Model, access: int) -> None:
    """Which lines an access touches will be asked for when it has issued."""
    if m.chip[0]["sms"] > 1:
        prefetch(m.accesses, access, 0)
