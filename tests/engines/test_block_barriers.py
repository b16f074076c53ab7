"""Block barriers: the last warp that arrives releases all."""

import pytest

from isa.errors import KernelError
from smsim.testing import Launch, program

LATE = 100


def late(routine=None):
    """Code that takes a while."""
    routine = routine or program()
    for _ in range(LATE // 10):
        routine = routine.op("NOP", 10)
    return routine


def test_all_warps_go_on_when_the_last_has_arrived(run, machine):
    early = program().barrier().mov(4, 1).exit()
    probe = run(Launch((early, late().barrier().mov(4, 1).exit()), warps=2), machine)
    arrived = probe.issued_at(-3, warp=1)
    assert arrived > probe.issued_at(0, warp=0) + LATE / 2
    released = arrived + machine.value("barrier.release")
    probe.assert_earliest_issue_at(1, released, reason="barrier", warp=0)
    probe.assert_earliest_issue_at(-2, released, reason="barrier", warp=1)


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
