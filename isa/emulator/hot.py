"""Runs that groups come to again and again: captured, and from then on replayed in compiled code.

Capturing a run takes as long as executing it some dozen times in Python, so it is done for those executed as often. The
operations hold addresses of registers: they are good for one range of warps, with or without a mask, in every batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.emulator import faults, replay
from isa.emulator import operations as op
from isa.emulator.access import Scratch
from isa.emulator.capturing import GROUP, CapturingLanes, Run, capture
from isa.emulator.lanes import CYCLES_PER_INSTRUCTION, WARP_SIZE, RegisterFiles
from isa.emulator.memory import Memory

if TYPE_CHECKING:
    from isa.emulator.batch import Batch
    from isa.emulator.code import Code
    from isa.emulator.group import Group
    from isa.emulator.left_out import LoopWatch
    from isa.trace.recorder import Recorder, Skipped

# So often a run is executed in Python first.
PATIENCE = 16

_EVENTS = 1 << 14

_CHANGING = (
    *(replay.OPS, replay.SKIPS, replay.SKIPPING),
    *(replay.WARPS, replay.SHAPES, replay.BASES, replay.SLOTS, replay.KEYS),
    *(replay.CONVERGENCE, replay.ALIVE, replay.ROW_BITS, replay.ARRIVED, replay.USES),
)


class Stop(NamedTuple):
    """Where a group is after it was replayed.

    Attributes:
        pc: its instruction.
        last: the last run that it has gone through, -1 if none.
        in_run: whether it has executed the run at ``pc`` except for its end.
    """

    pc: int
    last: int
    in_run: bool


class HotCode:
    """The captured runs of a launch."""

    def __init__(self, code: Code, files: RegisterFiles, memory: Memory, recorder: Recorder) -> None:
        """Prepare for groups whose registers are in ``files``."""
        self._code, self._files, self._memory, self._recorder = code, files, memory, recorder
        self._views: dict[tuple[int, int, bool], HotView] = {}

    def view(self, group: Group) -> HotView:
        """What is captured for the warps of a group."""
        lanes = group.lanes
        key = (lanes.first, lanes.last, group.mask is not None)
        view = self._views.get(key)
        if view is None:
            view = self._views[key] = HotView(*key, self._code, self._files, self._memory, self._recorder)
        return view

    def clear(self) -> None:
        """Forget all of it, and with it what the last log of accesses took."""
        self._views.clear()


class HotView:
    """The captured runs of the warps ``first`` to ``last`` (exclusive), ``masked`` if not all lanes execute."""

    def __init__(  # noqa: PLR0917
        self,
        first: int,
        last: int,
        masked: bool,
        code: Code,
        files: RegisterFiles,
        memory: Memory,
        recorder: Recorder,
    ) -> None:
        """Begin with nothing captured."""
        self._first, self._last, self._masked = first, last, masked
        self._code, self._files, self._memory, self._recorder = code, files, memory, recorder
        self._executions: dict[int, int] = {}
        self._runs: dict[int, Run] = {}

    def _prepare(self) -> None:
        """Make room for what is captured; most views never come to that."""
        first, last, files, memory, recorder = self._first, self._last, self._files, self._memory, self._recorder
        count = last - first
        self._scratch = Scratch(count)
        self._masks = np.ones((replay.MASKS, count, WARP_SIZE), np.bool_)
        self._some = np.ones((count, 1), np.bool_)
        self._lanes = CapturingLanes(files, first, last, self._scratch, self._masks, self._some)
        self._rows: list[list[int]] = []
        self._ops = np.zeros((0, op.WORDS), np.int64)
        self._blocks = np.full((self._code.size, replay.BLOCK_FIELDS), -1, np.int64)
        self._skips = np.zeros((1, 2), np.int64)
        self._skipping = np.zeros((1, count), np.bool_)
        self._state = np.zeros(replay.STATE, np.int64)
        self._events = np.zeros(_EVENTS, np.int64)
        self._accesses = 0
        self._arrays: dict[int, NDArray[Any] | None] = dict.fromkeys(range(replay.ARRAYS))
        self._described = np.zeros((replay.ARRAYS, 4), np.int64)
        self._state[replay.FIRST] = first
        for place, array in (
            (replay.BLOCKS, self._blocks),
            (replay.MASKED, self._masks),
            (replay.SOME, self._some),
            (replay.NOTES, self._events),
            (replay.ADDRESS, self._scratch.address),
            (replay.WHERE, self._scratch.where),
            (replay.FOUND, self._scratch.found),
            (replay.GENERAL, files.general),
            (replay.UNIFORM, files.uniform),
            (replay.WORDS, memory.words),
            (replay.BYTES, memory.bytes),
            (replay.TABLES, memory.tables),
            (replay.GEOMETRY, memory.geometry),
            (replay.COUNTS, recorder.log.counts),
        ):
            self._set_array(place, array)

    def has(self, pc: int) -> bool:
        """Whether the run at ``pc``, which a group is about to execute, is captured; if it is due, it is now."""
        if pc in self._runs:
            return True
        executions = self._executions[pc] = self._executions.get(pc, 0) + 1
        if executions <= PATIENCE:
            return False
        self._capture(pc)
        return True

    def _capture(self, pc: int) -> None:
        if not self._runs:
            self._prepare()
        straight = self._code.run_at(pc)
        run = self._runs[pc] = capture(straight, self._lanes, self._masked)
        start = len(self._rows)
        self._rows += run.operations
        self._ops = np.array(self._rows, np.int64).reshape(-1, op.WORDS)
        end = pc + straight.length
        closes = replay.GO <= run.control <= replay.BRANCH and run.target <= pc
        self._blocks[pc] = (
            start,
            len(self._rows),
            straight.length,
            run.accesses,
            run.control,
            run.target,
            run.register,
            closes and self._code.loop_at(run.target, end - 1) is not None,
            0,
        )
        self._accesses = max(self._accesses, run.accesses)
        if run.guards > len(self._skips):
            self._skips = np.zeros((run.guards, 2), np.int64)
            self._skipping = np.zeros((run.guards, self._skipping.shape[1]), np.bool_)

    def follow(self, batch: Batch, group: Group, pc: int, step_limit: int, loops: LoopWatch | None) -> Stop:
        """Replay ``group`` from the run at ``pc`` on, which is captured, until something has to be decided.

        Args:
            batch, group, pc: what goes on.
            step_limit: it stops when so many runs have been executed in all.
            loops: who wants to know of loops, if anybody.

        Raises:
            KernelError: a lane touches what it may not.
            TraceError: there are more accesses than a trace can hold.
        """
        state, masks, log = self._state, self._masks, self._recorder.log
        budget, queue = batch.budget, batch.queue
        if group.mask is not None:
            masks[GROUP] = group.mask
        executed = budget.executed
        state[replay.PC], state[replay.OPERATION], state[replay.LAST], state[replay.STEP] = pc, -1, -1, queue.step
        state[replay.EXECUTED], state[replay.CHANGES], state[replay.EVENTS] = executed, batch.changes, 0
        state[replay.STEP_LIMIT], state[replay.EXECUTED_LIMIT] = step_limit, budget.limit
        state[replay.WARP_BASE] = self._recorder.warp_base
        state[replay.OTHERS_AT], state[replay.OTHERS_FROM] = queue.others_at(), queue.slice_ends
        state[replay.LOOP], patience = (replay.ANY_LOOP, 0) if loops is None else loops.patience(group)
        state[replay.PATIENCE] = patience
        while True:
            log.make_room(self._accesses * group.lanes.count)
            replay.replay(self._context(batch, group), state)
            if state[replay.REASON] == replay.FAULTY:
                self._raise_fault(batch)
            if state[replay.REASON] != replay.CALLING:
                break
            self._call(batch, group, executed)
        if loops is not None:
            loops.come_back(patience - int(state[replay.PATIENCE]))
        done = int(state[replay.EXECUTED]) - executed
        budget.executed += done
        budget.clock += CYCLES_PER_INSTRUCTION * done
        queue.step, batch.changes = int(state[replay.STEP]), int(state[replay.CHANGES])
        self._recorder.pieces(group, self._events[: state[replay.EVENTS]].tolist())
        return Stop(int(state[replay.PC]), int(state[replay.LAST]), state[replay.REASON] == replay.ENDING)

    def _context(self, batch: Batch, group: Group) -> NDArray[np.int64]:
        """The context of ``replay``, of which little changes from one time to the next."""
        log = self._recorder.log
        arrays = (self._ops, self._skips, self._skipping, log.warps, log.shapes, log.bases, log.slots, log.keys)
        barriers = batch.barriers
        of_batch = batch.convergence, batch.alive, group.row_bits, barriers.arrived, barriers.uses
        changing: tuple[NDArray[Any], ...] = (*arrays, *of_batch)
        for place, array in zip(_CHANGING, changing, strict=True):
            if self._arrays[place] is not array:
                self._set_array(place, array)
        return self._described

    def _set_array(self, place: int, array: NDArray[Any]) -> None:
        array = self._arrays[place] = array if array.flags.c_contiguous else np.ascontiguousarray(array)
        self._described[place, : array.ndim + 1] = array.ctypes.data, *array.shape

    def _call(self, batch: Batch, group: Group, executed: int) -> None:
        """Call the closure at which replaying has stopped."""
        state, lanes = self._state, group.lanes
        pc, operation = int(state[replay.PC]), int(state[replay.OPERATION])
        number, mask = self._ops[operation, 1:3].tolist()
        lanes.start = pc
        lanes.clock = batch.budget.clock + CYCLES_PER_INSTRUCTION * (int(state[replay.EXECUTED]) - executed)
        lanes.mask = self._masks[mask] if mask > GROUP else group.mask
        batch.changes = int(state[replay.CHANGES])
        self._runs[pc].calls[number](lanes)
        lanes.mask = group.mask
        state[replay.CHANGES] = batch.changes
        state[replay.OPERATION] = operation + 1

    def _raise_fault(self, batch: Batch) -> None:
        space, width, index = self._ops[self._state[replay.OPERATION], 2:5].tolist()
        fault = int(self._state[replay.FAULT])
        ins = batch.program.instructions[index]
        raise faults.access(batch, ins, space, width, self._first, self._scratch.address, fault)

    def skipped(self, pc: int) -> Skipped:
        """The instructions skipped in the run at ``pc``, which was replayed except for its end."""
        length, control = self._blocks[pc, [replay.LENGTH, replay.CONTROL]].tolist()
        end = pc + length - 1 if control != replay.GO else -1  # it is going to note that itself
        noted = self._skips[: self._state[replay.SKIPPED]].tolist()
        return [
            (index, None if everywhere else self._skipping[number].copy())
            for number, (index, everywhere) in enumerate(noted)
            if index != end
        ]
