"""Scoreboard barriers: who waits for one issues when all its producers are through."""

import pytest

from smsim.testing import program, strided

LDG = "LDG.E R4, desc[UR4][R2.64]"
ONE_LANE = strided(4, lanes=[0])


def test_a_reader_waits_for_the_write_barrier(run, machine):
    probe = run(program().mufu(4, 5, write=0).mov(6, 1, wait=[0]).exit(), machine)
    latency = machine.value("operations.MUFU.latency")
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + latency, reason="short_scoreboard")


def test_a_writer_waits_for_the_read_barrier(run, machine):
    probe = run(program().op("MUFU.RCP R4, R5", read=3).mov(5, 1, wait=[3]).exit(), machine)
    assert probe.gap(0, 1) == machine.value("operations.MUFU.read_latency")


def test_what_comes_from_l1tex_is_a_long_scoreboard(run, machine):
    machine = machine.replace({"l1.miss_spread": 0})
    probe = run(program().op(LDG, write=0, addresses=ONE_LANE).mov(6, 1, wait=[0]).exit(), machine)
    latency = machine.value("operations.LDG.latency") + machine.value("l1.miss_latency")
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + latency, reason="long_scoreboard")


def test_a_barrier_with_two_producers_waits_for_the_last(run, machine):
    code = program().op(LDG, write=0, addresses=ONE_LANE).mufu(5, 6, write=0).mov(7, 1, wait=[0]).exit()
    alone = program().op(LDG, write=0, addresses=ONE_LANE).mov(7, 1, wait=[0]).exit()
    assert run(code, machine).gap(0, 2) == run(alone, machine).gap(0, 1)


def test_a_barrier_that_a_load_raised_is_waited_for_as_a_long_one(run, machine):
    code = program().op(LDG, write=0, addresses=ONE_LANE).mufu(5, 6, write=0).mov(7, 1, wait=[0]).exit()
    stalls = run(code, machine).stalls(2)
    assert stalls["long_scoreboard"] > 0
    assert "short_scoreboard" not in stalls


def test_other_barriers_do_not_hold(run, machine):
    assert run(program().mufu(4, 5, write=0).mov(6, 1, wait=[1, 2]).exit(), machine).gap(0, 1) == 1


def test_a_barrier_that_nobody_set_does_not_hold(run, machine):
    assert run(program().op("NOP").mov(6, 1, wait=range(6)).exit(), machine).gap(0, 1) == 1


WITHOUT_LANES = [
    ("MUFU.RCP R4, R5", 15),
    ("LDS R4, [R5]", 22),
    ("LDG.E R4, desc[UR4][R6.64]", 22),
    ("S2R R4, SR_TID.X", 22),
]


@pytest.mark.parametrize(("text", "cycles"), WITHOUT_LANES)
def test_an_instruction_without_lanes_gives_its_barrier_back(run, machine, text, cycles):
    """As the microbenchmarks ``without_lanes`` say."""
    code = program().op(f"@!P0 {text}", write=0, lanes=0, stall=2).mov(8, 1, wait=[0]).exit()
    assert run(code, machine).gap(0, 1) == cycles


def test_a_loop_waits_every_time(run, machine):
    probe = run(program().loop(3, program().mufu(4, 5, write=0).mov(6, 1, wait=[0])).exit(), machine)
    latency = machine.value("operations.MUFU.latency")
    assert [probe.gap(first, first + 1) for first in (0, 3, 6)] == [latency] * 3


def test_a_barrier_counts_so_many_producers(run, machine):
    """Microbenchmarks ``outstanding/loads of 1 barriers``: the 55th waits until one of those before is done."""
    machine = machine.replace({"mio.barrier_producers": 4})
    code = program()
    for _ in range(5):
        code = code.op(LDG, write=0, addresses=ONE_LANE)
    probe = run(code.mov(6, 1, wait=[0]).exit(), machine)
    assert probe.issued_at(3) - probe.issued_at(0) < machine.value("l1.miss_latency")
    assert probe.stalls(4)["misc"] > machine.value("l1.miss_latency") / 2


def test_two_barriers_count_each_their_own(run, machine):
    """Microbenchmarks ``outstanding/loads of 2 barriers``."""
    machine = machine.replace({"mio.barrier_producers": 4})
    code = program()
    for number in range(8):
        code = code.op(LDG, write=number % 2, addresses=ONE_LANE)
    probe = run(code.mov(6, 1, wait=[0, 1]).exit(), machine)
    assert not any("misc" in probe.stalls(number) for number in range(8))
