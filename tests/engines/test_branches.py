"""Branches: the bubble behind a taken one, and behind one that falls through."""

from smsim.testing import program

LINE = 8  # instructions


def loop_at(index, times=4):
    """A loop whose first instruction has this index."""
    return program().nops(index).loop(times, program().op("NOP", 1)).exit()


def last_taken(probe):
    """The distance from the last taken branch to its target."""
    return probe.gap(-4, -3)


def test_the_target_of_a_taken_branch_comes_after_the_bubble(run, machine):
    probe = run(loop_at(LINE), machine)
    assert last_taken(probe) == machine.value("frontend.branch_taken")
    assert {"branch_resolving", "wait", "no_instruction"} >= probe.stalls(LINE + 2).keys() - {"selected"}


def test_a_target_at_the_end_of_its_line_comes_later(run, machine):
    expected = machine.value("frontend.branch_taken") + machine.value("frontend.branch_line_end")
    assert last_taken(run(loop_at(2 * LINE - 1), machine)) == expected


def test_a_raised_latency_of_the_branch_holds_both_ways(run, machine):
    slow = machine.replace({"operations.BRA.latency": 50})
    probe = run(loop_at(LINE), slow)
    assert last_taken(probe) == 50
    assert probe.gap(-2, -1) == 50
