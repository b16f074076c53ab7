"""Guards of control-flow instructions: which lanes execute, and what becomes of the others."""

import numpy as np

from isa.emulator.code import guard_reader
from isa.emulator.lanes import Bools, Lanes
from isa.instruction import Instruction
from isa.semantics.registry import Control


def guarded(ins: Instruction, inner: Control) -> Control:
    """``inner`` for the lanes whose guard is true; the others go on behind the instruction."""
    if ins.guard is None:
        return inner
    read = guard_reader(ins.guard)
    index = ins.index

    def run(lanes: Lanes) -> int | None:
        chosen = read(lanes) & lanes.active()
        if note_skipped(lanes, index, chosen):
            return index + 1
        batch = lanes.batch
        if np.count_nonzero(chosen) == batch.group.size:
            return inner(lanes)
        following = inner(batch.narrow(chosen, index + 1))
        if following is not None:
            batch.resume_at(following)
        return None

    return run


def guarded_as_one(ins: Instruction, inner: Control) -> Control:
    """``inner`` for all lanes of the group when the guard is true in one: for what does not divide a warp.

    The compiler relies on it: it goes on with uniform registers as if the warp had stayed together.
    """
    if ins.guard is None:
        return inner
    read = guard_reader(ins.guard)
    index = ins.index

    def run(lanes: Lanes) -> int | None:
        chosen = read(lanes) & lanes.active()
        if note_skipped(lanes, index, chosen):
            return index + 1
        rows = chosen.any(axis=1, keepdims=True)
        whole = lanes.active() & rows
        batch = lanes.batch
        if np.count_nonzero(whole) == batch.group.size:
            return inner(lanes)
        following = inner(batch.narrow(whole, index + 1))
        if following is not None:
            batch.resume_at(following)
        return None

    return run


def note_skipped(lanes: Lanes, index: int, chosen: Bools) -> bool:
    """Note the warps in which no lane is ``chosen``; returns whether that is all of them."""
    if not chosen.any():
        lanes.skipped.append((index, None))
        return True
    if len(chosen) > 1:
        rows = chosen.any(axis=1)
        if not rows.all():
            lanes.skipped.append((index, ~rows))
    return False
