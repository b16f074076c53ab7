"""Which results a reader might ask for too early."""

import numpy as np

from isa.module import load_source
from smsim.code import build_code
from smsim.history import build_history, jumps
from smsim.interlock import Interlock, build_interlock
from smsim.machine import Machine, forwarding_readers, load
from smsim.params import forwarding_table
from smsim.testing import Launch, Routine, program

H100 = load("h100")
LATENCY = int(H100.value("pipes.fma.latency"))
WRITTEN = LATENCY + int(H100.value("forwarding.fma.register_file"))
REGISTER_FILE = forwarding_readers(H100).index("register_file")
WINDOW = int(H100.value("register_file.read_window"))
READ = WRITTEN + 1  # the first cycle in which it is read from the register file


def interlock(routine: Routine, machine: Machine = H100) -> Interlock:
    """Of a routine."""
    trace = Launch((routine,)).trace()
    code = build_code(trace.program, machine)
    return build_interlock(code, jumps(build_history(trace)), forwarding_table(machine), REGISTER_FILE, WINDOW)


def remembered(routine: Routine, machine: Machine = H100) -> list[bool]:
    """Of each instruction of a routine, whether its results are remembered."""
    return interlock(routine, machine).is_awaited.tolist()


def test_a_reader_that_finds_the_result_in_the_register_file_needs_no_interlock() -> None:
    assert remembered(program().ffma(4, 5, 6, 7, stall=READ).ffma(8, 4, 5, 7).exit()) == [False] * 3
    assert remembered(program().ffma(4, 5, 6, 7, stall=READ - 1).ffma(8, 4, 5, 7).exit()) == [True, False, False]


def test_a_reader_behind_the_latency_does_not_wait() -> None:
    assert not interlock(program().ffma(4, 5, 6, 7, stall=LATENCY).ffma(8, 4, 5, 7).exit()).awaits_results.any()


def test_the_way_to_a_reader_of_another_class_counts() -> None:
    to_alu = program().ffma(4, 5, 6, 7, stall=LATENCY).op("IADD3 R8, R4, R5, R7").exit()
    assert H100.value("forwarding.fma.alu") == 1
    assert interlock(to_alu).awaits_results.tolist() == [False, True, False]


def test_a_machine_with_a_higher_latency_needs_it() -> None:
    routine = program().ffma(4, 5, 6, 7, stall=READ).ffma(8, 4, 5, 7).exit()
    assert remembered(routine, H100.replace({"pipes.fma.latency": LATENCY + 1})) == [True, False, False]


def test_a_reader_of_two_registers_of_a_bank_may_wait_for_the_register_file() -> None:
    assert remembered(program().ffma(4, 5, 6, 7, stall=WRITTEN - 1).ffma(8, 4, 6, 7).exit())[0]
    assert not remembered(program().ffma(4, 5, 6, 7, stall=READ).ffma(8, 4, 6, 7).exit())[0]


def test_a_reader_that_is_not_forwarded_waits_for_the_register_file() -> None:
    wide = "IMAD.WIDE R8, R4, R5, RZ"
    assert remembered(program().ffma(4, 5, 6, 7, stall=WRITTEN - 1).op(wide).exit())[0]


def test_only_who_asks_early_has_to_look() -> None:
    early = interlock(program().ffma(4, 5, 6, 7, stall=LATENCY - 1).ffma(8, 4, 5, 7).nops(9).ffma(9, 4, 5, 7).exit())
    assert np.flatnonzero(early.awaits_results).tolist() == [1]
    assert not early.awaits_file.any()
    of_a_bank = interlock(
        program().ffma(4, 5, 6, 7, stall=WRITTEN - 1).ffma(8, 4, 6, 7).nops(9).ffma(9, 4, 6, 7).exit()
    )
    assert np.flatnonzero(of_a_bank.awaits_file).tolist() == [1]
    assert not of_a_bank.awaits_results.any()


def test_behind_a_jump_whoever_reads_the_register_has_to_look() -> None:
    jumping = interlock(program().ffma(4, 5, 6, 7).jump(over=1).nops(9).ffma(8, 4, 5, 7).ffma(9, 5, 6, 7).exit())
    assert np.flatnonzero(jumping.awaits_results).tolist() == [len(jumping.awaits_results) - 3]


def test_every_writer_of_a_register_that_is_asked_for_early_counts() -> None:
    routine = program().ffma(4, 5, 6, 7).ffma(8, 4, 5, 7).nops(20).ffma(4, 5, 6, 7, stall=15).ffma(9, 5, 6, 7).exit()
    assert remembered(routine)[:2] == [True, False]
    assert remembered(routine)[-3:] == [True, False, False]


def test_a_result_still_young_at_a_jump_may_be_asked_for_anywhere() -> None:
    assert remembered(program().ffma(4, 5, 6, 7).jump(over=1).exit())[0]
    assert not remembered(program().ffma(4, 5, 6, 7, stall=WRITTEN).jump(over=1).exit())[0]


def test_loops_jump_at_their_ends() -> None:
    history = build_history(Launch((program().loop(3, program().nops(2)).nops(1).exit(),)).trace())
    assert jumps(history).tolist() == [2]


def test_code_of_the_compiler_needs_no_interlock_but_for_the_register_file() -> None:
    source = """extern "C" __global__ void f(float *x, int n) {
        float y = x[0];
        for (int i = 0; i < n; i++) y = y * 1.5f + i;
        x[1] = y;
    }"""
    program_of_source = load_source(source).program("f")
    code = build_code(program_of_source, H100)
    branches = [each.index for each in program_of_source.instructions if each.opcode == "BRA"]
    forwarding = forwarding_table(H100)
    forwarding[:, REGISTER_FILE] = -1  # read from there by whoever may read it at all
    assert not any(flags.any() for flags in build_interlock(code, branches, forwarding, REGISTER_FILE, 1))
