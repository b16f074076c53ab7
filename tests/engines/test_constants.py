"""Constants: the first touch of a line in a launch, by an operand and by LDC."""

from smsim.testing import Launch, program

USE = "FADD R{d}, R4, c[0x0][{offset:#x}]"


def test_the_first_operand_of_a_line_waits_for_it(run, machine):
    probe = run(program().op("NOP").op(USE.format(d=8, offset=0x200)).exit(), machine)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + 1 + machine.value("frontend.constant_miss"), "imc_miss")


def test_the_next_operand_of_the_line_does_not(run, machine):
    probe = run(program().op(USE.format(d=8, offset=0x200)).op(USE.format(d=9, offset=0x204)).exit(), machine)
    assert probe.gap(0, 1) == 1


def test_another_line_is_waited_for_again(run, machine):
    probe = run(program().op(USE.format(d=8, offset=0x200)).op(USE.format(d=9, offset=0x300)).exit(), machine)
    assert probe.gap(0, 1) == 1 + machine.value("frontend.constant_miss")


def test_what_one_warp_has_fetched_is_there_for_the_others(run, machine):
    code = program().op("NOP", 15).op(USE.format(d=8, offset=0x200)).exit()
    late = program().then(*[part for _ in range(20) for part in program().op("NOP", 10).parts]).then(*code.parts)
    probe = run(Launch((code, late), warps=2), machine)
    assert probe.gap(-3, -2, warp=1) == 15


def test_ldc_has_a_cache_of_its_own(run, machine):
    ldc = program().op("LDC R8, c[0x0][0x200]", write=0).mov(9, 1, wait=[0])
    code = program().op(USE.format(d=8, offset=0x200)).then(*ldc.parts).then(*ldc.parts).exit()
    probe = run(code, machine)
    there = machine.value("operations.LDC.latency")
    assert (probe.gap(1, 2), probe.gap(3, 4)) == (there + machine.value("frontend.ldc_miss"), there)
