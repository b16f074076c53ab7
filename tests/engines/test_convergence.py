"""Branches that find out whether lanes have parted, and the way on where they have."""

from smsim.testing import program


def test_a_branch_for_parted_lanes_holds_others_as_one_that_is_not_taken(run, machine):
    """BRA.DIV, 5 cycles before a shuffle in CUDA C whose lanes stayed together; a jump would take 10."""
    probe = run(program().op("BRA.DIV UR4, 0x80", 5).nops(1).exit(), machine)
    assert probe.gap(0, 1) == 5


def test_meeting_for_a_collective_takes_as_long_as_a_warpsync(run, machine):
    """WARPSYNC with a mask, all lanes there: ``control/MOV stall 8, WARPSYNC R stall 1``."""
    probe = run(program().op("WARPSYNC.COLLECTIVE R4, 0x80", 5).nops(1).exit(), machine)
    assert probe.gap(0, 1) == 38


def test_a_yield_of_all_lanes_looks_for_others(run, machine):
    probe = run(program().op("YIELD", 5).nops(1).exit(), machine)
    assert probe.gap(0, 1) == 51
    assert probe.stalls(1)["branch_resolving"] == 46
