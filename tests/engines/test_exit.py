"""The end of a warp: EXIT, and the stores that must leave first."""

from smsim.testing import Launch, program, strided

STG = "STG.E desc[UR4][R4.64], R8"
RED = "REDG.E.ADD.S32.STRONG.GPU desc[UR4][R4.64], R8"
ONE_SECTOR = strided(0)


def resolved(machine):
    """Cycles of an EXIT before what is in flight counts."""
    return machine.value("frontend.branch_started") + machine.value("launch.exit_resolving") - 1


def test_a_warp_leaves_soon_after_its_exit(run, machine):
    probe = run(program().exit(), machine)
    assert probe.exited_at() == probe.issued_at(0) + resolved(machine) + machine.value("launch.exit")
    assert probe.counts.cycles == probe.exited_at()
    assert probe.stalls(0)["branch_resolving"] == machine.value("launch.exit_resolving")
    assert probe.stalls(0)["drain"] == machine.value("launch.exit") - 1


def test_a_store_must_have_left(run, machine):
    stored = program().op(STG, addresses=ONE_SECTOR).exit()
    probes = [run(stored, machine.replace({"l1.store_latency": latency})) for latency in (400, 500)]
    assert probes[0].exited_at() >= probes[0].issued_at(0) + machine.value("mio.queue_latency") + 400
    assert probes[1].exited_at() == probes[0].exited_at() + 100


def test_a_load_that_nobody_waits_for_holds_the_warp(run, machine):
    load = program().op("LDG.E R8, desc[UR4][R4.64]", write=0, addresses=ONE_SECTOR)
    back = run(load.mov(9, 1, wait=[0]).exit(), machine).issued_at(1)
    assert run(load.exit(), machine).exited_at() == back + resolved(machine)


def test_a_reduction_holds_its_block_and_not_its_warp(run, machine):
    launch = Launch((program().op(RED, addresses=ONE_SECTOR).exit(),), blocks=2, shared_bytes=150_000)
    near, far = (run(launch, machine.replace({"l1.miss_latency": latency})) for latency in (400, 800))
    assert far.exited_at(block=0) == near.exited_at(block=0)
    assert far.launched_at(1) == near.launched_at(1) + 400
    assert far.counts.cycles == near.counts.cycles + 400  # the second block's reduction holds nobody


def test_a_slot_is_not_given_away_while_a_load_of_its_warp_is_on_its_way(run, machine):
    """Else the load would release a barrier of the next warp in the slot."""
    slow = machine.replace({"mio.queue_latency": 100, "l1.miss_spread": 0})
    load = "LDG.E R8, desc[UR4][R4.64]"
    waited_for = program().op(load, write=0, warp_stride=4096).mov(9, 1, wait=[0])
    code = waited_for.op(load, write=0, addresses=strided(4, 65536)).exit()
    probe = run(Launch((code,), warps=4, blocks=2, shared_bytes=150_000), slow)
    assert probe.exited_at(block=0) > probe.issued_at(2, block=0) + 100
    assert [probe.gap(0, 1, block=block) for block in range(2)] == [probe.gap(0, 1)] * 2


def test_a_sleeping_warp_issues_when_its_time_is_over(run, machine):
    nanoseconds = 1000
    probe = run(program().op(f"NANOSLEEP {nanoseconds:#x}").mov(4, 1).exit(), machine)
    cycles = machine.value("operations.NANOSLEEP.latency") + int(nanoseconds * machine.clock_mhz / 1000)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + cycles, reason="sleeping")
