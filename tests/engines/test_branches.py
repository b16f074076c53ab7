"""Branches: the bubble behind a taken one, and behind one that falls through."""

from itertools import pairwise

import pytest

from smsim.testing import Launch, program

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


def test_the_line_behind_a_target_comes_later(run, machine):
    probe = run(loop_at(2 * LINE - 1), machine)
    assert last_taken(probe) == machine.value("frontend.branch_taken")
    assert probe.gap(-3, -2) == 1 + machine.value("frontend.branch_line_end")


def test_a_jump_back_over_more_lines_than_the_buffer_holds_comes_later(run, h100):
    def last_landing(lines):
        length = lines * LINE
        return run(program().loop(4, program().nops(length)).exit(), h100).gap(-length - 3, -length - 2)

    lines = int(h100.value("frontend.l0_lines"))
    later = last_landing(lines + 2) - last_landing(lines - 4)
    first = h100.value("frontend.l0_miss")
    assert first <= later < first + 8 / h100.value("frontend.l0_rate")  # by its slot of the line


def test_what_one_smsp_has_fetched_is_there_for_the_others(run, h100):
    """Microbenchmarks ``ahead``, cycles apart: a warp behind another SMSP's catches up where that one waits."""
    apart = 20
    code = program().loop(3, program().nops(64 * LINE)).exit()
    small = h100.replace({"frontend.icc_lines": 32, "launch.warp_interval": apart})
    together, alone = (run(Launch((code,), warps=2), m) for m in (small, small.replace({"frontend.icc_lines": 256})))
    behind = [probe.issued_at(-1, warp=1) - probe.issued_at(-1) for probe in (together, alone)]
    assert behind[0] < 4
    assert behind[1] == apart


@pytest.mark.parametrize("stall", [5, 10])
def test_a_taken_branch_is_resolved_whatever_its_stall_count(run, machine, stall):
    probe = run(program().jump(1, stall).nops(2).exit(), machine)
    resolving = machine.value("frontend.branch_resolved") - machine.value("frontend.branch_started")
    assert probe.stalls(1)["branch_resolving"] == resolving
    assert probe.gap(0, 1) == machine.value("frontend.branch_taken")


def test_a_warp_that_lands_right_behind_another_one_comes_later(run, machine):
    jump = program().jump(1, 5).nops(2).exit()
    probe = run(Launch((jump,), warps=5), machine.replace({"launch.warp_interval": 0}))
    landings = [probe.issued_at(1, warp=warp) - probe.issued_at(0, warp=warp) for warp in (0, 4)]
    late = machine.value("frontend.landing_wait")
    assert sorted(landings) == [machine.value("frontend.branch_taken"), machine.value("frontend.branch_taken") + late]


def test_an_smsp_fetches_for_one_landing_warp_at_a_time(run, machine):
    jump = program().jump(1, 5).nops(2).exit()
    probe = run(Launch((jump,), warps=32), machine.replace({"launch.warp_interval": 0, "frontend.landing_wait": 0}))
    landings = sorted(probe.issued_at(1, warp=warp) for warp in range(0, 32, 4))
    assert min(later - earlier for earlier, later in pairwise(landings)) == machine.value("frontend.landing_interval")


def test_a_raised_latency_of_the_branch_holds_both_ways(run, machine):
    slow = machine.replace({"operations.BRA.latency": 50})
    probe = run(loop_at(LINE), slow)
    assert last_taken(probe) == 50
    assert probe.gap(-2, -1) == 50
