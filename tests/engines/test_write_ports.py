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
