"""The dispatcher between issue and the pipes: second passes, operands that are not forwarded, frozen stall counts."""

import pytest

from smsim.testing import program

WIDE = "IMAD.WIDE R16, R4, R5, R6"


THREE_OF_A_BANK = "FFMA R20, R4, R6, R8"
# What waits at the dispatcher; when issue stops for it, in cycles from the first of the row on; and for how long.
# Warp samples of an H100 80GB HBM3 (2026-11-21), 132 blocks of such a row and FFMAs with all stall counts behind it.
HOLDS = {
    "second pass": ([(WIDE, 1)], 5, 2),
    "second pass of IMAD.HI": ([("IMAD.HI R16, R4, R5, R6", 1)], 5, 2),
    "read ports": ([(THREE_OF_A_BANK, 1)] * 2, 6, 2),
    "from the register file": ([("FFMA R8, R4, R5, R4", 4), ("IMAD.WIDE R16, R8, R5, R6", 1)], 9, 5),
    "one forwarded": (
        [("IADD3 R8, R4, R5, RZ", 2), ("IADD3 R10, R4, R5, RZ", 4), ("IADD3 R16, R8, R10, RZ", 1)],
        11,
        2,
    ),
}


@pytest.mark.parametrize(("row", "stops", "cycles"), HOLDS.values(), ids=HOLDS)
def test_issue_stops_five_cycles_behind_what_waits(run, machine, row, stops, cycles):
    code = program()
    for text, stall in row:
        code = code.op(text, stall)
    probe = run(code.nops(12).exit(), machine)
    first, late = probe.issued_at(0), stops + cycles
    issued = [issue.cycle - first for issue in probe.issues()]
    assert [cycle for cycle in range(stops - 1, late + 1) if cycle in issued] == [stops - 1, late]
    assert probe.stalls(issued.index(late))["dispatch_stall"] == cycles


@pytest.mark.parametrize(("stall", "late"), [(4, 0), (5, 0), (6, 2), (15, 2)])
def test_a_stall_count_does_not_run_meanwhile(run, machine, stall, late):
    """One that is at 0 when issue stops has the warp wait for the dispatcher: FFMA behind IMAD.WIDE, as above."""
    probe = run(program().op(WIDE, stall).nops(1).exit(), machine)
    assert probe.gap(0, 1) == stall + (late or 2 * (stall == 5))
    assert probe.stalls(1).get("wait", 0) == stall + late - 1


def test_clocks_read_on_the_way_are_late(run, machine):
    """One instruction has room behind the one that waits; those behind it stand still though they have issued."""
    probe = run(program().op(WIDE).mov(20, 1).nops(1).exit(), machine)
    assert (probe.gap(0, 1), probe.gap(0, 2)) == (1, 2)
    assert (probe.dispatched(0, 1), probe.dispatched(0, 2)) == (1, 4)


def test_several_wait_one_behind_the_other(run, machine):
    """IMAD.WIDE three times, 2 cycles apart; issue stops at 5, 9 and 13 (warp samples, as above)."""
    probe = run(program().op(WIDE, 2).op(WIDE, 2).op(WIDE, 2).nops(9).exit(), machine)
    assert [issue.cycle - probe.issued_at(0) for issue in probe.issues()][:9] == [0, 2, 4, 8, 11, 12, 15, 16, 17]


def test_a_busy_pipe_comes_before_a_held_dispatcher(run, machine):
    """Rows of IMAD.WIDE by several warps count as math_pipe_throttle on the H100, not as dispatch_stall."""
    code = program()
    for _ in range(9):
        code = code.op(WIDE)
    stalls = run(code.exit(), machine).stalls(5)
    assert stalls["math_pipe_throttle"] == 3
    assert "dispatch_stall" not in stalls


@pytest.mark.parametrize(("operand", "waits"), [("R8, R5, R6", True), ("R4, R8, R6", True), ("R4, R5, R8", False)])
def test_a_and_b_of_imad_wide_come_from_the_register_file(run, machine, operand, waits):
    """Read 4 cycles behind an FFMA, A and B are there 3 later (microbenchmarks mixes); C is forwarded."""
    latency = int(machine.value("pipes.fma.latency"))
    probe = run(program().op("FFMA R8, R4, R5, R4", latency).op(f"IMAD.WIDE R16, {operand}", 6).nops(1).exit(), machine)
    late = machine.value("forwarding.fma.register_file") if waits else 0
    assert probe.dispatched(1, 2) == 6 + machine.value("operations.IMAD.WIDE.second_pass") + late


