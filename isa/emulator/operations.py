"""Operations that ``replay`` executes: rows of integers.

The first integer is the kind; what the others are depends on it. Masks are given by their number: 0 is that of the
group, the others are those of guarded instructions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class NotCapturable(Exception):
    """An instruction does what cannot be noted down as operations; it never leaves the emulator."""


(
    LOOP,  # a ufunc's loop: see below
    COPY,  # one that only copies
    GUARD,  # if mask 1 has no lane, instruction 2 is skipped: go on at operation 3
    ROWS,  # note of which warps mask 1 has lanes
    CALL,  # closure 1 under mask 2: back to Python
    ADDRESS,  # registers 1 and 2, uniform registers 3 and 4, offset 5, shift 6, limit 7
    LOCATE,  # by mask 1: space 2, width 3, of instruction 4, recorded if 5
    LOAD,  # by mask 1: width 2, signed 3, to register 4
    STORE,  # by mask 1: width 2, from register 3
    MEET,  # by mask 1: convergence barrier 2
) = range(10)

# The shape of an operation's last access, in one of kind LOCATE.
GUESS = 6

# What follows an operation of kind LOOP or COPY: its function and the data that it takes, how often to run it, in two
# levels, how many elements it goes over; then for each operand its address, and bytes from element to element, and
# between the times in both levels.
FUNCTION, DATA, OUTER, INNER, COUNT = range(1, 6)
OPERANDS = 7
ADDRESSES = COUNT + 1
STEPS, INNER_STEPS, OUTER_STEPS = (ADDRESSES + OPERANDS * part for part in (1, 2, 3))
WORDS = OUTER_STEPS + OPERANDS


def row(kind: int, *fields: int) -> list[int]:
    """An operation; fields are taken modulo 2**64."""
    signed = [(field + (1 << 63)) % (1 << 64) - (1 << 63) for field in fields]
    return [kind, *signed, *[0] * (WORDS - 1 - len(fields))]


def loop(kind: int, function: int, data: int, shape: tuple[int, ...], operands: Sequence[NDArray[Any]]) -> list[int]:
    """An operation of ``kind`` LOOP or COPY over ``operands``, broadcast to ``shape``.

    Raises:
        NotCapturable: the elements lie too irregularly, or there are too many operands.
    """
    strides = [np.broadcast_to(each, shape).strides for each in operands]
    levels: list[tuple[int, list[int]]] = []  # from the innermost: times, and each operand's bytes
    for axis in reversed(range(len(shape))):
        steps = [each[axis] for each in strides]
        if shape[axis] == 1:
            continue
        if levels and all(step == levels[-1][0] * inner for step, inner in zip(steps, levels[-1][1], strict=True)):
            levels[-1] = (levels[-1][0] * shape[axis], levels[-1][1])
        else:
            levels.append((shape[axis], steps))
    if not levels:
        levels.append((1, [each.itemsize for each in operands]))
    if len(levels) > 3 or len(operands) > OPERANDS:
        raise NotCapturable
    none = (1, [0] * len(operands))
    (count, steps), (inner, inner_steps), (outer, outer_steps) = [*levels, none, none][:3]
    result = row(kind, function, data, outer, inner, count)
    addresses = [each.ctypes.data for each in operands]
    for start, values in (
        (ADDRESSES, addresses),
        (STEPS, steps),
        (INNER_STEPS, inner_steps),
        (OUTER_STEPS, outer_steps),
    ):
        result[start : start + len(operands)] = values
    return result


Extent = tuple[int, ...]


def _extent(operation: Sequence[int], operand: int) -> Extent:
    """Where a loop's operand lies: its address and steps."""
    return tuple(operation[part + operand] for part in (ADDRESSES, STEPS, INNER_STEPS, OUTER_STEPS))


def _bytes(operation: Sequence[int], operand: int) -> range:
    """The bytes that hold a loop's operand; an element has no more than 8."""
    address, *steps = _extent(operation, operand)
    times = operation[COUNT], operation[INNER], operation[OUTER]
    return range(address, address + sum((n - 1) * step for n, step in zip(times, steps, strict=True)) + 8)


def _operands(operation: Sequence[int]) -> list[int]:
    if operation[0] not in (LOOP, COPY):
        return []
    return [place for place in range(OPERANDS) if operation[ADDRESSES + place]]


def _overlap(one: range, other: range) -> bool:
    return one.start < other.stop and other.start < one.stop


def merged(before: list[int], copy: list[int], later: Sequence[Sequence[int]]) -> list[int] | None:
    """The loop ``before`` with its result where ``copy`` would put it, ``None`` if it copies something else.

    Nor if the ``later`` operations read the result, or if the loop would write what it has yet to read.
    """
    if copy[0] != COPY or before[0] != LOOP or copy[OUTER : COUNT + 1] != before[OUTER : COUNT + 1]:
        return None
    *others, result = _operands(before)
    source, target = _operands(copy)[-2:]
    if _extent(before, result) != _extent(copy, source):
        return None
    temporary, written = _bytes(before, result), _bytes(copy, target)
    if any(_overlap(_bytes(each, place), temporary) for each in later for place in _operands(each)):
        return None
    if any(
        _extent(before, place) != _extent(copy, target) and _overlap(_bytes(before, place), written) for place in others
    ):
        return None
    combined = before.copy()
    for part in (ADDRESSES, STEPS, INNER_STEPS, OUTER_STEPS):
        combined[part + result] = copy[part + target]
    return combined
