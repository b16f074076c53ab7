"""What every simulation obeys, on whatever machine and under whatever policy: each a check of a probe.

They recompute from the events and the trace what the rules must have respected, and share no code with the rules. Each
raises AssertionError with the place at which a run breaks it.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

import numpy as np

from isa.control import NO_BARRIER
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import Register
from isa.trace.history import expand
from isa.trace.model import Space
from isa.trace.recorded import records_access
from smsim.accesses import build_accesses
from smsim.code import FIXED, MIO, build_code
from smsim.listeners import Issue
from smsim.machine import Machine
from smsim.reasons import Reason
from smsim.state.sizes import NUM_SMSPS
from smsim.testing.probe import Probe

Warp = tuple[int, int]  # block, warp of the block
REDUCTIONS = frozenset(["RED", "REDG"])


def every_warp_cycle_has_one_reason(probe: Probe) -> None:
    """Per SMSP, the warp-cycles of all reasons are those between the warps' launches and their ends."""
    interval = int(probe.machine.value("launch.warp_interval"))
    resident = np.zeros(NUM_SMSPS, np.int64)
    for (block, warp), end in probe.exits().items():
        resident[end.smsp] += end.cycle - (probe.launched_at(block) + warp * interval)
    booked = probe.counts.warp_cycles.sum(axis=(1, 2))
    assert (probe.counts.warp_cycles >= 0).all(), "negative warp-cycles"
    assert booked.tolist() == resident.tolist(), f"warp-cycles booked {booked} but resident {resident}, by SMSP"