@pytest.mark.parametrize(("word", "distance"), [("R8", 5), ("R9", 7)])
def test_the_low_word_of_imad_wide_is_in_the_register_file_earlier(run, machine, word, distance):
    """Behind an IMAD.WIDE one that reads the low word waits up to 5 cycles behind, the high word up to 7 (mixes)."""
    second_pass = machine.value("operations.IMAD.WIDE.second_pass")
    for stall, late in ((distance, 0), (distance - 1, 1)):
        code = program().op("IMAD.WIDE R8, R4, R5, R6", stall).op(f"IMAD.WIDE R16, {word}, R5, R6", 6).nops(1)
        assert run(code.exit(), machine).dispatched(1, 2) == 6 + second_pass + late


@pytest.mark.parametrize(("second", "late"), [("R10", 3), ("R9", 0)])
def test_one_operand_of_a_bank_is_forwarded(run, machine, second, late):
    """FFMAs at 0 and 1, their reader at 5: at 8, one cycle behind the first result's arrival in the register file."""
    code = program().op("FFMA R8, R4, R5, R4").op(f"FFMA {second}, R4, R5, R4", 4)
    probe = run(code.op(f"FFMA R16, R8, {second}, RZ", 6).nops(1).exit(), machine)
    assert probe.dispatched(2, 3) == 6 + late


def test_the_fp64_unit_has_the_dispatcher_again(run, machine):
    """DADD at 0: what reads registers at 2 goes at 3, so that the one behind the next is late."""
    slot = int(machine.value("register_file.fp64_slot"))
    late = run(program().op("DADD R16, R4, R6").nops(slot - 1).op("IADD3 R8, R4, R5, RZ").mov(9, 1).exit(), machine)
    none = run(program().nops(slot).op("IADD3 R8, R4, R5, RZ").mov(9, 1).exit(), machine)
    assert late.dispatched(slot, slot + 1) == none.dispatched(slot, slot + 1) + 1


@pytest.mark.parametrize(("operand", "late"), [("R6", 1), ("R7", 0)])
def test_the_xu_reads_its_operand_before_what_issues_later(run, machine, operand, late):
    """MUFU, FADD, IADD3: the IADD3 goes a cycle later when all three read one bank, and so does the next MOV."""
    code = program().op(f"MUFU.RCP R16, {operand}").op("FADD R8, R4, RZ").op("IADD3 R9, R4, RZ, RZ").mov(10, 1)
    assert run(code.exit(), machine).dispatched(2, 3) == machine.value("pipes.alu.interval") + late


@pytest.mark.parametrize(("text", "late"), [("IADD3 R8, R4, R5, RZ", 1), ("ISETP.NE.AND P0, PT, R4, R5, PT", 0)])
def test_only_what_has_a_result_waits_for_the_fp64_unit(run, machine, text, late):
    slot = int(machine.value("register_file.fp64_slot"))
    there = run(program().op("DADD R16, R4, R6").nops(slot - 1).op(text).mov(9, 1).exit(), machine)
    none = run(program().nops(slot).op(text).mov(9, 1).exit(), machine)
    assert there.dispatched(slot, slot + 1) == none.dispatched(slot, slot + 1) + late


def test_what_writes_no_register_does_not_have_the_dispatcher_again(run, machine):
    """DSETP, MOV two cycles behind it: clocks of compiled loops of the H100, ``compiled``."""
    code = program().op("DSETP.GEU.AND P0, PT, R4, R6, PT").nops(1).op("IADD3 R8, R4, R5, RZ").mov(9, 1)
    assert run(code.exit(), machine).dispatched(2, 3) == machine.value("pipes.alu.interval")


def test_an_instruction_without_lanes_occupies_its_pipe(run, machine):
    probe = run(program().op("@!PT IMAD R8, R4, R5, R4").op("IMAD R9, R4, R5, R4").exit(), machine)
    assert probe.gap(0, 1) == machine.value("pipes.fmaheavy.interval")
