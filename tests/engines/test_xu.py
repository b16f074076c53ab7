"""The XU: a short queue in front of a slow unit, per SMSP."""

from itertools import pairwise

import pytest

from smsim.testing import Launch, program

COUNT = 8


def mufus(count=COUNT):
    routine = program()
    for number in range(count):
        routine = routine.mufu(8 + number, 4)
    return routine.exit()


def test_a_row_of_them_goes_at_the_units_pace(run, machine):
    probe = run(mufus(), machine)
    interval = machine.value("operations.MUFU.interval")
    probe.assert_earliest_issue_at(COUNT - 1, probe.issued_at(COUNT - 2) + interval, reason="mio_throttle")


@pytest.mark.parametrize("depth", [2, 3, 5])
def test_as_many_as_the_queue_holds_issue_at_once(run, machine, depth):
    probe = run(mufus(), machine.replace({"mio.xu_queue_depth": depth}))
    assert probe.gap(0, depth - 1) == depth - 1
    assert "mio_throttle" in probe.stalls(depth)


def test_a_queue_of_one_waits_for_the_unit(run, machine):
    probe = run(mufus(), machine.replace({"mio.xu_queue_depth": 1}))
    assert probe.gap(0, 1) == machine.value("mio.xu_queue_latency") + machine.value("operations.MUFU.interval")


def test_each_smsp_has_its_own(run, machine):
    alone, four = run(mufus(), machine), run(Launch((mufus(),), warps=4), machine)
    assert four.gap(0, COUNT - 1, warp=3) == alone.gap(0, COUNT - 1)


def test_two_warps_of_an_smsp_share_it(run, machine):
    alone, two = run(mufus(), machine), run(Launch((mufus(),), warps=5), machine)
    last = max(two.issued_at(-2, warp) for warp in (0, 4))
    assert last - two.issued_at(0) > alone.gap(0, COUNT - 1) + machine.value("operations.MUFU.interval") * (COUNT - 2)


def test_who_waits_goes_before_who_comes_when_there_is_a_place_again(run, machine):
    """Stall counts as long as the XU takes: the warp that has its turn would come in time for every place."""
    routine = program()
    for number in range(COUNT):
        routine = routine.mufu(8 + number, 4, stall=machine.value("operations.MUFU.interval"))
    probe = run(Launch((routine.exit(),), warps=5), machine)
    issues = sorted((probe.issued_at(i, warp), warp) for warp in (0, 4) for i in range(COUNT))
    order = [warp for _, warp in issues]
    assert all(one != other for one, other in pairwise(order[4:-2]))


@pytest.mark.parametrize(("text", "row"), [("F2F.F64.F32 R8, R4", "F2F"), ("F2F.F32.F64 R8, R4", "F2F.F32.F64")])
def test_a_conversion_takes_as_long_as_the_row_with_its_modifiers_in_their_order(run, machine, text, row):
    probe = run(program().op(text, write=0).mov(10, 1, wait=[0]).exit(), machine)
    assert probe.gap(0, 1) == machine.value(f"operations.{row}.latency")


@pytest.mark.parametrize(("before", "late"), [("DADD R20, R8, R10", 1), ("FADD R20, R8, R10", 0)])
def test_one_behind_an_instruction_that_waits_at_the_dispatcher_waits_with_it(run, machine, before, late):
    """Seen on the H100: ``compiled/random_registers_000+56/steps``, an I2F two cycles behind FP64's second turn."""
    slot = int(machine.value("register_file.fp64_slot"))
    code = program().op(before).nops(slot - 1).op("FADD R12, R5, RZ").op("MUFU.RCP R16, R7", read=0).mov(7, 9, wait=[0])
    probe = run(code.exit(), machine)
    assert probe.gap(slot + 1, slot + 2) == machine.value("operations.MUFU.read_latency") + late


def test_one_of_two_registers_begins_a_cycle_later_but_not_behind_another(run, machine):
    """It reads the second register while the one before is at work."""
    probe = run(program().mufu(20, 7).op("F2F.F32.F64 R8, R4", write=0).mov(10, 1, wait=[0]).exit(), machine)
    pace, latency = (int(machine.value(f"operations.{row}")) for row in ("MUFU.interval", "F2F.F32.F64.latency"))
    assert probe.gap(0, 2) == pace + latency - 1


@pytest.mark.parametrize("text", ["MUFU.RCP R8, R4", "F2F.F32.F64 R8, R4"])
def test_behind_one_whose_guard_is_false_the_next_result_comes_at_the_units_pace(run, machine, text):
    routine = program().op(f"@P0 {text}", lanes=0).op("MUFU.RCP R10, R7", write=0).mov(12, 1, wait=[0])
    alone = program().op(f"@P0 {text}", lanes=0, write=0, stall=2).mov(12, 1, wait=[0])
    pace = machine.value("operations.MUFU.interval")
    assert run(routine.exit(), machine).gap(0, 2) == run(alone.exit(), machine).gap(0, 1) + pace