def every_instruction_is_selected_once(probe: Probe) -> None:
    """Selected cycles are issues, and issues are the trace's instructions, by address and SMSP."""
    issued = Counter((i.smsp, i.address // INSTRUCTION_BYTES) for warp in probe.issues_by_warp().values() for i in warp)
    selected = probe.counts.warp_cycles[:, :, Reason.SELECTED]
    assert issued == {(s, i): selected[s, i] for s, i in zip(*map(list, selected.nonzero()), strict=True)}
    lanes = sum(i.lanes.bit_count() for warp in probe.issues_by_warp().values() for i in warp)
    assert lanes == probe.counts.thread_instructions, (
        f"{lanes} lanes issued, {probe.counts.thread_instructions} counted"
    )


def an_smsp_issues_once_a_cycle(probe: Probe) -> None:
    """At most one issue per SMSP and cycle."""
    taken = Counter((i.cycle, i.smsp) for warp in probe.issues_by_warp().values() for i in warp)
    assert not taken or max(taken.values()) == 1, f"two issues in {max(taken, key=lambda slot: taken[slot])}"


def a_warp_alone_is_always_selected(probe: Probe) -> None:
    """On an SMSP to which only one warp ever came, nobody is eligible and not selected."""
    warps = Counter(end.smsp for end in probe.exits().values())
    for smsp, count in warps.items():
        cycles = int(probe.counts.warp_cycles[smsp, :, Reason.NOT_SELECTED].sum())
        assert count > 1 or cycles == 0, f"SMSP {smsp}: its only warp was not_selected for {cycles} cycles"


def warps_keep_program_order(probe: Probe) -> None:
    """A warp issues what its history says, in its order, under its masks."""
    issues = probe.issues_by_warp()
    for number, traced in enumerate(probe.trace.warps):
        block, warp = int(probe.trace.blocks[traced["block"]]), int(traced["warp"])
        indices, masks = expand(probe.trace, number)
        issued = [(i.address // INSTRUCTION_BYTES, i.lanes) for i in issues[block, warp]]
        assert issued == list(zip(indices.tolist(), masks.tolist(), strict=True)), (
            f"order of warp {warp}, block {block}"
        )


def every_warp_ends(probe: Probe) -> None:
    """As many warps leave as were launched; the simulation ends with the last, or when its reductions are answered."""
    exits = probe.exits()
    assert len(exits) == len(probe.trace.warps)
    last = max(end.cycle for end in exits.values())
    reduces = any(instruction.opcode in REDUCTIONS for instruction in probe.trace.program.instructions)
    assert last == probe.counts.cycles or (reduces and last < probe.counts.cycles)


def stall_counts_are_kept(probe: Probe) -> None:
    """A warp's next issue comes no earlier than its last instruction's stall count says."""
    for warp, before, after in _neighbours(probe):
        stall = max(1, _instruction(probe, before).control.stall)
        assert after.cycle - before.cycle >= stall, f"{warp}: {after.address:#x} inside the stall count before it"


def scoreboards_are_waited_for(probe: Probe) -> None:
    """Who waits on a barrier issues when its producers' latencies have passed, L2's where L1 lacks the line."""
    code = build_code(probe.trace.program, probe.machine).instructions
    l1 = probe.machine.l1
    first_loads, miss = _first_loads(probe), l1.miss_latency - l1.miss_spread // 2
    for warp, issues in probe.issues_by_warp().items():
        released: dict[int, int] = defaultdict(int)
        for issue in issues:
            instruction = _instruction(probe, issue)
            control = instruction.control
            for barrier, cycle in released.items():
                if control.wait_mask >> barrier & 1:
                    assert issue.cycle >= cycle, f"{warp}: {instruction.text} before barrier {barrier}, cycle {cycle}"
            if issue.lanes:
                timing = code[instruction.index]
                for barrier, after in (
                    (control.write_barrier, _least_latency(timing) + (miss if issue in first_loads else 0)),
                    (control.read_barrier, timing["read_latency"]),
                ):
                    if barrier < NO_BARRIER:
                        released[barrier] = max(released[barrier], issue.cycle + int(after))


def fixed_results_are_waited_for(probe: Probe) -> None:
    """Who reads what a fixed-latency instruction wrote last is dispatched when the result has come to its class."""
    code = build_code(probe.trace.program, probe.machine).instructions
    for warp, issues in probe.issues_by_warp().items():
        written: dict[Register, tuple[Instruction, int]] = {}
        for issue in issues:
            instruction = _instruction(probe, issue)
            for register in instruction.reads & written.keys():
                writer, cycle = written[register]
                ready = cycle + int(code[writer.index]["latency"]) + _detour(probe.machine, writer, instruction)
                if len(writer.writes) > 1 and register.index == min(each.index for each in writer.writes):
                    ready -= int(code[writer.index]["second_pass"])
                assert issue.reached >= ready, (
                    f"{warp}: {instruction.text} in {issue.reached}, {writer.text} done in {ready}"
                )
            if issue.lanes:
                for register in instruction.writes:
                    written.pop(register, None)
                if code[instruction.index]["unit"] == FIXED:
                    written.update(dict.fromkeys(instruction.writes, (instruction, issue.reached)))


def barriers_release_all_or_none(probe: Probe) -> None:
    """What a block barrier holds issues behind it only when the last warp of the block has arrived or ended."""
    issues = probe.issues_by_warp()
    code = build_code(probe.trace.program, probe.machine).instructions
    blocks: dict[int, dict[int, list[Issue]]] = defaultdict(dict)
    for (block, warp), own in issues.items():
        blocks[block][warp] = own
    for block, warps in blocks.items():
        arrivals = {warp: [n for n, i in enumerate(own) if _is_barrier(probe, i)] for warp, own in warps.items()}
        for phase in range(max(map(len, arrivals.values()))):
            came = {warp: places[phase] for warp, places in arrivals.items() if phase < len(places)}
            last = max(warps[warp][came.get(warp, -1)].cycle for warp in warps)
            for warp, place in came.items():
                behind = warps[warp][place + 1 :]
                held = next(issue for issue in behind if code[_instruction(probe, issue).index]["held_by_barrier"])
                assert held.cycle > last, f"block {block}, warp {warp} passed barrier {phase} alone"


ALL: tuple[Callable[[Probe], None], ...] = (
    every_warp_cycle_has_one_reason,
    every_instruction_is_selected_once,
    an_smsp_issues_once_a_cycle,
    a_warp_alone_is_always_selected,
    warps_keep_program_order,
    every_warp_ends,
    stall_counts_are_kept,
    scoreboards_are_waited_for,
    fixed_results_are_waited_for,
    barriers_release_all_or_none,
)


def check(probe: Probe) -> None:
    """All of them."""
    for invariant in ALL:
        invariant(probe)


def _neighbours(probe: Probe) -> Iterator[tuple[Warp, Issue, Issue]]:
    for warp, issues in probe.issues_by_warp().items():
        for before, after in itertools.pairwise(issues):
            yield warp, before, after


def _instruction(probe: Probe, issue: Issue) -> Instruction:
    return probe.trace.program.instructions[issue.address // INSTRUCTION_BYTES]


def _first_loads(probe: Probe) -> set[Issue]:
    """The global loads all of whose lines nobody has touched before."""
    trace, l1 = probe.trace, probe.machine.l1
    accesses, kinds, touches, _ = build_accesses(trace, l1.line_bytes, l1.sector_bytes)
    next_access = {
        (int(trace.blocks[traced["block"]]), int(traced["warp"])): int(traced["first_access"]) for traced in trace.warps
    }
    touched: set[int] = set()
    found = set()
    for issue in probe.events:
        if not isinstance(issue, Issue) or not issue.lanes or not records_access(_instruction(probe, issue)):
            continue
        access = accesses[next_access[issue.block, issue.warp]]
        next_access[issue.block, issue.warp] += 1
        kind = kinds[access["kind"]]
        if kind["space"] == Space.GLOBAL:
            deltas = touches["delta"][kind["first_touch"] : kind["end_touch"]]
            lines = {int(access["line"] + delta) for delta in deltas}
            if _instruction(probe, issue).opcode == "LDG" and not lines & touched:
                found.add(issue)
            touched |= lines
    return found


def _least_latency(timing: np.void) -> int:
    """Of a wide access to shared memory the groups of lanes may go together, which saves passes and results."""
    spared = int(timing["words"]) - 1 if timing["unit"] == MIO else 0
    return int(timing["latency"]) - 3 * spared


def _is_barrier(probe: Probe, issue: Issue) -> bool:
    return issue.lanes != 0 and _instruction(probe, issue).opcode == "BAR"


def _detour(machine: Machine, writer: Instruction, reader: Instruction) -> int:
    """Cycles beyond the writer's latency until a reader of another class sees the result."""
    return int(machine.forwarding.get(writer.latency_class, {}).get(reader.latency_class, 0))
