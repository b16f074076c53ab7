"""Results of the XU on their way into the register file, beside those of the dispatcher's instructions."""

import pytest

from smsim.testing import program


@pytest.mark.parametrize(
    ("first", "second", "late"),
    [("R8", "R10", 1), ("R8", "R11", 0), ("R9", "R10", 0), ("R9", "R11", 0)],
)
def test_a_result_of_the_xu_goes_before_the_second_of_two_in_its_bank(run, machine, first, second, late):
    """MUFU at 0, FADDs at 9 and 10: the second would be written in the cycle in which the MUFU's result is due."""
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance -= int(machine.value("forwarding.fma.register_file"))
    code = program().op("MUFU.RCP R16, R7").nops(distance - 2)
    probe = run(code.op(f"FADD {first}, R4, RZ").op(f"FADD {second}, R4, RZ").nops(2).exit(), machine)
    assert probe.dispatched(distance - 1, distance + 2) == 3 + late


@pytest.mark.parametrize("off", [-1, 1])
def test_not_before_another_that_is_written_earlier_or_later(run, machine, off):
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance += off - int(machine.value("forwarding.fma.register_file"))
    code = program().op("MUFU.RCP R16, R7").nops(distance - 2)
    probe = run(code.op("FADD R8, R4, RZ").op("FADD R10, R4, RZ").nops(2).exit(), machine)
    assert probe.dispatched(distance - 1, distance + 2) == 3


def test_a_bank_that_is_free_in_the_cycle_before_takes_it_then(run, machine):
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance -= int(machine.value("forwarding.fma.register_file"))
    code = program().op("MUFU.RCP R16, R7").nops(distance - 1).op("FADD R10, R4, RZ").nops(3)
    probe = run(code.exit(), machine)
    assert probe.dispatched(distance, distance + 3) == 3


@pytest.mark.parametrize(("result", "lost"), [("R8", 1), ("R9", 0)])
def test_the_xu_loses_a_cycle_where_its_results_bank_is_written(run, machine, result, lost):
    """MUFUs at the XU's pace, one result of another instruction in the cycle in which the first wants to be written.

    What the XU is at work on meanwhile is done later, and so is all behind it; the first result is there in time.
    """
    pace = int(machine.value("operations.MUFU.interval"))
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance -= int(machine.value("forwarding.fma.register_file")) + 1
    code = program().mufu(16, 7, write=0, stall=pace).mufu(18, 7, write=1, stall=distance - pace)
    code = code.op(f"FADD {result}, R4, RZ").nops(1).mov(10, 16, wait=[0]).mov(12, 18, wait=[1])
    probe = run(code.exit(), machine)
    assert probe.issued_at(4) == probe.issued_at(0) + machine.value("operations.MUFU.latency")
    assert probe.issued_at(5) == probe.issued_at(1) + machine.value("operations.MUFU.latency") + lost


@pytest.mark.parametrize(("result", "lost"), [("R8", 1), ("R9", 0)])
def test_what_the_xu_is_at_work_on_meanwhile_has_read_its_source_later(run, machine, result, lost):
    """Seen on the H100: generated programs cut off at every instruction."""
    pace = int(machine.value("operations.MUFU.interval"))
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance -= int(machine.value("forwarding.fma.register_file")) + 1
    code = program().mufu(16, 7, stall=pace).op("MUFU.RCP R18, R7", distance - pace, read=1)
    probe = run(code.op(f"FADD {result}, R4, RZ").nops(1).mov(7, 12, wait=[1]).exit(), machine)
    assert probe.gap(1, 4) == machine.value("operations.MUFU.read_latency") + lost


@pytest.mark.parametrize(("later", "lost"), [(0, 1), (1, 0)])
def test_the_next_result_of_the_xu_is_late_only_right_behind_a_late_one(run, machine, later, lost):
    """MUFUs at the XU's pace, or the second a cycle later; a FADD makes the first's result late.

    Seen on the H100: generated programs cut off at every instruction.
    """
    pace = int(machine.value("operations.MUFU.interval")) + later
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance -= int(machine.value("forwarding.fma.register_file")) + 1
    code = program().mufu(16, 7, stall=pace).op("MUFU.RCP R18, R7", max(1, distance - pace), write=1)
    probe = run(code.op("FADD R8, R4, RZ").nops(1).mov(10, 12, wait=[1]).exit(), machine)
    assert probe.gap(1, 4) == machine.value("operations.MUFU.latency") + lost


def test_a_row_on_the_xu_beside_results_in_its_bank_is_slower(run, machine):
    """Seen on the H100: ``slips``, every other MUFU takes a cycle more."""
    pace = int(machine.value("operations.MUFU.interval"))
    distance = int(machine.value("pipes.xu.latency") - machine.value("pipes.fma.latency"))
    distance -= int(machine.value("forwarding.fma.register_file")) + int(machine.value("mio.xu_queue_latency")) + 1

    def rows(result):
        routine = program()
        for _ in range(12):
            routine = routine.mufu(16, 7, stall=distance).op(f"FADD {result}, R4, RZ")
        return run(routine.exit(), machine)

    beside, other = rows("R8"), rows("R9")
    assert other.gap(8, 20) == 6 * pace
    assert beside.gap(8, 20) == 6 * pace + 3
