"""Capturing straight runs: calling the closures of instructions once with lanes that note what they would do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from isa.emulator import operations as op
from isa.emulator import replay
from isa.emulator.access import Scratch
from isa.emulator.barriers import NUM_BARRIERS
from isa.emulator.captured import Captured, Notes
from isa.emulator.code import StraightRun
from isa.emulator.controls import Branch, Go, Guarded, GuardedControl, Meet, Synchronise
from isa.emulator.lanes import Lanes, RegisterFiles
from isa.emulator.operations import NotCapturable
from isa.instruction import Instruction
from isa.operand import PT, RZ, URZ
from isa.semantics.registry import Control

Array = NDArray[Any]
NO_MASK, GROUP, GUARDED, TAKEN = -1, 0, 1, 2  # numbers of masks


class Run(NamedTuple):
    """A straight run that was captured.

    Attributes:
        operations: rows as ``isa.emulator.operations`` describes them.
        accesses: how many of them record an access.
        control, target, register: as the fields of ``replay``'s runs.
        kept: arrays whose addresses are in the operations.
        calls: closures that Python has to call, by the first field of operations of kind CALL.
        guards: how many instructions may be skipped.
    """

    operations: list[list[int]]
    accesses: int
    control: int
    target: int
    register: int
    kept: list[Array]
    calls: list[Callable[[Any], Any]]
    guards: int


class CapturingLanes:
    """What ``Lanes`` are for executing, for capturing: each method notes what the method of that name there does."""

    def __init__(  # noqa: PLR0917
        self, files: RegisterFiles, first: int, last: int, scratch: Scratch, masks: Array, some: Array
    ) -> None:
        """Capture for warps ``first`` to ``last``, with the arrays that ``replay`` is going to get."""
        self.first, self.last = first, last
        self.count = last - first
        self.notes = Notes([])
        self.mask_number = NO_MASK
        self._room: list[Array] = []
        self._files = (files.general, files.predicate, files.uniform, files.uniform_predicate)
        self._scratch, self.masks, self._some = scratch, masks, some

    def __getattr__(self, name: str) -> Any:
        raise NotCapturable

    def begin(self, mask_number: int) -> Notes:
        """Begin an instruction under a mask, NO_MASK where all lanes execute."""
        self.notes = Notes(self._room)
        self.mask_number = mask_number
        return self.notes

    def _view(self, file: int, index: int) -> Array:
        view: Array = self._files[file][index, self.first : self.last]
        return view

    def _captured(self, array: Array) -> Captured:
        return Captured(self.notes, array)

    def _write(self, target: Array, values: Any, dtype: Any) -> None:
        array = values.array if isinstance(values, Captured) else np.asarray(values, dtype)
        if array.dtype != dtype or np.broadcast_shapes(array.shape, target.shape) != target.shape:
            raise NotCapturable
        where = None if self.mask_number < 0 else self.masks[self.mask_number]
        if where is not None and target.shape != where.shape:
            if self.count > 1:
                self.notes.rows.append(op.row(op.ROWS, self.mask_number))
            where = None if self.count == 1 else self._some
        self.notes.copy(target, array, where)

    def active(self) -> Captured:
        """The lanes that execute."""
        return self._captured(self._view(1, PT) if self.mask_number < 0 else self.masks[self.mask_number])

    def register(self, index: int) -> Captured:
        """A general register."""
        return self._captured(self._view(0, index))

    def set_register(self, index: int, values: Any) -> None:
        """Write a general register."""
        if index != RZ:
            self._write(self._view(0, index), values, np.uint32)

    def predicate(self, index: int) -> Captured:
        """A predicate."""
        return self._captured(self._view(1, index))

    def set_predicate(self, index: int, values: Any) -> None:
        """Write a predicate."""
        if index != PT:
            self._write(self._view(1, index), values, np.bool_)

    def uniform(self, index: int) -> Captured:
        """A uniform register."""
        return self._captured(self._view(2, index))

    def set_uniform(self, index: int, values: Any) -> None:
        """Write a uniform register."""
        if index != URZ:
            self._write(self._view(2, index), values, np.uint32)

    def uniform_predicate(self, index: int) -> Captured:
        """A uniform predicate."""
        return self._captured(self._view(3, index))

    def set_uniform_predicate(self, index: int, values: Any) -> None:
        """Write a uniform predicate."""
        if index != PT:
            self._write(self._view(3, index), values, np.bool_)

    def register64(self, index: int) -> Captured:
        """A pair of general registers."""
        return self._pair(0, index, index + 1 if index != RZ else RZ)

    def uniform64(self, index: int) -> Captured:
        """A pair of uniform registers."""
        return self._pair(2, index, index + 1 if index != URZ else URZ)

    def _pair(self, file: int, low: int, high: int) -> Captured:
        parts = self._view(file, low), self._view(file, high)
        pair = self.notes.temporary((*parts[0].shape, 2), np.dtype(np.uint32))
        for number, part in enumerate(parts):
            self.notes.copy(pair[..., number], part)
        return self._captured(pair.view(np.uint64)[..., 0])

    def set_register64(self, index: int, values: Any) -> None:
        """Write a pair of general registers."""
        if index != RZ:
            low, high = self._parts(values)
            self.set_register(index, low)
            self.set_register(index + 1, high)

    def set_uniform64(self, index: int, values: Any) -> None:
        """Write a pair of uniform registers."""
        if index != URZ:
            low, high = self._parts(values)
            self.set_uniform(index, low)
            self.set_uniform(index + 1, high)

    def _parts(self, values: Any) -> tuple[Captured, Captured]:
        array = values.array if isinstance(values, Captured) else np.ascontiguousarray(values)
        if array.dtype != np.uint64 or (array.shape[-1] > 1 and array.strides[-1] != array.itemsize):
            raise NotCapturable
        self.notes.kept.append(array)
        words = array[..., None].view(np.uint32)
        return self._captured(words[..., 0]), self._captured(words[..., 1])

    def address(self, registers: tuple[int, int], uniform: tuple[int, int], offset: int, shift: int, limit: int) -> Any:
        """Add up an address."""
        self.notes.rows.append(op.row(op.ADDRESS, *registers, *uniform, offset, shift, limit))
        return self._captured(self._scratch.address)

    def locate(self, ins: Instruction, space: int, width: int, address: Any, record: bool = True) -> Array:
        """Check and record an access."""
        if address.array is not self._scratch.address:
            raise NotCapturable
        self.notes.rows.append(op.row(op.LOCATE, self._mask(), space, width, ins.index, record))
        return self._scratch.where

    def load(self, where: Array, width: int, signed: bool, destination: int) -> None:
        """Load from where an access was located."""
        del where
        self.notes.rows.append(op.row(op.LOAD, self._mask(), width, signed, destination))

    def store(self, where: Array, width: int, source: int) -> None:
        """Store to where an access was located."""
        del where
        self.notes.rows.append(op.row(op.STORE, self._mask(), width, source))

    def meet_at(self, register: int) -> None:
        """BSSY."""
        self.notes.rows.append(op.row(op.MEET, self._mask(), register))

    def note_mask(self, number: int, chosen: Any) -> None:
        """Note the mask of that number: lanes that execute and are ``chosen``."""
        values = chosen & self.active()
        self.notes.copy(self.masks[number], values.array)

    def _mask(self) -> int:
        return max(self.mask_number, GROUP)


def capture(run: StraightRun, lanes: CapturingLanes, masked: bool) -> Run:
    """Capture a run for the lanes' warps; ``masked`` if not all lanes of them execute."""
    mask = GROUP if masked else NO_MASK
    rows: list[list[int]] = []
    kept: list[Array] = []
    calls: list[Callable[[Any], Any]] = []
    guards = 1
    for execute in run.body:
        if isinstance(execute, Guarded):
            notes = lanes.begin(mask)
            lanes.note_mask(GUARDED, execute.read(_as_lanes(lanes)))
            operations = _capture_one(execute.inner, lanes, GUARDED, kept, calls)
            rows += [*_fused(notes), op.row(op.GUARD, GUARDED, execute.index, len(operations)), *operations]
            kept += notes.kept
            guards += 1
        else:
            rows += _capture_one(execute, lanes, mask, kept, calls)
    notes = lanes.begin(mask)
    try:
        control, target, register = _capture_control(run.control, lanes, notes)
        rows += notes.rows
        kept += notes.kept
    except NotCapturable:
        control, target, register = replay.ASK, 0, 0
    accesses = sum(row[0] == op.LOCATE for row in rows) + (control == replay.PASSING)
    return Run(rows, accesses, control, target, register, kept, calls, guards)


