"""Noticing that a kernel waits for something that nobody is going to do."""

from dataclasses import dataclass

import numpy as np

from isa.emulator.group import Group
from isa.emulator.lanes import RegisterFiles

# Steps between two looks, and how many steps a loop may have.
INTERVAL = 4096
LONGEST_LOOP = 64


@dataclass(frozen=True, slots=True)
class _Snapshot:
    step: int
    pc: int
    changes: int
    group: Group
    files: tuple[np.ndarray, ...]


class SpinWatch:
    """Compares the state of the only group that can run with what it was some steps ago.

    When all of it is the same, memory included, the group will come back to it for ever.

    Attributes:
        next_look: the step from which on ``look`` wants to be called.
    """

    __slots__ = ("_files", "_registers", "_snapshot", "next_look")

    def __init__(self, files: RegisterFiles, registers: int) -> None:
        """Watch ``registers`` general registers, and all others, of ``files``."""
        self.next_look = INTERVAL
        self._files = files
        self._registers = registers
        self._snapshot: _Snapshot | None = None

    def look(self, step: int, pc: int, changes: int, group: Group) -> bool:
        """Whether ``group``, about to execute ``pc``, has come back to where it was; ``changes`` counts all stores."""
        snapshot = self._snapshot
        if snapshot is None:
            self._snapshot = _Snapshot(step, pc, changes, group, tuple(part.copy() for part in self._parts(group)))
            return False
        if changes != snapshot.changes or step - snapshot.step > LONGEST_LOOP:
            self._snapshot = None
            self.next_look = step + INTERVAL
            return False
        return (
            pc == snapshot.pc
            and np.array_equal(group.warps, snapshot.group.warps)
            and np.array_equal(group.bits, snapshot.group.bits)
            and all(map(np.array_equal, self._parts(group), snapshot.files))
        )

    def _parts(self, group: Group) -> tuple[np.ndarray, ...]:
        warps = slice(group.lanes.first, group.lanes.last)
        files = self._files
        return (
            files.general[: self._registers, warps],
            files.predicate[:, warps],
            files.uniform[:, warps],
            files.uniform_predicate[:, warps],
        )
