"""Asynchronous copies in groups, and fences: who waits for them."""

import pytest

from smsim.testing import Launch, program, strided

COPY = "LDGSTS.E.128 [R10], desc[UR4][R4.64]"
LOAD = "LDG.E R8, desc[UR4][R4.64]"
STORE = "STG.E desc[UR4][R4.64], R8"
NEAR = 2  # cycles: the dispatcher may take an instruction a little later than it issues
FAR = strided(4, 65536)


def two_groups(left):
    """A copy that hits behind one that waits for L2, each a group; DEPBAR; a MOV."""
    code = program().op(COPY, addresses=FAR).op("LDGDEPBAR", write=0).op(COPY, addresses=FAR).op("LDGDEPBAR", write=0)
    return code.op(f"DEPBAR.LE SB0, {left:#x}").mov(4, 1).exit()


def test_depbar_waits_until_no_more_groups_are_left(run, machine):
    none, one, two = (run(two_groups(left), machine) for left in range(3))
    assert two.gap(4, 5) < 10
    assert one.gap(4, 5) > machine.value("l1.miss_latency")
    assert none.issued_at(5) > one.issued_at(5)
    assert one.stalls(5)["long_scoreboard"] > machine.value("l1.miss_latency") - 10


def test_groups_without_copies_are_over_behind_those_before(run, machine):
    code = program().op(COPY, addresses=FAR)
    for _ in range(3):
        code = code.op("LDGDEPBAR", write=0)
    ends = [run(code.op(f"DEPBAR.LE SB0, {left:#x}").mov(4, 1).exit(), machine).issued_at(5) for left in (2, 1, 0)]
    assert ends == [ends[0], ends[0] + 3, ends[0] + 6]


def test_a_barrier_of_a_group_is_released_behind_its_copies(run, machine):
    copied = program().op(COPY, addresses=FAR).op("LDGDEPBAR", write=0).mov(4, 1, wait=[0]).exit()
    alone = program().op("LDGDEPBAR", write=0).mov(4, 1, wait=[0]).exit()
    assert run(alone, machine).gap(0, 1) == machine.value("operations.LDGDEPBAR.latency")
    assert run(copied, machine).gap(1, 2) > machine.value("l1.miss_latency")


@pytest.mark.parametrize("groups", [70, 200])
def test_more_groups_than_are_told_apart(run, machine, groups):
    code = program().op(COPY, addresses=FAR)
    for _ in range(groups):
        code = code.op("LDGDEPBAR", write=0)
    probe = run(code.op("DEPBAR.LE SB0, 0x0").mov(4, 1).exit(), machine)
    assert probe.issued_at(groups + 2) > machine.value("l1.miss_latency")


def test_copies_of_one_warp_hold_no_other(run, machine):
    waiting, free = two_groups(0), program().op("DEPBAR.LE SB0, 0x0").mov(4, 1).exit()
    probe = run(Launch((waiting, free), warps=2), machine)
    assert probe.gap(0, 1, warp=1) < 10


def test_accesses_wait_for_a_fence_of_the_gpu_and_others_do_not(run, machine):
    latency = machine.value("operations.MEMBAR.GPU.latency")
    code = program().op(STORE, addresses=strided(0)).op("MEMBAR.SC.GPU").mov(4, 1).op(LOAD, addresses=strided(0)).exit()
    probe = run(code, machine)
    assert probe.gap(1, 2) < 10
    # The fence comes behind the store on its way to the LSU.
    assert latency <= probe.gap(1, 3) <= latency + 4
    assert probe.stalls(3)["membar"] >= latency - 20


def test_a_fence_of_the_block_holds_nobody(run, machine):
    code = program().op(STORE, addresses=strided(0)).op("MEMBAR.SC.CTA").op(LOAD, addresses=strided(0)).exit()
    assert run(code, machine).gap(1, 2) <= machine.value("operations.MEMBAR.latency")


def test_fences_follow_each_other(run, machine):
    code = program().op("MEMBAR.SC.GPU").op("ERRBAR").op("CGAERRBAR").op("CCTL.IVALL").exit()
    probe = run(code, machine)
    assert probe.gap(0, 2) == pytest.approx(machine.value("operations.MEMBAR.GPU.latency"), abs=NEAR)
    assert probe.gap(2, 3) == pytest.approx(machine.value("operations.CGAERRBAR.latency"), abs=NEAR)
