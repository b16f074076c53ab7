"""The end of a warp: EXIT, and the stores that must leave first."""

from smsim.testing import program

STG = "STG.E desc[UR4][R4.64], R8"


def test_a_warp_leaves_soon_after_its_exit(run, machine):
    probe = run(program().exit(), machine)
    assert probe.exited_at() == probe.issued_at(0) + machine.value("launch.exit")
    assert probe.counts.cycles == probe.exited_at()
    assert probe.stalls(0)["drain"] == machine.value("launch.exit") - 1


def test_a_store_must_have_left(run, machine):
    slow = machine.replace({"l1.store_latency": 500})
    probe = run(program().op(STG).exit(), slow)
    assert probe.exited_at() == probe.issued_at(0) + machine.value("mio.queue_latency") + 500


def test_a_load_that_nobody_waits_for_does_not_hold_the_warp(run, machine):
    probe = run(program().op("LDG.E R8, desc[UR4][R4.64]", write=0).exit(), machine)
    assert probe.exited_at() == probe.issued_at(1) + machine.value("launch.exit")


def test_a_membar_waits_for_stores_as_well(run, machine):
    slow = machine.replace({"l1.store_latency": 500})
    membar = program().op(STG).then(*[part for _ in range(9) for part in program().op("NOP", 10).parts])
    probe = run(membar.op("MEMBAR.SC.CTA", read=0).mov(4, 1, wait=[0]).exit(), slow)
    left = probe.issued_at(0) + machine.value("mio.queue_latency") + 500
    probe.assert_earliest_issue_at(-2, left, reason="membar")


def test_a_sleeping_warp_issues_when_its_time_is_over(run, machine):
    nanoseconds = 1000
    probe = run(program().op(f"NANOSLEEP {nanoseconds:#x}").mov(4, 1).exit(), machine)
    cycles = machine.value("operations.NANOSLEEP.latency") + int(nanoseconds * machine.clock_mhz / 1000)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + cycles, reason="sleeping")
