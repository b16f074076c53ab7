"""What the threads of one warp do when they are not all at the same instruction.

A warp runs one of its splits at a time. A split that diverges keeps running one side and stacks the other; when the
running split blocks or exits, the split stacked last goes on: alone if the last branch left it, else with all others
at its instruction. A split that yields goes on when no other can; BSYNC does not wait for it meanwhile. A split that
misses others at a WARPSYNC lets these go first as if it yielded, and then executes that again, with all that are
there. Seen on an H100: instruction counts of parted loops with atomics, clocks of every lane in programs of nested
ifs, loops and YIELDs; microbenchmarks ``parted``.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from operator import or_
from typing import NamedTuple


class WaitKind(Enum):
    """What a blocked split waits for."""

    CONVERGENCE = "BSYNC"
    WARP = "WARPSYNC"
    BLOCK = "BAR"


class Split(NamedTuple):
    """Lanes ``bits`` of a warp that can run from instruction ``pc``; ``meets`` if that is where they miss others."""

    pc: int
    bits: int
    meets: bool = False


@dataclass(slots=True)
class Wait:
    """Lanes ``bits`` of a warp that go on at ``resume`` when the lanes of ``needs`` have arrived as well.

    ``register`` is the convergence barrier or the block barrier's number; ``pc`` is the instruction that waits. Lanes
    that wait for a ``collective`` all go on where the last of them arrived, whatever their own code is.
    """

    kind: WaitKind
    register: int
    needs: int
    bits: int
    pc: int
    resume: int
    collective: bool = False


@dataclass(slots=True)
class WarpState:
    """The splits of one warp other than the one in a group; ``running`` tells whether there is one in a group.

    ``sibling`` is the one that the last branch left, ``yielded`` are those that let others go first. ``turns`` counts
    the turns that splits have taken, ``turns_seen`` is what it was when ``outstays`` was last asked.
    """

    ready: deque[Split] = field(default_factory=deque)
    waits: list[Wait] = field(default_factory=list)
    running: bool = True
    yielded: list[Split] = field(default_factory=list)
    sibling: Split | None = None
    turns: int = 0
    turns_seen: int = -1

    @property
    def plain(self) -> bool:
        """Whether the warp has no split besides the running one."""
        return not self.ready and not self.waits and not self.yielded

    @property
    def yielded_bits(self) -> int:
        """The lanes that yielded, and have not had their turn again."""
        return union(split.bits for split in self.yielded if not split.meets)

    @property
    def others(self) -> list[Split]:
        """The splits that can go on besides the running one."""
        return [*self.ready, *self.yielded]

    def next_split(self) -> Split:
        """Take out the split that goes on: the one stacked last; when there is none, those that yielded come back."""
        self.turns += 1
        if not self.ready:
            self.ready.extend(reversed(self.yielded))
            self.yielded.clear()
        split, sibling = self.ready.pop(), self.sibling
        self.sibling = None
        return split if split is sibling else Split(split.pc, split.bits | self._take_out(split.pc))

    def outstays(self) -> bool:
        """Whether the running split has kept another waiting ever since this was last asked."""
        keeps = bool(self.ready) and self.turns == self.turns_seen
        self.turns_seen = self.turns
        return keeps

    def _take_out(self, pc: int) -> int:
        """Take out all splits at an instruction; returns their lanes."""
        bits = union(split.bits for split in self.others if split.pc == pc)
        self.ready = deque(split for split in self.ready if split.pc != pc)
        self.yielded = [split for split in self.yielded if split.pc != pc]
        return bits


def union(parts: Iterable[int]) -> int:
    """The lanes of all parts, bit masks."""
    return reduce(or_, parts, 0)


def arrive_converged(state: WarpState, wait: Wait, alive: int) -> list[Wait]:
    """Block a split at BSYNC, or make it and its partners ready when all have arrived or yield; returns those."""
    state.waits.append(wait)
    partners = _converging(state, wait, alive)
    if not _arrived(partners, wait.needs & alive & ~state.yielded_bits):
        return []
    resume(state, partners)
    return partners


def release_converged(state: WarpState, alive: int, again: bool) -> list[Wait]:
    """Make the first splits ready whose partners have all arrived, or at BSYNC yield; returns those.

    Splits that are released together and resume at the same instruction become one. Those at BSYNC execute it
    ``again``, as an H100 counts it where the last partners have exited or left the barrier by a BREAK.
    """
    for wait in state.waits:
        if wait.kind is WaitKind.CONVERGENCE:
            partners = _converging(state, wait, alive)
            needs = wait.needs & alive & ~state.yielded_bits
        elif wait.kind is WaitKind.WARP:
            partners = _meeting(state, wait)
            needs = 0
            for other in partners:
                needs |= other.needs & alive
        else:
            continue
        if _arrived(partners, needs):
            resume(state, partners, again and wait.kind is WaitKind.CONVERGENCE)
            return partners
    return []


def _converging(state: WarpState, wait: Wait, alive: int) -> list[Wait]:
    """The splits at BSYNC that wait for the same barrier and lanes as ``wait``, which is among them."""
    needs = wait.needs & alive
    return [
        other
        for other in state.waits
        if other.register == wait.register and other.needs & alive == needs and other.kind is WaitKind.CONVERGENCE
    ]


def _meeting(state: WarpState, wait: Wait) -> list[Wait]:
    """The splits at WARPSYNC that share lanes with those that ``wait`` needs, which is among them."""
    return [
        other
        for other in state.waits
        if other.kind is WaitKind.WARP and other.needs & wait.needs and other.collective == wait.collective
    ]


def _arrived(waits: list[Wait], needs: int) -> bool:
    """Whether the lanes ``needs`` are all among those that wait."""
    for wait in waits:
        needs &= ~wait.bits
    return needs == 0


def resume(state: WarpState, waits: list[Wait], again: bool = False) -> None:
    """Make blocked splits ready, merging those that go on, or wait ``again``, at the same instruction."""
    merged: dict[int, int] = {}
    for wait in waits:
        pc = wait.pc if again else waits[-1].resume if wait.collective else wait.resume
        merged[pc] = merged.get(pc, 0) | wait.bits
    if len(waits) == len(state.waits):
        state.waits = []
    else:
        state.waits = [wait for wait in state.waits if not any(wait is released for released in waits)]
    state.ready.extend(Split(pc, bits) for pc, bits in merged.items())
