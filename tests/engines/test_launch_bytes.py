"""What a launch with cold caches reads from DRAM for itself: its code, the module's constants, and the rest of it."""

import pytest

from smsim.engines import run
from smsim.machine import Machine
from smsim.testing import Launch, Routine, program, strided

READ = "dram__bytes_read.sum"
LINE = 8  # instructions


def read(machine: Machine, code: Routine, cache: str = "cold", blocks: int = 1, engine: str = "auto") -> int:
    counts = run(Launch((code,), blocks=blocks).trace(), machine, cache, engine, sms=blocks)
    return int(counts.grid_memory()[READ])


@pytest.mark.parametrize("engine", ["simpy", "compiled"])
@pytest.mark.parametrize("lines", [1, 2, 40])
def test_cold_launches_read_the_lines_of_their_code(machine: Machine, engine: str, lines: int) -> None:
    code = program().nops(LINE * lines - 1).exit()
    assert read(machine, code, engine=engine) == 128 * lines + machine.value("launch.cold_bytes")


def test_warm_launches_read_nothing(machine: Machine) -> None:
    assert read(machine, program().nops(100).exit(), "warm") == 0


def test_code_that_several_sms_run_is_read_once(machine: Machine) -> None:
    code = program().nops(LINE * 10 - 1).exit()
    assert read(machine, code, blocks=4) == read(machine, code)


def test_code_behind_what_comes_with_the_launch_is_read_as_far_as_it_is_run(machine: Machine) -> None:
    few = machine.replace({"frontend.launch_prefetch_lines": 4, "frontend.cold_gcc_prefetch_lines": 0})
    ahead = few.value("frontend.icc_prefetch_lines") + 1
    code = program().nops(LINE * 20 - 1).exit()
    assert read(few, code) == read(machine, code)
    idle = Launch((program().exit(), code)).trace()  # no warp runs the second
    lines = (run(idle, few, "cold").launch_bytes - machine.value("launch.cold_bytes")) // 128
    assert 4 <= lines <= 4 + ahead


def test_data_are_counted_besides(machine: Machine) -> None:
    load = "LDG.E R8, desc[UR4][R4.64]"
    code = program().op(load, addresses=strided(4), write=0).op("MOV R9, R8", wait=[0]).exit()
    counts = run(Launch((code,)).trace(), machine, "cold")
    data = counts.memory[READ]
    assert data > 0
    assert counts.grid_memory()[READ] == data + 128 + machine.value("launch.cold_bytes")
    assert counts.grid_memory(10.0)[READ] == 10 * data + 128 + machine.value("launch.cold_bytes")


def test_constants_of_the_module_are_read_by_line(machine: Machine) -> None:
    own = machine.value("frontend.module_constant_bytes")
    code = program()
    for line in range(3):
        code = code.op(f"FADD R8, R9, c[0x3][{hex(line * own)}]", stall=4)
    others = program()
    for line in range(3):
        others = others.op(f"FADD R8, R9, c[0x0][{hex(0x210 + 4 * line)}]", stall=4)
    assert read(machine, code.exit()) - read(machine, others.exit()) == 3 * own
