"""Blocks that execute together: which warps go next, divergence, barriers.

Of the groups that can run, the one at the lowest address goes first, so that warps which left a loop early wait for the
others and go on with them. A group that has waited ``PATIENCE`` steps gets ``SLICE`` steps of its own, and from time to
time every warp puts its running split at the bottom of its stack: whatever can run does run, so a thread may spin until
another warp, another block of the batch or another thread of its own warp has done something.
"""

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isa.emulator import faults
from isa.emulator.code import Code
from isa.emulator.constants import ConstantBanks
from isa.emulator.group import FULL_MASK, Group, clusters, pack
from isa.emulator.lanes import U32, WARP_SIZE, Bools, Lanes, RegisterFiles
from isa.emulator.memory import Memory
from isa.emulator.splits import Split, Wait, WaitKind, WarpState, arrive_converged, release_converged, resume
from isa.launch import LaunchShape
from isa.program import Program
from isa.trace.recorder import Recorder

PATIENCE = 512
SLICE = 256
PATIENCE_CHECK = 64
ROTATION = 1024

# A split waits at BSYNC for partners that YIELD in a loop at most this many of their turns, then goes on without them:
# they may be waiting for a lock that it holds.
YIELDS_BEFORE_RELEASE = 16

# Added to the place in the queue of what has yielded: behind everything that has not.
LAST = 1 << 40

CYCLES_PER_INSTRUCTION = 4
NUM_CONVERGENCE_BARRIERS = 16
NUM_BLOCK_BARRIERS = 16


@dataclass
class Budget:
    """Instructions executed and the most that the launch may execute; the clock runs with them.

    An instruction counts once for all warps that execute it together: that is what the emulator's time goes into.
    """

    limit: int
    executed: int = 0
    clock: int = 1 << 20


