"""Guards of control-flow instructions: which lanes execute, and what becomes of the others."""

import numpy as np

from isa.emulator.controls import GuardedControl, guard_reader, note_skipped
from isa.emulator.lanes import Lanes
from isa.instruction import Instruction
from isa.semantics.registry import Control


def guarded(ins: Instruction, inner: Control) -> Control:
    """``inner`` for the lanes whose guard is true; the others go on behind the instruction."""
    if ins.guard is None:
        return inner
    return GuardedControl(ins.index, guard_reader(ins.guard), inner)


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
