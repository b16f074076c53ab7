"""Results of fixed-latency instructions: an interlock where the stall count is too short for the machine's latency."""

import pytest

from smsim.testing import program

FFMA, IADD3 = "FFMA R4, R5, R6, R7", "IADD3 R8, R4, R4, RZ"


def test_a_reader_of_the_same_class_waits_for_the_latency(run, machine):
    probe = run(program().op(FFMA).ffma(5, 4, 4, 4).exit(), machine)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + machine.value("pipes.fma.latency"), reason="wait")


def test_a_reader_of_another_class_waits_for_the_detour_too(run, machine):
    probe = run(program().op(FFMA).op(IADD3).exit(), machine)
    assert probe.gap(0, 1) == machine.value("pipes.fma.latency") + machine.value("forwarding.fma.alu")


@pytest.mark.parametrize("latency", [6, 20])
def test_a_latency_raised_above_the_stall_count_holds_the_reader(run, machine, latency):
    slow = machine.replace({"pipes.fma.latency": latency})
    code = program().ffma(4, 5, 6, 7, stall=4).ffma(5, 4, 4, 4, stall=4).exit()
    assert run(code, slow).gap(0, 1) == latency


def test_who_does_not_read_the_result_does_not_wait(run, machine):
    assert run(program().op(FFMA).mov(8, 1).exit(), machine).gap(0, 1) == 1


def test_a_guard_is_read_too(run, machine):
    compare = "ISETP.GE.AND P0, PT, R4, R5, PT"
    probe = run(program().op(compare).op("@P0 MOV R6, 0x1").exit(), machine)
    assert probe.gap(0, 1) == machine.value("pipes.alu.latency") + machine.value("forwarding.alu.alu")


def test_an_instruction_without_lanes_writes_nothing(run, machine):
    assert run(program().op(f"@!P1 {FFMA}", lanes=0).ffma(5, 4, 4, 4).exit(), machine).gap(0, 1) == 1