class Batch:
    """The warps of some blocks of one launch, from start to exit.

    Attributes:
        program, launch, constants, memory: what runs, and on what.
        blocks: linear ids of the blocks, shape (blocks,).
        warps: number of warps; warp w belongs to ``blocks[w // warps_per_block]``.
        alive: the lanes that have not exited, uint32 (warps,).
        convergence: B0 to B15 of each thread: the lanes that will meet at BSYNC, uint32 (16, warps, 32).
        collective_return: where each lane goes on after ENDCOLLECTIVE, instruction index (warps, 32).
        barrier_result: result of the last BAR.RED of each warp's block, uint32 (warps, 1).
        externals: functions that the module calls and does not define, by the address they were given.
        special: values of special registers that do not change, by name; filled as they are read.
        group: the group that is executing.
    """

    def __init__(  # noqa: PLR0917
        self,
        program: Program,
        launch: LaunchShape,
        blocks: NDArray[np.int64],
        constants: ConstantBanks,
        memory: Memory,
        code: Code,
        recorder: Recorder,
        budget: Budget,
        externals: dict[int, str],
    ) -> None:
        self.program = program
        self.launch = launch
        self.blocks = blocks
        self.constants = constants
        self.memory = memory
        self.recorder = recorder
        self.externals = externals
        self.warps_per_block = launch.warps_per_block
        self.warps = len(blocks) * self.warps_per_block
        self.convergence: U32 = np.zeros((NUM_CONVERGENCE_BARRIERS, self.warps, WARP_SIZE), np.uint32)
        self.collective_return = np.zeros((self.warps, WARP_SIZE), np.int64)
        self.barrier_result: U32 = np.zeros((self.warps, 1), np.uint32)
        self.alive = self._initial_lanes()
        self.special: dict[str, NDArray[np.uint64]] = {}
        self._arrived: U32 = np.zeros((NUM_BLOCK_BARRIERS, self.warps), np.uint32)
        self._votes: U32 = np.zeros((NUM_BLOCK_BARRIERS, self.warps), np.uint32)
        self._states = [WarpState() for _ in range(self.warps)]
        self._apart = 0  # warps with splits besides the running one
        self._code = code
        self._budget = budget
        self._files = RegisterFiles(self.warps)
        self._views: dict[tuple[int, int], Lanes] = {}
        self._ready: list[tuple[int, int, Group]] = []
        self._sequence = 0
        self._step = 0
        self._slice_ends = 0
        self._rotates_at = ROTATION
        self._patience_at = PATIENCE_CHECK
        self._expected = [0] * NUM_BLOCK_BARRIERS
        self._operation = [""] * NUM_BLOCK_BARRIERS
        everyone = np.arange(self.warps)
        self._file(0, everyone, self.alive.copy(), 0)
        self.group = self._ready[0][2]

    def _initial_lanes(self) -> U32:
        alive = np.full(self.warps, FULL_MASK, np.uint32)
        partial = self.launch.threads_per_block % WARP_SIZE
        if partial:
            alive[self.warps_per_block - 1 :: self.warps_per_block] = (1 << partial) - 1
        return alive

    def place(self, pc: int) -> str:
        """Kernel, address, source line and text of an instruction, for messages."""
        return faults.place(self.program, pc)

    def thread_name(self, warp: int, lane: int) -> str:
        """A thread as its author knows it: block and thread indices."""
        grid, block = self.launch.grid, self.launch.block
        linear = int(self.blocks[warp // self.warps_per_block])
        thread = warp % self.warps_per_block * WARP_SIZE + lane
        ids = [(n % x, n // x % y, n // (x * y)) for n, (x, y, _) in ((linear, grid), (thread, block))]
        return f"block {ids[0]}, thread {ids[1]}"

    # Running

    def run(self) -> None:
        """Run every warp to its end.

        Raises:
            KernelError: illegal access, trap, deadlock, or the limit on instructions.
            UnsupportedInstructionError: an instruction without semantics was reached.
        """
        while self._ready:
            self._run_group(self._pick())
        if self.alive.any():
            raise faults.deadlock(self.program, self._describe_waits())

    def _run_group(self, group: Group) -> None:
        self.group = group
        lanes = group.lanes
        lanes.mask = group.mask
        pc = group.pc
        record = self.recorder.run
        budget = self._budget
        while True:
            run = self._code.run_at(pc)
            lanes.start = pc
            lanes.clock = budget.clock
            for execute in run.body:
                execute(lanes)
            following = run.control(lanes)
            record(group, pc, run.length, lanes.skipped)
            if lanes.skipped:
                lanes.skipped = []
            budget.clock += CYCLES_PER_INSTRUCTION * run.length
            budget.executed += run.length
            self._step += 1
            if budget.executed > budget.limit:
                raise faults.too_long(self.program, pc, budget.limit)
            if following is None:
                self._slice_ends = 0
                return
            pc = following
            if (self._ready or self._apart) and self._must_hand_back(pc):
                group.pc = pc
                group.stamp = self._step
                self._push(group)
                return

    def _must_hand_back(self, pc: int) -> bool:
        if self._step < self._slice_ends:
            return False
        return self._step >= self._rotates_at or bool(self._ready and pc >= self._ready[0][0])

    def _pick(self) -> Group:
        if self._step >= self._rotates_at:
            self._rotates_at = self._step + ROTATION
            if self._apart:
                self._rotate()
        ready = self._ready
        if self._step >= self._patience_at and len(ready) > 1:
            self._patience_at = self._step + PATIENCE_CHECK
            oldest = min(ready, key=lambda entry: entry[2].stamp)
            if oldest[2].stamp + PATIENCE < self._step:
                ready.remove(oldest)
                heapq.heapify(ready)
                self._slice_ends = self._step + SLICE
                return oldest[2]
        priority, _, group = heapq.heappop(ready)
        if not ready or ready[0][0] != priority:
            return group
        groups = [group]
        while ready and ready[0][0] == priority:
            groups.append(heapq.heappop(ready)[2])
        warps = np.concatenate([each.warps for each in groups])
        bits = np.concatenate([each.bits for each in groups])
        order = np.argsort(warps, kind="stable")
        stamp = min(each.stamp for each in groups)
        first, *others = self._make_groups(group.pc, warps[order], bits[order], stamp)
        for other in others:
            self._push(other)
        return first

    def _push(self, group: Group, after: int = 0) -> None:
        self._sequence += 1
        heapq.heappush(self._ready, (group.pc + after, self._sequence, group))

    def _file(self, pc: int, warps: NDArray[np.intp], bits: U32, stamp: int, after: int = 0) -> None:
        """Let warps (ascending) go on at ``pc`` with lanes ``bits``; ``after`` is added to their place in the queue."""
        for group in self._make_groups(pc, warps, bits, stamp):
            self._push(group, after)

    def _make_groups(self, pc: int, warps: NDArray[np.intp], bits: U32, stamp: int) -> list[Group]:
        """Groups of warps (ascending) near enough to each other to share a view."""
        return [
            Group(pc, warps[part], bits[part], self._view(int(warps[part][0]), int(warps[part][-1]) + 1), stamp)
            for part in clusters(warps)
        ]

    def _view(self, first: int, last: int) -> Lanes:
        view = self._views.get((first, last))
        if view is None:
            view = self._views[first, last] = Lanes(self, self._files, first, last)
        return view

    def _file_splits(self, splits: list[tuple[int, Split]], after: int = 0) -> None:
        """Make groups of (warp, split) pairs, in any order; ``after`` as for ``_file``."""
        by_pc: dict[int, list[tuple[int, int]]] = {}
        for warp, split in splits:
            by_pc.setdefault(split.pc, []).append((warp, split.bits))
        for pc, members in by_pc.items():
            members.sort()
            warps = np.array([warp for warp, _ in members], np.intp)
            self._file(pc, warps, np.array([bits for _, bits in members], np.uint32), self._step, after)

    # Divergence: called by control instructions with lanes of the running group

    def branch(self, taken: Bools, target: int, following: int) -> None:
        """Send lanes ``taken``, (n, 32), to ``target`` and the group's other lanes to ``following``.

        In a warp that diverges the fall-through side runs first.
        """
        taken_bits, group = self._rows(taken), self.group
        other_bits = group.bits & ~taken_bits
        both = (taken_bits != 0) & (other_bits != 0)
        for pc, bits, chosen in ((following, other_bits, other_bits != 0), (target, taken_bits, other_bits == 0)):
            if chosen.any():
                self._file(pc, group.warps[chosen], bits[chosen], self._step)
        for row in np.flatnonzero(both).tolist():
            self._stack(int(group.warps[row]), Split(target, int(taken_bits[row])))

    def scatter(self, targets: NDArray[np.int64]) -> None:
        """Send every lane of the group to its own instruction index, (n, 32); the lowest runs first."""
        group = self.group
        first = group.lanes.first
        running: list[tuple[int, Split]] = []
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            row = targets[warp - first]
            splits: dict[int, int] = {}
            for lane in range(WARP_SIZE):
                if bits >> lane & 1:
                    pc = int(row[lane])
                    splits[pc] = splits.get(pc, 0) | 1 << lane
            lowest, *others = sorted(splits)
            running.append((warp, Split(lowest, splits[lowest])))
            for pc in reversed(others):
                self._stack(warp, Split(pc, splits[pc]))
        self._file_splits(running)

    def narrow(self, chosen: Bools, following: int) -> Lanes:
        """Go on with lanes ``chosen``, (n, 32), of the group only; the others continue at ``following`` later."""
        group = self.group
        bits = self._rows(chosen)
        rest = group.bits & ~bits
        alone = bits == 0
        if alone.any():
            self._file(following, group.warps[alone], rest[alone], self._step)
        for row in np.flatnonzero(~alone & (rest != 0)).tolist():
            self._stack(int(group.warps[row]), Split(following, int(rest[row])))
        return self.choose(chosen)

    def choose(self, chosen: Bools) -> Lanes:
        """Make lanes ``chosen``, (n, 32), of the group the running group; the caller sees to the others."""
        group = self.group
        bits = self._rows(chosen)
        kept = bits != 0
        warps = group.warps[kept]
        lanes = self._view(int(warps[0]), int(warps[-1]) + 1)
        self.group = Group(group.pc, warps, bits[kept], lanes, self._step)
        lanes.mask = self.group.mask
        return lanes

    def resume_at(self, pc: int) -> None:
        """File the running group at ``pc``."""
        self.group.pc = pc
        self._push(self.group)

    def exit(self) -> None:
        """End the group's lanes."""
        group = self.group
        self.alive[group.warps] &= ~group.bits
        if self._apart:
            self._finish_turn(group.warps)
        if self._arrived.any():
            for barrier in np.flatnonzero(self._arrived.any(axis=1)).tolist():
                self._complete_barrier(barrier)

    def yield_turn(self, following: int) -> bool:
        """Let other splits of the group's warps and other warps go first; returns whether there were any."""
        if not self._apart:
            if not self._ready:
                return False
            self.group.pc = following
            self.group.stamp = self._step
            self._push(self.group, LAST)
            return True
        group = self.group
        yielding: list[tuple[int, Split]] = []
        running: list[tuple[int, Split]] = []
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            state = self._states[warp]
            state.yields += 1
            split = Split(following, bits)
            if state.waits and state.yields > YIELDS_BEFORE_RELEASE * (len(state.ready) + 1):
                self._release_yielded(warp)
            if state.ready:
                state.ready.appendleft(split)
                running.append((warp, state.ready.pop()))
            else:
                yielding.append((warp, split))
        self._file_splits(running)
        self._file_splits(yielding, LAST)
        return True

    def converge(self, register: int, pc: int) -> bool:
        """BSYNC: wait for the other lanes of convergence barrier ``register``; returns whether all are here."""
        group, lanes = self.group, self.group.lanes
        needs = self.convergence[register, lanes.first : lanes.last] & self.alive[lanes.first : lanes.last, None]
        arrived = needs == group.row_bits
        if bool(arrived.all() if lanes.mask is None else (arrived | ~lanes.mask).all()):
            return True
        running: list[tuple[int, Split]] = []
        alive = self.alive.tolist()
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            state = self._states[warp]
            self._apart += state.plain
            state.running = False
            state.yields = 0
            for value, part in self._partners(register, warp, bits):
                wait = Wait(WaitKind.CONVERGENCE, register, value, part, pc, pc + 1)
                arrive_converged(state, wait, alive[warp])
            self._take_turn(warp, running)
        self._file_splits(running)
        return False

    def _partners(self, register: int, warp: int, bits: int) -> list[tuple[int, int]]:
        """Lanes ``bits`` of a warp by the lanes that they want to meet: (wanted, those who want them)."""
        values = self.convergence[register, warp]
        wanted = int(values[(bits & -bits).bit_length() - 1])
        same = int(pack(values[None, :] == wanted)[0]) & bits
        parts = [(wanted, same)]
        return parts + self._partners(register, warp, bits & ~same) if bits & ~same else parts

    def leave_barrier(self, register: int, leaving: Bools) -> None:
        """BREAK: lanes ``leaving``, (n, 32), of the group will not come to BSYNC on ``register``."""
        masks = self.convergence[register]
        for warp, bits in zip(self.group.warps.tolist(), self._rows(leaving).tolist(), strict=True):
            if not bits:
                continue
            old = int(masks[warp, (bits & -bits).bit_length() - 1])
            new = old & ~bits
            masks[warp][masks[warp] == old] = new
            for wait in self._states[warp].waits:
                if wait.kind is WaitKind.CONVERGENCE and wait.register == register and wait.needs == old:
                    wait.needs = new
            self._release(warp)

    def sync_warp(self, needs: U32, pc: int, collective: bool) -> bool:
        """WARPSYNC: wait for the lanes named by ``needs``, uint32 (n, 32) or (n, 1); returns whether all are here."""
        group, lanes = self.group, self.group.lanes
        missing = needs & self.alive[lanes.first : lanes.last, None] & ~group.row_bits
        if lanes.mask is not None:
            missing = np.where(lanes.mask, missing, np.uint32(0))
        if not missing.any():
            return True
        needs = np.where(lanes.active(), needs, np.uint32(0))
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            wanted = int(np.bitwise_or.reduce(needs[warp - lanes.first]))
            self._wait(warp, Wait(WaitKind.WARP, 0, wanted, bits, pc, pc + 1, collective))
        self._finish_turn(group.warps)
        return False

    def _rows(self, mask: Bools) -> U32:
        group = self.group
        bits = pack(mask)
        return bits if group.lanes.count == len(group.warps) else bits[group.warps - group.lanes.first]

    def _stack(self, warp: int, split: Split) -> None:
        state = self._states[warp]
        self._apart += state.plain
        state.ready.append(split)

    def _wait(self, warp: int, wait: Wait) -> None:
        state = self._states[warp]
        self._apart += state.plain
        state.waits.append(wait)
        state.yields = 0

    def _finish_turn(self, warps: NDArray[np.intp]) -> None:
        """The running splits of ``warps`` have blocked or exited: let other splits of these warps go on."""
        running: list[tuple[int, Split]] = []
        for warp in warps.tolist():
            state = self._states[warp]
            state.running = False
            self._release(warp)
            self._take_turn(warp, running)
        self._file_splits(running)

    def _take_turn(self, warp: int, running: list[tuple[int, Split]]) -> None:
        state = self._states[warp]
        if not state.running and state.ready:
            running.append((warp, state.ready.pop()))
            state.running = True
            self._apart -= state.plain

    def _release(self, warp: int) -> None:
        state = self._states[warp]
        while state.waits and release_converged(state, int(self.alive[warp])):
            state.yields = 0

    def _rotate(self) -> None:
        """Put the running split of every warp that has others at the bottom of its stack."""
        groups = [entry[2] for entry in self._ready]
        self._ready = []
        running: list[tuple[int, Split]] = []
        for group in groups:
            for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
                state = self._states[warp]
                split = Split(group.pc, bits)
                if state.ready:
                    state.ready.appendleft(split)
                    split = state.ready.pop()
                running.append((warp, split))
        self._file_splits(running)

    def _release_yielded(self, warp: int) -> None:
        """Let the splits of a warp that wait at BSYNC go on without partners that only ever yield."""
        state = self._states[warp]
        waits = [wait for wait in state.waits if wait.kind is WaitKind.CONVERGENCE]
        for wait in waits:
            masks = self.convergence[wait.register, warp]
            masks[masks == wait.needs] &= np.uint32(~wait.bits & FULL_MASK)
        resume(state, waits)
        state.yields = 0

    # Block barriers

    def arrive(self, barrier: int, expected: int, operation: str, votes: Bools | None, pc: int) -> bool:
        """BAR: the group arrives at a barrier of its blocks.

        Args:
            barrier: the barrier's number.
            expected: warps that take part; 0 for all of the block.
            operation: "SYNC", "ARV" (arrive without waiting), or BAR.RED's "POPC", "AND", "OR".
            votes: bool (n, 32), each lane's predicate for BAR.RED.
            pc: the instruction.

        Returns:
            Whether the whole group goes on at once.
        """
        group = self.group
        self._expected[barrier] = expected
        if operation != "ARV":
            self._operation[barrier] = operation
        self._arrived[barrier, group.warps] |= group.bits
        if votes is not None:
            votes = (~votes if operation == "AND" else votes) & group.lanes.active()
            self._votes[barrier, group.warps] |= self._rows(votes)
        if operation == "ARV":
            self._complete_barrier(barrier)
            return True
        if not self._apart:
            complete = self._complete_blocks(barrier)
            if complete[group.warps // self.warps_per_block].all():
                self._collect(barrier, complete)
                return True
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            self._wait(warp, Wait(WaitKind.BLOCK, barrier, expected, bits, pc, pc + 1))
        self._complete_barrier(barrier)
        self._finish_turn(group.warps)
        return False

    def _complete_blocks(self, barrier: int) -> Bools:
        """Blocks, (blocks,), in which everyone who takes part has arrived."""
        shape = (len(self.blocks), self.warps_per_block)
        arrived = self._arrived[barrier].reshape(shape)
        missing = self.alive.reshape(shape) & ~arrived
        expected = self._expected[barrier]
        if expected:
            complete: Bools = ((arrived != 0) & (missing == 0)).sum(axis=1) >= expected
        else:
            complete = ~missing.any(axis=1) & arrived.any(axis=1)
        return complete

    def _collect(self, barrier: int, complete: Bools) -> None:
        """Reset the barrier in the blocks where it is complete and leave the result of BAR.RED."""
        rows = np.repeat(complete, self.warps_per_block)
        operation = self._operation[barrier]
        if operation in ("POPC", "AND", "OR"):
            counts = np.bitwise_count(self._votes[barrier]).reshape(len(self.blocks), -1).sum(axis=1, dtype=np.uint32)
            results = counts if operation == "POPC" else (counts == 0 if operation == "AND" else counts != 0)
            self.barrier_result[rows, 0] = np.repeat(results, self.warps_per_block)[rows]
            self._votes[barrier, rows] = 0
        self._arrived[barrier, rows] = 0

    def _complete_barrier(self, barrier: int) -> None:
        """Release the warps that wait at a barrier in the blocks where it is complete now."""
        complete = self._complete_blocks(barrier)
        if not complete.any():
            return
        self._collect(barrier, complete)
        running: list[tuple[int, Split]] = []
        for warp in np.flatnonzero(np.repeat(complete, self.warps_per_block)).tolist():
            state = self._states[warp]
            here = [wait for wait in state.waits if wait.kind is WaitKind.BLOCK and wait.register == barrier]
            if here:
                resume(state, here)
                self._take_turn(warp, running)
        self._file_splits(running)

    def _describe_waits(self) -> list[tuple[int, int, Wait]]:
        return [
            (int(self.blocks[warp // self.warps_per_block]), warp % self.warps_per_block, wait)
            for warp, state in enumerate(self._states)
            for wait in state.waits
        ]
