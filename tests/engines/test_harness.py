"""How to use the probe harness: write a routine, run it, ask when its instructions issued."""

import pytest

from smsim.testing import Launch, program, strided


def test_a_routine_is_a_chain_of_instructions(run, machine):
    probe = run(program().ffma(4, 5, 6, 7, stall=5).mov(8, 1, stall=2).exit(), machine)
    assert [issue.address for issue in probe.issues()] == [0x00, 0x10, 0x20]
    assert (probe.gap(0, 1), probe.gap(1, 2)) == (5, 2)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + 5, reason="wait")


def test_instructions_are_counted_as_they_issue(run, machine):
    probe = run(program().loop(3, program().mov(4, 1)).jump(over=2).exit(), machine)
    assert [issue.address for issue in probe.issues()] == [0x00, 0x10] * 3 + [0x20, 0x50]
    assert probe.issued_at(-1) == probe.issues()[7].cycle


def test_warps_share_routines_in_turn(run, machine):
    probe = run(Launch((program().mov(4, 1).exit(), program().exit()), warps=4, blocks=2), machine)
    lengths = [len(probe.issues(warp, block)) for block in range(2) for warp in range(4)]
    assert lengths == [2, 1] * 4


def test_a_wrong_expectation_says_what_happened(run, machine):
    probe = run(program().mov(4, 1, stall=4).exit(), machine)
    with pytest.raises(AssertionError, match=r"instruction 1 in cycle \d+, not 0; before it: .*'wait': 7"):
        probe.assert_issued_at(1, 0)
    with pytest.raises(AssertionError, match="did not stall for barrier"):
        probe.assert_earliest_issue_at(1, probe.issued_at(1), reason="barrier")


def test_accesses_have_an_address_by_lane(run, machine):
    load = "LDG.E R4, desc[UR4][R2.64]"
    probe = run(program().op(load, addresses=strided(128, lanes=range(3))).exit(), machine)
    assert probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 3


def test_a_routine_must_end():
    with pytest.raises(ValueError, match="ends with EXIT"):
        Launch((program().mov(4, 1),)).trace()
