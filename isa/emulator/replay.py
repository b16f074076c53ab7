"""Straight runs of one group of warps, one after the other, as operations that were captured before."""

from typing import Any

import numba
import numpy as np

from isa.compiled import compiled
from isa.emulator import access
from isa.emulator import operations as op
from isa.emulator.addresses import array1, array2, array3, call_loop
from isa.emulator.barriers import pass_at_once, recorded_key
from isa.operand import RZ
from isa.trace.model import Space
from isa.trace.shapes import note_accesses

# What is known of the run at each instruction: its operations, its length, its accesses, and how it ends; TARGET is
# where a branch leads, REGISTER the barrier of BSYNC or BAR, CLOSES whether the way to TARGET closes a loop of
# interest, SHAPE that of BAR's last access.
FIRST_OP, END_OP, LENGTH, ACCESSES, CONTROL, TARGET, REGISTER, CLOSES, SHAPE = range(9)
BLOCK_FIELDS = 9

# How a run ends: it goes on at TARGET; there, if mask 2 holds the whole group, and behind itself if it is empty; behind
# itself if its last instruction was skipped, if all lanes meet at BSYNC, or all of their blocks at BAR; Python decides.
GO, BRANCH, GUARDED, MEETING, PASSING, ASK = range(6)

# The state, int64: the run in which the group is, its next operation, -1 for the first; why it stopped; runs,
# instructions and changes so far; notes for the trace; instructions skipped in this run; what is wrong with an access;
# the run before; then what makes it stop: so many runs or instructions, coming to or behind where others are; the
# first warp of the group, and that of the batch in the trace; and coming back in a loop of interest, but for so many
# times in the loop that a certain branch closes, or in any.
PC, OPERATION, REASON, STEP, EXECUTED, CHANGES, EVENTS, SKIPPED, FAULT, LAST = range(10)
STEP_LIMIT, EXECUTED_LIMIT, OTHERS_AT, OTHERS_FROM, FIRST, WARP_BASE, LOOP, PATIENCE = range(10, 18)
STATE = 18
ANY_LOOP = -2

# Why it stopped: Python is to look whether the group goes on; to call a closure; to end the run; an access is at fault.
LOOK, CALLING, ENDING, FAULTY = range(4)

_recorded_key = numba.njit(recorded_key)

MASKS = 3  # of the group, of a guarded instruction, of the lanes that take a branch


@numba.njit
def _loop(ops: Any, base: int, number: int, operands: Any) -> None:
    """An operation of kind LOOP; ``base`` is the address of ``ops``, ``operands`` room for as many addresses."""
    row = base + number * op.WORDS * 8
    function, data, count, steps = (
        ops[number, op.FUNCTION],
        ops[number, op.DATA],
        row + op.COUNT * 8,
        row + op.STEPS * 8,
    )
    outer, inner = ops[number, op.OUTER], ops[number, op.INNER]
    if outer == 1 and inner == 1:
        call_loop(function, row + op.ADDRESSES * 8, count, steps, data)
        return
    for i in range(outer):
        for j in range(inner):
            for k in range(op.OPERANDS):
                strides = i * ops[number, op.OUTER_STEPS + k] + j * ops[number, op.INNER_STEPS + k]
                operands[k] = ops[number, op.ADDRESSES + k] + strides
            call_loop(function, operands.ctypes.data, count, steps, data)


@numba.njit
def _guard(mask: Any, index: int, skipped: int, skips: Any, skipping: Any) -> tuple[int, bool]:
    """Note that instruction ``index`` is skipped in warps without a lane of ``mask``; how many notes, and if all."""
    everywhere, anywhere = True, False
    for row in range(mask.shape[0]):
        executes = False
        for lane in range(32):
            executes |= mask[row, lane]
        skipping[skipped, row] = not executes
        everywhere &= not executes
        anywhere |= not executes
    if not anywhere:
        return skipped, False
    skips[skipped, 0] = index
    skips[skipped, 1] = everywhere
    return skipped + 1, everywhere


@numba.njit
def _branch(group: Any, taken: Any) -> Any:
    """1 if all lanes of a group take a branch, 0 if none, -1 otherwise."""
    some, others = False, False
    for row in range(group.shape[0]):
        for lane in range(32):
            some |= taken[row, lane]
            others |= group[row, lane] and not taken[row, lane]
    return -1 if some and others else int(some)


@numba.njit
def _all_meet(convergence: Any, alive: Any, row_bits: Any, mask: Any) -> bool:
    """Whether the lanes that are to meet are those of the group, in each warp of it."""
    for row in range(mask.shape[0]):
        for lane in range(32):
            if mask[row, lane] and convergence[row, lane] & alive[row] != row_bits[row, 0]:
                return False
    return True


