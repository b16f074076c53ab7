"""The stall count is the least distance to the warp's next instruction."""

import pytest

from smsim.testing import Launch, program


@pytest.mark.parametrize("stall", [1, 2, 5, 15])
def test_the_next_instruction_waits_for_the_stall_count(run, machine, stall):
    probe = run(program().mov(4, 1, stall=stall).op("NOP").exit(), machine)
    assert probe.gap(0, 1) == stall
    assert probe.stalls(1).get("wait", 0) == stall - 1


def test_a_stall_count_of_0_is_1(run, machine):
    assert run(program().op("NOP", 0).op("NOP").exit(), machine).gap(0, 1) == 1


def test_a_stall_count_holds_only_its_own_warp(run, machine):
    probe = run(Launch((program().mov(4, 1, stall=9).mov(5, 1).exit(),), warps=5), machine)
    first, other = probe.issues(0), probe.issues(4)
    assert first[0].smsp == other[0].smsp
    assert first[0].cycle < other[0].cycle < first[1].cycle
