"""The splits of a batch's warps other than those in groups: stacked, waiting, or having yielded.

The lanes that wait at a convergence barrier, and for whom, stand here as well, since lanes that go on without their
partners are no longer among those whom the partners meet.
"""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from isa.emulator.group import FULL_MASK, Group, pack
from isa.emulator.lanes import U32, WARP_SIZE, Bools
from isa.emulator.splits import Split, Wait, WaitKind, WarpState, arrive_converged, release_converged, resume, union

NUM_CONVERGENCE_BARRIERS = 16

# Splits that go on, each with its warp.
Running = list[tuple[int, Split]]


class WarpStates:
    """What the warps of a batch have besides their running splits.

    Attributes:
        alive: the lanes that have not exited, uint32 (warps,).
        convergence: B0 to B15 of each thread: the lanes that will meet at BSYNC, uint32 (16, warps, 32).
        restored: the lanes for which a BMOV has restored B0 to B15 since their last BSSY, uint32 (16, warps).
        apart: warps with splits besides the running one.
        partings: times that lanes have gone on from BSYNC without some that they were to meet there.
    """

    def __init__(self, alive: U32) -> None:
        """Prepare for the warps with the lanes ``alive``, uint32 (warps,), which the batch keeps up to date."""
        self.alive = alive
        self.convergence: U32 = np.zeros((NUM_CONVERGENCE_BARRIERS, len(alive), WARP_SIZE), np.uint32)
        self.restored: U32 = np.zeros((NUM_CONVERGENCE_BARRIERS, len(alive)), np.uint32)
        self.apart = 0
        self.partings = 0
        self._states = defaultdict[int, WarpState](WarpState)  # by warp, of those that ever were apart

    def all_wait(self) -> bool:
        """Whether no split besides the running ones could go on."""
        return not any(state.ready or state.yielded for state in self._states.values())

    def waits(self) -> list[tuple[int, Wait]]:
        """All splits that wait, by warp."""
        return [(warp, wait) for warp, state in sorted(self._states.items()) for wait in state.waits]

    def stack(self, warp: int, split: Split, *, is_sibling: bool = False) -> None:
        """Let a split go on when the running one blocks or exits; a sibling is what the last branch left."""
        state = self._states[warp]
        self.apart += state.plain
        state.ready.append(split)
        if is_sibling:
            state.sibling = split

    def wait(self, warp: int, wait: Wait) -> None:
        """Let a split wait."""
        state = self._states[warp]
        self.apart += state.plain
        state.waits.append(wait)

    def yield_turn(self, warp: int, split: Split) -> tuple[Split, bool]:
        """Let a running split yield; returns the one that goes on and whether it is another that had not yielded."""
        state = self._states[warp]
        was_plain = state.plain
        state.yielded.append(split)
        self._release(warp)
        is_ready = bool(state.ready)
        following = state.next_split()
        self.apart += was_plain - state.plain
        return following, is_ready

    def meet(self, warp: int, wait: Wait, running: Running) -> None:
        """Let the running split miss others at a WARPSYNC; adds what goes on to ``running``.

        Where another can go on, or has come to the same WARPSYNC, it comes there again, together with all that have.
        """
        state = self._states[warp]
        may_help = any(not split.meets or split.pc == wait.pc for split in state.others)
        if may_help and not wait.collective:
            running.append((warp, self.yield_turn(warp, Split(wait.pc, wait.bits, meets=True))[0]))
            return
        self.wait(warp, wait)
        self._end_turn(warp, running)

    def converge(self, warp: int, register: int, bits: int, pc: int, running: Running) -> None:
        """Let the running split, lanes ``bits``, wait at BSYNC for its partners; adds what goes on to ``running``."""
        partners = self._partners(register, warp, bits)
        if len(partners) == 1 and partners[0][0] & int(self.alive[warp]) == bits:
            running.append((warp, Split(pc + 1, bits)))  # all are here: its turn goes on
            return
        state = self._states[warp]
        self.apart += state.plain
        state.running = False
        for value, part in partners:
            wait = Wait(WaitKind.CONVERGENCE, register, value, part, pc, pc + 1)
            self._part(warp, arrive_converged(state, wait, int(self.alive[warp])))
        self._take_turn(warp, running)

    def take_restored(self, register: int, warps: NDArray[np.intp], bits: U32) -> Bools:
        """Whether a barrier was restored for one of the lanes ``bits`` of each warp; from now on for none of them."""
        marks = self.restored[register]
        found: Bools = marks[warps] & bits != 0
        marks[warps] &= ~bits
        return found

    def leave_barrier(self, register: int, warp: int, bits: int) -> None:
        """Take lanes ``bits`` out of those that their partners meet at BSYNC on ``register``."""
        masks = self.convergence[register]
        old = int(masks[warp, (bits & -bits).bit_length() - 1])
        new = old & ~bits
        masks[warp][masks[warp] == old] = new
        for wait in self._states[warp].waits:
            if wait.kind is WaitKind.CONVERGENCE and wait.register == register and wait.needs == old:
                wait.needs = new
        self._release(warp, again=True)

    def finish_turn(self, warps: NDArray[np.intp], *, exited: bool = False) -> Running:
        """The running splits of ``warps`` have blocked or exited; returns what goes on in their place."""
        running: Running = []
        for warp in warps.tolist():
            self._end_turn(warp, running, exited)
        return running

    def leave_block_barrier(self, barrier: int, warps: NDArray[np.intp]) -> Running:
        """Let the splits of ``warps`` that wait at a block barrier go on; returns those whose turn it is."""
        running: Running = []
        for warp in warps.tolist():
            state = self._states[warp]
            here = [wait for wait in state.waits if wait.kind is WaitKind.BLOCK and wait.register == barrier]
            if here:
                resume(state, here)
                self._take_turn(warp, running)
        return running

    def rotate(self, groups: Iterable[Group]) -> Running:
        """Put running splits that outstay at the bottom of their warps' stacks; returns the splits that go on."""
        running: Running = []
        for group in groups:
            for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
                state = self._states[warp]
                split = Split(group.pc, bits)
                if state.outstays():
                    state.ready.appendleft(split)
                    split = state.ready.pop()
                    state.turns += 1
                running.append((warp, split))
        return running

    def _partners(self, register: int, warp: int, bits: int) -> list[tuple[int, int]]:
        """Lanes ``bits`` of a warp by the lanes that they want to meet: (wanted, those who want them)."""
        values = self.convergence[register, warp]
        wanted = int(values[(bits & -bits).bit_length() - 1])
        same = int(pack(values[None, :] == wanted)[0]) & bits
        parts = [(wanted, same)]
        return parts + self._partners(register, warp, bits & ~same) if bits & ~same else parts

    def _end_turn(self, warp: int, running: Running, exited: bool = False) -> None:
        self._states[warp].running = False
        self._release(warp, again=exited)
        self._take_turn(warp, running)

    def _take_turn(self, warp: int, running: Running) -> None:
        state = self._states[warp]
        if not state.running and (state.ready or state.yielded):
            running.append((warp, state.next_split()))
            state.running = True
            self.apart -= state.plain

    def _release(self, warp: int, again: bool = False) -> None:
        state = self._states[warp]
        while state.waits:
            released = release_converged(state, int(self.alive[warp]), again)
            if not released:
                return
            self._part(warp, released)

    def _part(self, warp: int, released: list[Wait]) -> None:
        """Lanes that went on from BSYNC while partners yield are not among those whom the partners meet there."""
        going = union(wait.bits for wait in released)
        for wait in released:
            if wait.kind is WaitKind.CONVERGENCE and wait.needs & ~going:
                masks = self.convergence[wait.register, warp]
                masks[masks & np.uint32(going) != 0] &= np.uint32(~going & FULL_MASK)
                self.partings += 1