@numba.njit
def _end_of_run(  # noqa: PLR0917
    blocks: Any,
    pc: int,
    masks: Any,
    state: Any,
    skips: Any,
    convergence: Any,
    first: int,
    alive: Any,
    row_bits: Any,
    barriers: Any,
    warps_per_block: int,
) -> Any:
    """Where the group goes on behind the run at ``pc``, -1 if Python has to say; arguments as of ``replay``."""
    skipped, control = state[SKIPPED], blocks[pc, CONTROL]
    behind = pc + blocks[pc, LENGTH]
    for number in range(skipped):
        if not skips[number, 1]:
            return -1  # histories part
    if control == GO:
        return blocks[pc, TARGET]
    if control == BRANCH:
        taken = _branch(masks[0], masks[2])
        return -1 if taken < 0 else blocks[pc, TARGET] if taken else behind
    if control == GUARDED and skipped and skips[skipped - 1, 0] == behind - 1:
        return behind
    if control == MEETING:
        n = masks.shape[1]
        needs = convergence[blocks[pc, REGISTER], first : first + n]
        return behind if _all_meet(needs, alive[first : first + n], row_bits, masks[0]) else -1
    if control == PASSING:
        arrived, uses = barriers
        passes = pass_at_once(blocks[pc, REGISTER], arrived, uses, alive, warps_per_block, first, row_bits)
        return behind if passes else -1
    return -1


@numba.njit
def _note_run(  # noqa: PLR0917
    pc: int, length: int, skipped: int, skips: Any, events: Any, noted: int
) -> int:
    """Note pieces of a run for the histories: those that were executed, and skipped instructions; returns how many."""
    start = pc
    for number in range(skipped):
        index = skips[number, 0]
        if index > start:
            events[noted] = start << 32 | (index - start) << 1 | 1
            noted += 1
        events[noted] = index << 32 | 1 << 1
        noted += 1
        start = index + 1
    if start < pc + length:
        events[noted] = start << 32 | (pc + length - start) << 1 | 1
        noted += 1
    return noted


# The arrays that ``replay`` works on, by their places in its context: operations and runs, by their first instruction,
# as above; masks, bool (3, n, 32); room for the warps in which a mask has lanes, bool (n, 1); instructions skipped in
# this run and whether in all warps, int64 (k, 2), and in which, bool (k, n); room for notes for the histories; room for
# an access, as in ``access.Scratch``; the batch's register files; all memory as words and as bytes, and how it is laid
# out; the log of accesses; where the lanes of the batch's warps meet, which are alive, which the group has; and the
# state of the block barriers.
OPS, BLOCKS, MASKED, SOME, SKIPS, SKIPPING, NOTES, ADDRESS, WHERE, FOUND = range(10)
GENERAL, UNIFORM, WORDS, BYTES, TABLES, GEOMETRY = range(10, 16)
COUNTS, WARPS, SHAPES, BASES, SLOTS, KEYS, CONVERGENCE, ALIVE, ROW_BITS, ARRIVED, USES = range(16, 27)
ARRAYS = 27


