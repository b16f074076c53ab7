"""Each invariant notices a run that breaks it."""

from dataclasses import replace

import pytest

from smsim.listeners import WarpExited
from smsim.reasons import Reason
from smsim.testing import Launch, Probe, invariants, program, run


@pytest.fixture(scope="module")
def probe() -> Probe:
    """Two warps; instructions 1, 3 and 5 of the first wait for an operand, a scoreboard and a block barrier."""
    routine = program().ffma(4, 5, 6, 7).ffma(8, 4, 4, 4, stall=6).mufu(9, 8, write=0).mov(10, 1, wait=[0])
    return run(Launch((routine.barrier().mov(11, 1).exit(), program().nops(40).barrier().exit()), warps=2))


def moved(probe: Probe, instruction: int, cycles: int, warp: int = 0) -> Probe:
    """The run with one issue at another time."""
    issue = probe.issues(warp)[instruction]
    later = replace(issue, cycle=issue.cycle + cycles, reached=issue.reached + cycles)
    return replace(probe, events=tuple(later if event is issue else event for event in probe.events))


def booked(probe: Probe, reason: Reason) -> Probe:
    """The run with one warp-cycle more."""
    warp_cycles = probe.counts.warp_cycles.copy()
    warp_cycles[0, 0, reason] += 1
    return replace(probe, counts=replace(probe.counts, warp_cycles=warp_cycles))


def test_a_run_obeys_them_all(probe: Probe) -> None:
    invariants.check(probe)


def test_a_warp_cycle_too_many(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="warp-cycles booked"):
        invariants.every_warp_cycle_has_one_reason(booked(probe, Reason.WAIT))


def test_an_issue_that_is_counted_twice(probe: Probe) -> None:
    with pytest.raises(AssertionError):
        invariants.every_instruction_is_selected_once(booked(probe, Reason.SELECTED))


def test_lanes_that_are_not_counted(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="lanes issued"):
        invariants.every_instruction_is_selected_once(
            replace(probe, counts=replace(probe.counts, thread_instructions=1))
        )


def test_two_issues_in_a_cycle(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="two issues in"):
        invariants.an_smsp_issues_once_a_cycle(moved(probe, 1, -probe.gap(0, 1)))


def test_a_stall_of_a_warp_that_competes_with_nobody(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="not_selected"):
        invariants.a_warp_alone_is_always_selected(booked(probe, Reason.NOT_SELECTED))


def test_an_instruction_that_is_left_out(probe: Probe) -> None:
    gone = probe.issues()[2]
    with pytest.raises(AssertionError, match="order of warp 0"):
        invariants.warps_keep_program_order(replace(probe, events=tuple(e for e in probe.events if e is not gone)))


def test_a_warp_that_never_ends(probe: Probe) -> None:
    events = tuple(event for event in probe.events if not isinstance(event, WarpExited) or event.smsp)
    with pytest.raises(AssertionError):
        invariants.every_warp_ends(replace(probe, events=events))


def test_an_issue_inside_a_stall_count(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="inside the stall count"):
        invariants.stall_counts_are_kept(moved(probe, 2, 5 - probe.gap(1, 2)))


def test_an_issue_before_a_scoreboard_is_released(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="before barrier 0"):
        invariants.scoreboards_are_waited_for(moved(probe, 3, -1))


def test_an_issue_before_an_operand_is_there(probe: Probe) -> None:
    with pytest.raises(AssertionError, match="FFMA R4, R5, R6, R7 done in"):
        invariants.fixed_results_are_waited_for(moved(probe, 1, -1))


def test_a_warp_that_passes_a_barrier_alone(probe: Probe) -> None:
    early = probe.issued_at(-2, warp=1) - probe.issued_at(-1) - 1
    with pytest.raises(AssertionError, match="warp 0 passed barrier 0 alone"):
        invariants.barriers_release_all_or_none(moved(probe, -1, early))
