"""Blocks that execute together: running groups of warps, divergence within warps, barriers.

Which group goes next is decided in ``isa.emulator.queue``. A split that keeps others of its warp waiting for long goes
to the bottom of its warp's stack, so that a thread may spin until another thread of its own warp has done something.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isa.emulator import faults
from isa.emulator.barriers import BlockBarriers
from isa.emulator.code import Code
from isa.emulator.group import FULL_MASK, Group, pack
from isa.emulator.hot import HotCode
from isa.emulator.lanes import CYCLES_PER_INSTRUCTION, U32, WARP_SIZE, Bools, Lanes, RegisterFiles
from isa.emulator.left_out import LoopWatch
from isa.emulator.memory import Memory
from isa.emulator.queue import LAST, GroupQueue
from isa.emulator.spinning import SpinWatch
from isa.emulator.splits import Split, Wait, WaitKind
from isa.emulator.states import Running, WarpStates
from isa.launch import LaunchShape
from isa.program import Program
from isa.trace.recorder import Recorder

# Steps after which splits of one warp take turns even when they neither block nor yield.
ROTATION = 1 << 16


@dataclass
class Budget:
    """Instructions executed and the most that the launch may execute; the clock runs with them.

    An instruction counts once for all warps that execute it together, and not at all in iterations that are left out:
    that is what the emulator's time goes into.
    """

    limit: int
    executed: int = 0
    clock: int = 1 << 20


class Batch:
    """The warps of some blocks of one launch, from start to exit.

    Attributes:
        program, launch, memory: what runs, and on what.
        blocks: linear ids of the blocks, shape (blocks,).
        warps: number of warps; warp w belongs to ``blocks[w // warps_per_block]``.
        alive: the lanes that have not exited, uint32 (warps,).
        collective_return: where each lane goes on after ENDCOLLECTIVE, instruction index (warps, 32).
        barriers: the block barriers.
        externals: functions that the module calls and does not define, by the address they were given.
        special: values of special registers that do not change, by name; filled as they are read.
        group: the group that is executing.
        budget: what the launch has executed and may execute.
        queue: the groups that wait for their turn.
        changes: counts what a loop that only waits does not do: stores that change something, clock reads.
    """

    def __init__(  # noqa: PLR0917
        self,
        program: Program,
        launch: LaunchShape,
        blocks: NDArray[np.int64],
        files: RegisterFiles,
        memory: Memory,
        code: Code,
        hot: HotCode,
        recorder: Recorder,
        budget: Budget,
        externals: dict[int, str],
    ) -> None:
        """Prepare to run ``blocks``; ``files``, ``memory`` and the recorder's batch have room for their warps."""
        self.program = program
        self.launch = launch
        self.blocks = blocks
        self.memory = memory
        self.recorder = recorder
        self.externals = externals
        self.warps_per_block = launch.warps_per_block
        self.warps = len(blocks) * self.warps_per_block
        self.collective_return = np.zeros((self.warps, WARP_SIZE), np.int64)
        self.alive = self._initial_lanes()
        self.barriers = BlockBarriers(len(blocks), self.warps_per_block, self.alive)
        self.special: dict[str, NDArray[np.uint64]] = {}
        self._states = WarpStates(self.alive)
        self._code = code
        self._hot = hot
        self.budget = budget
        self._files = files
        self._views: dict[tuple[int, int], Lanes] = {}
        self.queue = GroupQueue(self._view)
        self._rotates_at = ROTATION
        self._watch = SpinWatch(files, program.num_regs)
        self._loops = LoopWatch(recorder.runs)
        self.changes = 0
        everyone = np.arange(self.warps)
        self.group = Group(0, everyone, self.alive.copy(), self._view(0, self.warps), 0)
        self.queue.push(self.group)

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
        queue = self.queue
        while len(queue):
            if queue.step >= self._rotates_at:
                self._rotates_at = queue.step + ROTATION
                self._rotate()
            self._run_group(queue.pop())
        if self.alive.any():
            raise faults.deadlock(self.program, self._describe_waits())

    def _run_group(self, group: Group) -> None:
        self.group = group
        lanes = group.lanes
        lanes.mask = group.mask
        pc = group.pc
        budget, queue, hot = self.budget, self.queue, self._hot.view(group)
        while True:
            if queue.step >= self._watch.next_look:
                self._look_for_endless_wait(pc)
            if hot.has(pc):
                alone = not len(queue) and self._states.all_wait()
                stop = hot.follow(self, group, pc, self._next_stop(), self._loops if alone else None)
                last, pc = stop.last, stop.pc
                if stop.in_run:
                    lanes.skipped = hot.skipped(pc)
                    last, following = pc, self._end_run(group, pc)
                else:
                    following = pc
            else:
                lanes.start = pc
                lanes.clock = budget.clock
                for execute in self._code.run_at(pc).body:
                    execute(lanes)
                last, following = pc, self._end_run(group, pc)
            if budget.executed > budget.limit:
                raise faults.too_long(self.program, last, budget.limit)
            if following is None:
                queue.end_slice()
                return
            if following <= last:
                self._leave_out_iterations(group, following, last + self._code.run_at(last).length - 1)
            pc = following
            if queue.comes_before(pc) or (self._states.apart and queue.step >= self._rotates_at):
                queue.put_back(group, pc)
                return

    def _end_run(self, group: Group, pc: int) -> int | None:
        """The group has executed the run at ``pc`` except for its end; returns where all of it goes on, if it does."""
        run, lanes, budget = self._code.run_at(pc), group.lanes, self.budget
        following = run.control(lanes)
        self.recorder.run(group, pc, run.length, lanes.skipped)
        if lanes.skipped:
            lanes.skipped = []
        budget.clock += CYCLES_PER_INSTRUCTION * run.length
        budget.executed += run.length
        self.queue.step += 1
        return following

    def _next_stop(self) -> int:
        """The step at which the running group is to stop, whatever it does then."""
        look = self._watch.next_look
        return min(look, self._rotates_at) if self._states.apart else look

    def _leave_out_iterations(self, group: Group, first: int, last: int) -> None:
        """``group`` goes back to ``first`` by the branch at ``last``: leave out what it only counts there."""
        loop = self._code.loop_at(first, last)
        queue, budget, apart = self.queue, self.budget, self._states.apart
        if loop is None or len(queue) or not self._states.all_wait() or (apart and queue.step >= self._rotates_at):
            return
        left_out = self._loops.leave_out(loop, group, queue.step, budget.executed)
        if left_out is None:
            return
        budget.clock += CYCLES_PER_INSTRUCTION * left_out.executed
        queue.step += left_out.steps
        if apart and queue.step > self._rotates_at:
            self._rotates_at += -(-(queue.step - self._rotates_at) // ROTATION) * ROTATION

    def _look_for_endless_wait(self, pc: int) -> None:
        alone = not len(self.queue) and self._states.all_wait()
        if alone and self._watch.look(self.queue.step, pc, self.changes + self._states.partings, self.group):
            raise faults.endless_wait(self.program, pc)

    def _rotate(self) -> None:
        """Let others of their warps go on where running splits have kept them waiting since the last time."""
        if self._states.apart:
            self.queue.file_splits(self._states.rotate(self.queue.take_all()))

    @property
    def convergence(self) -> U32:
        """B0 to B15 of each thread: the lanes that will meet at BSYNC, uint32 (16, warps, 32)."""
        return self._states.convergence

    @property
    def restored(self) -> U32:
        """The lanes for which a BMOV has restored B0 to B15 since their last BSSY, uint32 (16, warps)."""
        return self._states.restored

    def _view(self, first: int, last: int) -> Lanes:
        view = self._views.get((first, last))
        if view is None:
            view = self._views[first, last] = Lanes(self, self._files, first, last)
        return view

    # Divergence: called by control instructions with lanes of the running group

    def branch(self, taken: Bools, target: int, following: int) -> None:
        """Send lanes ``taken``, (n, 32), to ``target`` and the group's other lanes to ``following``.

        In a warp that diverges the side of fewer lanes runs first, of two equal sides the fall-through: so an H100
        did in ``tests/integration/recorded/divergence_order.json``.
        """
        taken_bits, group = self._rows(taken), self.group
        other_bits = group.bits & ~taken_bits
        both = (taken_bits != 0) & (other_bits != 0)
        jumps = (other_bits == 0) | (both & (np.bitwise_count(taken_bits) < np.bitwise_count(other_bits)))
        for pc, bits, chosen in ((following, other_bits, ~jumps), (target, taken_bits, jumps)):
            if chosen.any():
                self.queue.file(pc, group.warps[chosen], bits[chosen])
        for row in np.flatnonzero(both).tolist():
            pc, bits = (following, other_bits) if jumps[row] else (target, taken_bits)
            self._states.stack(int(group.warps[row]), Split(pc, int(bits[row])), is_sibling=True)

    def scatter(self, targets: NDArray[np.int64], again: int | None = None) -> None:
        """Send every lane of the group to its own instruction index, (n, 32).

        The target of the lowest lane runs first, then that of the next lane left, and so on: the order in which an
        H100 was seen to run the targets of BRX, whatever their addresses and however many lanes go to each. Who has
        another target than the lowest lane stays at instruction ``again``, if given, and executes it once more: the
        H100 counts a CALL by register once for each of 2, 4 and 8 targets.
        """
        group = self.group
        first = group.lanes.first
        running: Running = []
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            row = targets[warp - first]
            splits: dict[int, int] = {}
            for lane in range(WARP_SIZE):
                if bits >> lane & 1:
                    pc = int(row[lane])
                    splits[pc] = splits.get(pc, 0) | 1 << lane
            chosen, *others = splits  # in the order of their lowest lanes
            running.append((warp, Split(chosen, splits[chosen])))
            if others and again is not None:
                self._states.stack(warp, Split(again, bits & ~splits[chosen]), is_sibling=True)
                continue
            for pc in reversed(others):
                self._states.stack(warp, Split(pc, splits[pc]))
        self.queue.file_splits(running)

    def narrow(self, chosen: Bools, following: int) -> Lanes:
        """Go on with lanes ``chosen``, (n, 32), of the group only; the others continue at ``following`` later."""
        group = self.group
        bits = self._rows(chosen)
        rest = group.bits & ~bits
        alone = bits == 0
        if alone.any():
            self.queue.file(following, group.warps[alone], rest[alone])
        for row in np.flatnonzero(~alone & (rest != 0)).tolist():
            self._states.stack(int(group.warps[row]), Split(following, int(rest[row])))
        return self.choose(chosen)

    def choose(self, chosen: Bools) -> Lanes:
        """Make lanes ``chosen``, (n, 32), of the group the running group; the caller sees to the others."""
        group = self.group
        bits = self._rows(chosen)
        kept = bits != 0
        warps = group.warps[kept]
        lanes = self._view(int(warps[0]), int(warps[-1]) + 1)
        self.group = Group(group.pc, warps, bits[kept], lanes, self.queue.step)
        lanes.mask = self.group.mask
        return lanes

    def resume_at(self, pc: int) -> None:
        """File the running group at ``pc``."""
        self.queue.put_back(self.group, pc)

    def exit(self) -> None:
        """End the group's lanes."""
        group = self.group
        self.alive[group.warps] &= ~group.bits
        if self._states.apart:
            self.queue.file_splits(self._states.finish_turn(group.warps, exited=True))
        for barrier in self.barriers.in_use():
            self._complete_barrier(barrier)

    def yield_turn(self, following: int) -> bool:
        """Let other splits of the group's warps and other warps go first; returns whether there were any."""
        if not self._states.apart:
            if not len(self.queue):
                return False
            self.queue.put_back(self.group, following, LAST)
            return True
        group = self.group
        yielding: Running = []
        running: Running = []
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            split, is_ready = self._states.yield_turn(warp, Split(following, bits))
            (running if is_ready else yielding).append((warp, split))
        self.queue.file_splits(running)
        self.queue.file_splits(yielding, LAST)
        return True

    def converge(self, register: int, pc: int) -> bool:
        """BSYNC: wait for the other lanes of convergence barrier ``register``; returns whether all are here.

        Warps in which a BMOV has restored the barrier for one of the lanes execute it once more first: so an H100
        counts them, in kernels that call functions which keep their callers' barriers.
        """
        group, lanes = self.group, self.group.lanes
        again = self._states.take_restored(register, group.warps, group.bits)
        if again.any():
            self.changes += 1
            running: Running = []
            for warp, bits, repeats in zip(group.warps.tolist(), group.bits.tolist(), again.tolist(), strict=True):
                if repeats:
                    running.append((warp, Split(pc, bits)))
                else:
                    self._states.converge(warp, register, bits, pc, running)
            self.queue.file_splits(running)
            return False
        needs = self.convergence[register, lanes.first : lanes.last] & self.alive[lanes.first : lanes.last, None]
        arrived = needs == group.row_bits
        if bool(arrived.all() if lanes.mask is None else (arrived | ~lanes.mask).all()):
            return True
        running = []
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            self._states.converge(warp, register, bits, pc, running)
        self.queue.file_splits(running)
        return False

    def leave_barrier(self, register: int, leaving: Bools) -> None:
        """BREAK: lanes ``leaving``, (n, 32), of the group will not come to BSYNC on ``register``."""
        for warp, bits in zip(self.group.warps.tolist(), self._rows(leaving).tolist(), strict=True):
            if bits:
                self._states.leave_barrier(register, warp, bits)

    def sync_warp(self, needs: U32, pc: int, collective: bool) -> bool:
        """WARPSYNC: wait for the lanes named by ``needs``, uint32 (n, 32) or (n, 1); returns whether all are here."""
        group, lanes = self.group, self.group.lanes
        missing = needs & self.alive[lanes.first : lanes.last, None] & ~group.row_bits
        if lanes.mask is not None:
            missing = np.where(lanes.mask, missing, np.uint32(0))
        if not missing.any():
            return True
        needs = np.where(lanes.active(), needs, np.uint32(0))
        running: Running = []
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            wanted = int(np.bitwise_or.reduce(needs[warp - lanes.first]))
            self._states.meet(warp, Wait(WaitKind.WARP, 0, wanted, bits, pc, pc + 1, collective), running)
        self.queue.file_splits(running)
        return False

    def _rows(self, mask: Bools) -> U32:
        group = self.group
        bits = pack(mask)
        return bits if group.lanes.count == len(group.warps) else bits[group.warps - group.lanes.first]

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
        plain = operation == "SYNC" and not expected
        if plain and self.barriers.pass_at_once(barrier, group.lanes.first, group.row_bits):
            return True
        vote_bits = None if votes is None else self._rows(votes & group.lanes.active())
        self.barriers.arrive(barrier, expected, operation, group.warps, group.bits, vote_bits)
        if operation == "ARV":
            self._complete_barrier(barrier)
            return True
        complete = self.barriers.complete(barrier)
        if self._is_all_of(complete):
            self.barriers.reset(barrier, complete)
            return True
        for warp, bits in zip(group.warps.tolist(), group.bits.tolist(), strict=True):
            self._states.wait(warp, Wait(WaitKind.BLOCK, barrier, expected, bits, pc, pc + 1))
        self._complete_barrier(barrier)
        self.queue.file_splits(self._states.finish_turn(group.warps))
        return False

    def _is_all_of(self, blocks: Bools) -> bool:
        """Whether the running group is all that is left of ``blocks``, bool (blocks,)."""
        group = self.group
        rows = np.repeat(blocks, self.warps_per_block)
        return (
            bool(rows[group.warps].all())
            and np.count_nonzero(self.alive[rows]) == len(group.warps)
            and bool((self.alive[group.warps] == group.bits).all())
        )

    def _complete_barrier(self, barrier: int) -> None:
        """Release the warps that wait at a barrier in the blocks where it is complete now."""
        complete = self.barriers.complete(barrier)
        if not complete.any():
            return
        warps = self.barriers.reset(barrier, complete)
        self.queue.file_splits(self._states.leave_block_barrier(barrier, warps))

    def _describe_waits(self) -> list[tuple[int, int, Wait]]:
        return [
            (int(self.blocks[warp // self.warps_per_block]), warp % self.warps_per_block, wait)
            for warp, wait in self._states.waits()
        ]
