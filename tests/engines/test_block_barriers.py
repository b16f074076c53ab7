"""Block barriers: the last warp that arrives releases all."""

import pytest

from isa.errors import KernelError
from smsim.rules.barriers import HOLDS
from smsim.testing import Launch, program

LATE = 100


def late(routine=None):
    """Code that takes a while."""
    routine = routine or program()
    for _ in range(LATE // 10):
        routine = routine.op("NOP", 10)
    return routine


def test_all_warps_go_on_when_the_last_has_arrived(run, machine):
    early = program().barrier().mufu(4, 5).exit()
    probe = run(Launch((early, late().barrier().mufu(4, 5).exit()), warps=2), machine)
    arrived = probe.issued_at(-3, warp=1)
    assert arrived > probe.issued_at(0, warp=0) + LATE / 2
    released = arrived + machine.value("barrier.release")
    probe.assert_earliest_issue_at(1, released, reason="barrier", warp=0)
    probe.assert_earliest_issue_at(-2, released, reason="barrier", warp=1)


@pytest.mark.parametrize("text", ["FFMA R8, R4, R5, R6", "IADD3 R8, R4, R5, RZ", "UIADD3 UR4, UR5, UR6, URZ"])
def test_a_fixed_latency_instruction_passes_a_barrier(run, machine, text):
    probe = run(Launch((program().barrier().op(text).exit(), late().barrier().exit()), warps=2), machine)
    assert probe.gap(0, 1, warp=0) == 1


@pytest.mark.parametrize("text", ["NOP", "UMOV UR4, UR5", "LDS R8, [R4]", "BRA 0x20", "BAR.SYNC 0x0"])
def test_all_others_wait_behind_it(run, machine, text):
    routines = [code.barrier().op(text).barrier().exit() for code in (program(), late())]
    probe = run(Launch(tuple(routines), warps=2), machine)
    assert probe.issued_at(1, warp=0) > LATE


def test_a_warp_that_a_barrier_holds_counts_so_although_stall_counts_still_run(run, machine):
    early = program().barrier().op("FFMA R8, R4, R5, R6", 13).op("NOP").exit()
    probe = run(Launch((early, late().barrier().exit()), warps=2), machine)
    stalls = probe.stalls(2, warp=0)
    assert stalls["wait"] == HOLDS - 2  # since the cycle behind FFMA
    assert stalls["barrier"] == probe.gap(1, 2, warp=0) - 1 - stalls["wait"]


def test_arrivals_in_one_cycle_are_processed_one_by_one(run, machine):
    together = machine.replace({"launch.warp_interval": 0})
    probe = run(Launch((program().barrier().exit(),), warps=4), together)
    processing = 3 * machine.value("barrier.arrival_interval")
    assert {probe.gap(0, 1, warp) for warp in range(4)} == {processing + machine.value("barrier.release")}


def test_a_warp_that_has_exited_is_not_waited_for(run, machine):
    probe = run(Launch((program().barrier().exit(), late().exit()), warps=2), machine)
    assert probe.issued_at(1, warp=0) > probe.issued_at(-1, warp=1)


def test_blocks_do_not_wait_for_each_other(run, machine):
    probe = run(Launch((program().barrier().exit(),), blocks=3), machine)
    assert {probe.gap(0, 1, block=block) for block in range(3)} == {machine.value("barrier.release")}


def test_an_arrival_without_waiting_goes_on(run, machine):
    arrive = program().op("BAR.ARV 0x0, 0x40").mov(4, 1).exit()
    probe = run(Launch((arrive, late().barrier().exit()), warps=2), machine)
    assert probe.gap(0, 1, warp=0) == 1


def test_warps_at_different_barriers_wait_for_ever(run, machine):
    other = program().op("BAR.SYNC 0x1").exit()
    with pytest.raises(
        KernelError, match=r"probe: 2 warps wait for ever, the first at SASS address 0x0 \(BAR.SYNC.*barrier"
    ):
        run(Launch((program().barrier().exit(), other), warps=2), machine)


def test_a_barrier_needs_a_place_in_the_adu_s_queue(run, machine):
    routine = program()
    for _ in range(int(machine.value("mio.adu_queue_depth"))):
        routine = routine.op("REDUX.SUM UR4, R8")
    probe = run(routine.barrier().exit(), machine)
    assert probe.stalls(-2)["mio_throttle"] > 0
