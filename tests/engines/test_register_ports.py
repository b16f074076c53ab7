"""Register-file banks: one read port each for even and odd registers; .reuse spares a read."""

import pytest

from smsim.testing import program

COUNT, LAST = 24, 12


def cycles_each(run, machine, text, reuse=()):
    """Cycles per instruction at the dispatcher, in the second half of a row of them."""
    routine = program()
    for number in range(COUNT):
        routine = routine.op(text.format(d=20 + number), reuse=reuse)
    probe = run(routine.exit(), machine)
    return probe.dispatched(COUNT - 1 - LAST, COUNT - 1) / LAST


def test_operands_in_both_banks_take_one_cycle(run, machine):
    assert cycles_each(run, machine, "FADD R{d}, R4, R5") == 1


def test_two_operands_in_one_bank_take_two(run, machine):
    assert cycles_each(run, machine, "FADD R{d}, R4, R6") == 2


def test_a_register_in_two_slots_is_read_once(run, machine):
    assert cycles_each(run, machine, "FADD R{d}, R4, R4") == 1


def test_a_reused_operand_needs_no_port(run, machine):
    assert cycles_each(run, machine, "FADD R{d}, R4, R6", reuse=[0]) == 1


def test_an_instruction_that_waits_for_its_reads_holds_back_the_one_after_the_next(run, machine):
    code = program().op("FFMA R20, R4, R6, R8").op("FFMA R21, R4, R6, R8").mov(22, 1).mov(23, 1)
    probe = run(code.exit(), machine.replace({"pipes.alu.interval": 1}))
    assert (probe.dispatched(0, 1), probe.dispatched(1, 2), probe.dispatched(2, 3)) == (1, 1, 3)


def test_constants_and_immediates_take_no_port(run, machine):
    assert cycles_each(run, machine, "FADD R{d}, R4, 1") == 1


def late(run, machine, *texts):
    """How late the third instruction behind two others, and two MOVs before, reads the clock."""
    code = program()
    for text in texts:
        code = code.op(text)
    probe = run(code.mov(22, 1).mov(23, 1).exit(), machine.replace({"pipes.alu.interval": 1}))
    return probe.dispatched(0, 3) - 3


@pytest.mark.parametrize(("second", "cycles"), [("R30, R32, RZ", 1), ("R30, RZ, R32", 0), ("RZ, R30, R32", 0)])
def test_two_reads_of_a_bank_wait_for_two_in_the_same_slots(run, machine, second, cycles):
    assert late(run, machine, "FFMA R20, R4, R6, RZ", f"FFMA R21, {second}") == cycles


def test_the_fp64_unit_has_latches_of_its_own(run, machine):
    assert late(run, machine, "HFMA2.MMA R20, R4, R6, RZ", "FFMA R21, R30, R32, RZ") == 0


@pytest.mark.parametrize(("result", "cycles"), [("R8", 1), ("R9", 0)])
def test_a_result_that_is_forwarded_is_read_when_it_comes(run, machine, result, cycles):
    """R4 waits for its slot until R8 comes, and a bank has one port."""
    latency = int(machine.value("pipes.fma.latency"))
    code = program().op(f"FADD {result}, R4, R5", latency - 1).op("FMUL R20, R30, R5").op(f"FMUL R21, R4, {result}")
    assert run(code.mov(22, 1).mov(23, 1).exit(), machine).dispatched(1, 4) == 4 + cycles
