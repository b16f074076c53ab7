"""The probe harness: run routines on a simulated SM and ask when each instruction issued.

Sample::

    probe = run(program().ffma(4, 5, 6, 7, stall=4).ffma(5, 4, 4, 4).exit())
    assert probe.gap(0, 1) == 4
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + 4, reason="wait")
"""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from isa.instruction import INSTRUCTION_BYTES
from isa.trace import Trace
from smsim import engines
from smsim.counts import Counts
from smsim.listeners import BlockLaunched, Event, Issue, WarpExited
from smsim.machine import Machine, load
from smsim.policies import Policy
from smsim.reasons import REASON_NAMES
from smsim.rescheduling import rescheduled
from smsim.testing.assemble import Launch
from smsim.testing.routine import Routine


@dataclass(frozen=True)
class Probe:
    """A finished simulation that was listened to.

    ``instruction`` counts, from 0, what a warp issued, loops unrolled; negative numbers count from the end. ``warp`` is
    a warp of its block.

    Attributes:
        trace: what ran, rescheduled where the machine asks for it.
        machine: on what.
        counts: what the engine counted.
        events: what it told, in order.
    """

    trace: Trace
    machine: Machine
    counts: Counts
    events: tuple[Event, ...]

    def issues(self, warp: int = 0, block: int = 0) -> list[Issue]:
        """What a warp issued, in order."""
        return [e for e in self.events if isinstance(e, Issue) and (e.block, e.warp) == (block, warp)]

    def issues_by_warp(self) -> dict[tuple[int, int], list[Issue]]:
        """Every warp's issues in order, by block and warp."""
        issues: dict[tuple[int, int], list[Issue]] = defaultdict(list)
        for event in self.events:
            if isinstance(event, Issue):
                issues[event.block, event.warp].append(event)
        return issues

    def issued_at(self, instruction: int, warp: int = 0, block: int = 0) -> int:
        """The cycle in which a warp issued its n-th instruction."""
        return self.issues(warp, block)[instruction].cycle

    def gap(self, first: int, second: int, warp: int = 0, block: int = 0) -> int:
        """Cycles between the issues of two instructions of a warp."""
        return self.issued_at(second, warp, block) - self.issued_at(first, warp, block)

    def dispatched(self, first: int, second: int, warp: int = 0, block: int = 0) -> int:
        """Cycles between two instructions of a warp at the dispatcher: the difference of the clocks read there."""
        issues = self.issues(warp, block)
        return issues[second].reached - issues[first].reached

    def launched_at(self, block: int = 0) -> int:
        """The cycle in which a block became resident."""
        return next(e.cycle for e in self.events if isinstance(e, BlockLaunched) and e.block == block)

    def exited_at(self, warp: int = 0, block: int = 0) -> int:
        """The cycle in which a warp left its slot."""
        return self.exits()[block, warp].cycle

    def exits(self) -> dict[tuple[int, int], WarpExited]:
        """How each warp ended, by block and warp."""
        exits: dict[tuple[int, int], WarpExited] = {}
        in_slot: dict[int, tuple[int, int]] = {}
        for event in self.events:
            if isinstance(event, Issue):
                in_slot[event.slot] = (event.block, event.warp)
            elif isinstance(event, WarpExited):
                exits[in_slot[event.slot]] = event
        return exits

    def stalls(self, instruction: int, warp: int = 0, block: int = 0) -> dict[str, int]:
        """Warp-cycles spent before an instruction, by reason, on the warp's SMSP, all its warps together.

        ``instruction`` is one that the warp issued; the counts are those of its address. Reasons without cycles are
        left out.
        """
        issue = self.issues(warp, block)[instruction]
        row = self.counts.warp_cycles[issue.smsp, issue.address // INSTRUCTION_BYTES]
        return {name: int(cycles) for name, cycles in zip(REASON_NAMES, row, strict=True) if cycles}

    def assert_issued_at(self, instruction: int, cycle: int, warp: int = 0, block: int = 0) -> None:
        """The instruction issued in ``cycle``."""
        issued = self.issued_at(instruction, warp, block)
        assert issued == cycle, (
            f"warp {warp} of block {block} issued its instruction {instruction} in cycle {issued}, not {cycle}; "
            f"before it: {self.stalls(instruction, warp, block)}"
        )

    def assert_earliest_issue_at(
        self, instruction: int, cycle: int, reason: str, warp: int = 0, block: int = 0
    ) -> None:
        """The instruction issued in ``cycle``, and it was ``reason`` that kept it from an earlier one.

        Right where the warp is alone on its SMSP and reaches the instruction's address once.
        """
        self.assert_issued_at(instruction, cycle, warp, block)
        stalls = self.stalls(instruction, warp, block)
        assert reason in stalls, f"instruction {instruction} did not stall for {reason}, but for {stalls}"


def run(
    launch: Launch | Routine,
    machine: str | Path | Machine = "h100",
    engine: str = "auto",
    *,
    cache: str = "warm",
    policy: str | Policy | None = None,
) -> Probe:
    """Simulate a launch, or one warp of a routine, and listen. Arguments and errors as :func:`smsim.engines.run`."""
    machine = load(machine)
    trace = (Launch((launch,)) if isinstance(launch, Routine) else launch).trace()
    events: list[Event] = []
    counts = engines.run(trace, machine, cache, engine, policy=policy, listeners=[events.append])
    return Probe(rescheduled(trace, machine), machine, counts, tuple(events))
