"""Scheduling policies: which of an SMSP's eligible warps issues."""

import pytest

from isa.errors import MachineError
from smsim import testing
from smsim.testing import Launch, program

# Warps 0, 4 and 8 of a block are on SMSP 0; the barrier lets them start together.
WARPS = 12


def order(run, machine, policy, stall=1, yields=False):
    """The order in which the warps of SMSP 0 issue three NOPs each behind a barrier, as numbers 0 to 2."""
    routine = program().barrier()
    for _ in range(3):
        routine = routine.op("NOP", stall, yields=yields)
    probe = run(Launch((routine.exit(),), warps=WARPS), machine, policy=policy)
    issues = sorted((issue.cycle, warp // 4) for warp in (0, 4, 8) for issue in probe.issues(warp)[1:4])
    return [warp for _, warp in issues]


def test_the_oldest_goes_first(run, machine):
    assert order(run, machine, "oldest-first") == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_the_oldest_takes_every_turn_that_it_can(run, machine):
    assert order(run, machine, "oldest-first", stall=2) == [0, 1, 0, 1, 0, 1, 2, 2, 2]


def test_greedy_goes_on_with_the_same_warp(run, machine):
    assert order(run, machine, "greedy-then-oldest")[-6:] in ([1, 1, 1, 2, 2, 2], [0, 0, 0, 1, 1, 1], [0] * 3 + [2] * 3)


def test_round_robin_takes_them_in_turn(run, machine):
    turns = order(run, machine, "loose-round-robin")
    assert turns == [turns[0], turns[1], turns[2]] * 3
    assert sorted(turns[:3]) == [0, 1, 2]


def test_the_default_stays_with_a_warp_until_its_code_gives_way(run, machine):
    stays = order(run, machine, None)
    assert [stays[0:3], stays[3:6], stays[6:9]] == [[warp] * 3 for warp in (stays[0], stays[3], stays[6])]
    gives = order(run, machine, None, yields=True)
    assert gives[0] != gives[1]


def test_with_stall_counts_two_warps_take_turns_until_they_are_through(run, machine):
    turns = order(run, machine, None, stall=2)
    assert set(turns[:6]) == {turns[0], turns[1]}
    assert turns[6:] == [turns[8]] * 3


def youngest(cycle, smsp, candidates):
    return max(candidates, key=lambda candidate: candidate.launch_order)


def test_a_policy_in_python_decides(machine):
    assert order(testing.run, machine, youngest) == [2, 2, 2, 1, 1, 1, 0, 0, 0]


def test_a_policy_must_pick_a_candidate(machine):
    with pytest.raises(MachineError, match=r"cycle \d+, SMSP 0: the policy picked None, not a candidate"):
        testing.run(program().exit(), machine, policy=lambda cycle, smsp, candidates: None)


def test_the_compiled_engine_refuses_a_policy_in_python(machine):
    with pytest.raises(MachineError, match='cannot ask a policy written in Python; take engine "simpy" or "auto"'):
        testing.run(program().exit(), machine, "compiled", policy=youngest)


def test_of_two_blocks_warps_those_of_the_older_one_go_first(run, machine):
    routine = program().barrier()
    for _ in range(64):  # the second block comes long before the first is through
        routine = routine.op("NOP", 1, yields=True)
    probe = run(Launch((routine.exit(),), warps=WARPS, blocks=2), machine)
    ends = [[probe.issues(warp, block)[64].cycle for warp in (0, 4, 8)] for block in (0, 1)]
    assert probe.launched_at(1) + 64 < max(ends[0]) < min(ends[1])