@compiled("void(int64[:,::1], int64[::1])")
def replay(context: Any, state: Any) -> None:  # noqa: PLR0915
    """Let a group go on until Python has to decide something.

    Args:
        context: int64 (ARRAYS, 4), the addresses and shapes of the arrays, all C-contiguous.
        state: as named above, changed.
    """
    ops, blocks = array2(context, OPS, np.int64), array2(context, BLOCKS, np.int64)
    masks, executing = array3(context, MASKED, np.bool_), array2(context, SOME, np.bool_)
    skips, skipping = array2(context, SKIPS, np.int64), array2(context, SKIPPING, np.bool_)
    events = array1(context, NOTES, np.int64)
    address, where = array2(context, ADDRESS, np.uint64), array2(context, WHERE, np.int64)
    found = array1(context, FOUND, np.uint8)
    general, uniform = array3(context, GENERAL, np.uint32), array3(context, UNIFORM, np.uint32)
    words, memory = array1(context, WORDS, np.uint32), array1(context, BYTES, np.uint8)
    tables, geometry = array2(context, TABLES, np.uint64), array1(context, GEOMETRY, np.int64)
    counts, bases = array1(context, COUNTS, np.int64), array1(context, BASES, np.uint64)
    warps, shapes, slots = (
        array1(context, WARPS, np.int32),
        array1(context, SHAPES, np.int32),
        array1(context, SLOTS, np.int32),
    )
    keys = array2(context, KEYS, np.uint64)
    log = counts, warps, shapes, bases, slots, keys
    barriers = array2(context, ARRIVED, np.uint32), array2(context, USES, np.int64)
    convergence, alive = array3(context, CONVERGENCE, np.uint32), array1(context, ALIVE, np.uint32)
    row_bits = array2(context, ROW_BITS, np.uint32)
    first, warp_base = state[FIRST], state[WARP_BASE]
    base = ops.ctypes.data
    operands = np.empty(op.OPERANDS, np.int64)
    n = masks.shape[1]
    pc, number = state[PC], state[OPERATION]
    while True:
        end = blocks[pc, END_OP]
        if number < 0:
            number = blocks[pc, FIRST_OP]
            state[SKIPPED] = 0
            if number < 0 or counts[0] + blocks[pc, ACCESSES] * n > len(warps):
                break
            if counts[1] + blocks[pc, ACCESSES] * n >= len(keys) or state[EVENTS] + 2 * len(skips) + 2 > len(events):
                break
        while number < end:
            kind = ops[number, 0]
            if kind in (op.LOOP, op.COPY):
                _loop(ops, base, number, operands)
            elif kind == op.ADDRESS:
                access.add_up(
                    general[ops[number, 1], first : first + n],
                    general[ops[number, 2], first : first + n],
                    uniform[ops[number, 3], first : first + n],
                    uniform[ops[number, 4], first : first + n],
                    ops[number, 5],
                    ops[number, 6],
                    ops[number, 7],
                    address,
                )
            elif kind == op.LOCATE:
                mask, space, width = masks[ops[number, 1]], ops[number, 2], ops[number, 3]
                fault = access.translate(address, mask, width, space, tables, geometry, first, where, found)
                if fault >= 0:
                    state[FAULT], state[OPERATION], state[REASON] = fault, number, FAULTY
                    return
                if ops[number, 5]:
                    space = access.recorded_space(space, found)
                    ops[number, op.GUESS] = note_accesses(
                        address, mask, space, width, warp_base + first, ops[number, op.GUESS], *log
                    )
            elif kind == op.LOAD:
                mask, width, to = masks[ops[number, 1]], ops[number, 2], ops[number, 4]
                if to == RZ:
                    pass
                elif width >= 4:
                    access.load_words(words, where, mask, general[to : to + width // 4, first : first + n])
                else:
                    access.load_narrow(memory, where, mask, width, ops[number, 3] != 0, general[to, first : first + n])
            elif kind == op.STORE:
                mask, width, source = masks[ops[number, 1]], ops[number, 2], ops[number, 3]
                state[CHANGES] += 1
                if width < 4:
                    access.store_narrow(memory, where, mask, width, general[source, first : first + n])
                elif source == RZ:
                    zeros = np.zeros((width // 4, n, 32), np.uint32)
                    access.store_words(words, where, mask, zeros)
                else:
                    values = general[source : source + width // 4, first : first + n]
                    access.store_words(words, where, mask, values)
            elif kind == op.GUARD:
                mask = masks[ops[number, 1]]
                state[SKIPPED], skip = _guard(mask, ops[number, 2], state[SKIPPED], skips, skipping)
                if skip:
                    number += ops[number, 3]
            elif kind == op.ROWS:
                for row in range(n):
                    executing[row, 0] = masks[ops[number, 1], row].any()
            elif kind == op.MEET:
                access.meet(convergence[ops[number, 2], first : first + n], masks[ops[number, 1]])
            else:
                state[PC], state[OPERATION], state[REASON] = pc, number, CALLING
                return
            number += 1
        following = _end_of_run(
            blocks, pc, masks, state, skips, convergence, first, alive, row_bits, barriers, geometry[2]
        )
        if following < 0:
            state[PC], state[REASON] = pc, ENDING
            return
        if blocks[pc, CONTROL] == PASSING:
            address[:] = _recorded_key(np.uint64(blocks[pc, REGISTER]), geometry[2])
            blocks[pc, SHAPE] = note_accesses(
                address, masks[0], Space.BARRIER, 0, warp_base + first, blocks[pc, SHAPE], *log
            )
        length = blocks[pc, LENGTH]
        state[EVENTS] = _note_run(pc, length, state[SKIPPED], skips, events, state[EVENTS])
        state[EXECUTED] += length
        state[STEP] += 1
        state[LAST] = pc
        closes = following <= pc and blocks[pc, CLOSES] and state[LOOP] != ANY_LOOP
        if closes and state[LOOP] == pc + length - 1 and state[PATIENCE] > 0:
            state[PATIENCE] -= 1
            closes = False
        pc, number = following, -1
        if closes or state[EXECUTED] > state[EXECUTED_LIMIT] or state[STEP] >= state[STEP_LIMIT]:
            break
        if pc >= state[OTHERS_AT] and state[STEP] >= state[OTHERS_FROM]:
            break
    state[PC], state[OPERATION], state[REASON] = pc, -1, LOOK