def _capture_one(
    execute: Callable[[Any], None],
    lanes: CapturingLanes,
    mask: int,
    kept: list[Array],
    calls: list[Callable[[Any], Any]],
) -> list[list[int]]:
    """The operations of one instruction; a single one of kind CALL where it is not capturable."""
    notes = lanes.begin(mask)
    try:
        execute(lanes)
    except NotCapturable:
        calls.append(execute)
        return [op.row(op.CALL, len(calls) - 1, mask)]
    kept += notes.kept
    return _fused(notes)


def _capture_control(control: Control, lanes: CapturingLanes, notes: Notes) -> tuple[int, int, int]:
    """Note what comes before a run's end; returns how it ends, the target of a branch, and the barrier."""
    if isinstance(control, Go):
        return replay.GO, control.target, 0
    if isinstance(control, Meet):
        return replay.MEETING, 0, control.register
    if isinstance(control, Synchronise):
        keys: Any = control.read(_as_lanes(lanes))
        if not isinstance(keys, np.ndarray) or keys.size != 1 or keys.item() >= NUM_BARRIERS:
            raise NotCapturable  # one with a count, or none, or many
        return replay.PASSING, 0, keys.item()
    if isinstance(control, GuardedControl):
        lanes.note_mask(GUARDED, control.read(_as_lanes(lanes)))
        notes.rows.append(op.row(op.GUARD, GUARDED, control.index, 0))
        return replay.GUARDED, 0, 0
    if not isinstance(control, Branch):
        return replay.ASK, 0, 0
    taken: Any = lanes.active()
    if control.guard is not None:
        lanes.note_mask(GUARDED, control.guard(_as_lanes(lanes)))
        notes.rows.append(op.row(op.GUARD, GUARDED, control.index, 0))
        lanes.mask_number = GUARDED
        taken = lanes.active()
    for read in control.conditions:
        taken = read(_as_lanes(lanes)) & taken
    notes.copy(lanes.masks[TAKEN], taken.array)
    return replay.BRANCH, control.target, 0


def _as_lanes(lanes: CapturingLanes) -> Lanes:
    return cast(Lanes, lanes)


def _fused(notes: Notes) -> list[list[int]]:
    """The operations, where a result that is only copied goes at once to where it belongs."""
    result: list[list[int]] = []
    for number, row in enumerate(notes.rows):
        merged = op.merged(result[-1], row, notes.rows[number + 1 :]) if result else None
        if merged is None:
            result.append(row)
        else:
            result[-1] = merged
    return result
