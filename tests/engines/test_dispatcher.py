"""The dispatcher between issue and the pipes: second passes, operands that are not forwarded, frozen stall counts."""

import pytest

from smsim.testing import program

WIDE = "IMAD.WIDE R16, R4, R5, R6"


def test_the_second_pass_of_imad_wide_holds_up_the_instruction_after_the_next(run, machine):
    probe = run(program().op(WIDE).mov(20, 1).nops(1).exit(), machine)
    assert probe.gap(0, 1) == 1
    probe.assert_earliest_issue_at(
        2, probe.issued_at(0) + 2 + machine.value("operations.IMAD.WIDE.second_pass"), reason="dispatch_stall"
    )


def test_a_stall_count_does_not_run_meanwhile(run, machine):
    probe = run(program().op(WIDE, 6).nops(1).exit(), machine)
    assert probe.gap(0, 1) == 6 + machine.value("operations.IMAD.WIDE.second_pass")


@pytest.mark.parametrize(("operand", "waits"), [("R8, R5, R6", True), ("R4, R8, R6", True), ("R4, R5, R8", False)])
def test_a_and_b_of_imad_wide_come_from_the_register_file(run, machine, operand, waits):
    """Read 4 cycles behind an FFMA, A and B are there 3 later (microbenchmarks mixes); C is forwarded."""
    latency = int(machine.value("pipes.fma.latency"))
    probe = run(program().op("FFMA R8, R4, R5, R4", latency).op(f"IMAD.WIDE R16, {operand}", 6).nops(1).exit(), machine)
    late = machine.value("forwarding.fma.register_file") if waits else 0
    assert probe.gap(1, 2) == 6 + machine.value("operations.IMAD.WIDE.second_pass") + late


@pytest.mark.parametrize(("second", "late"), [("R10", 3), ("R9", 0)])
def test_one_operand_of_a_bank_is_forwarded(run, machine, second, late):
    """FFMAs at 0 and 1, their reader at 5: at 8, one cycle behind the first result's arrival in the register file."""
    code = program().op("FFMA R8, R4, R5, R4").op(f"FFMA {second}, R4, R5, R4", 4)
    probe = run(code.op(f"FFMA R16, R8, {second}, RZ", 6).nops(1).exit(), machine)
    assert probe.gap(2, 3) == 6 + late


def test_the_fp64_unit_has_the_dispatcher_again(run, machine):
    """DADD at 0: what reads registers at 2 goes at 3, so that the one behind the next is late."""
    slot = int(machine.value("register_file.fp64_slot"))
    late = run(program().op("DADD R16, R4, R6").nops(slot - 1).op("IADD3 R8, R4, R5, RZ").mov(9, 1).exit(), machine)
    none = run(program().nops(slot).op("IADD3 R8, R4, R5, RZ").mov(9, 1).exit(), machine)
    assert late.gap(slot, slot + 1) == none.gap(slot, slot + 1) + 1


@pytest.mark.parametrize(("operand", "late"), [("R6", 1), ("R7", 0)])
def test_the_xu_reads_its_operand_behind_the_next_reader_of_the_bank(run, machine, operand, late):
    """MUFU, FADD, IADD3: the IADD3 goes a cycle later when all three read one bank, and so does the next MOV."""
    code = program().op(f"MUFU.RCP R16, {operand}").op("FADD R8, R4, RZ").op("IADD3 R9, R4, RZ, RZ").mov(10, 1)
    assert run(code.exit(), machine).gap(2, 3) == machine.value("pipes.alu.interval") + late


def test_an_instruction_without_lanes_occupies_its_pipe(run, machine):
    probe = run(program().op("@!PT IMAD R8, R4, R5, R4").op("IMAD R9, R4, R5, R4").exit(), machine)
    assert probe.gap(0, 1) == machine.value("pipes.fmaheavy.interval")
