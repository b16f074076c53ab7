"""The queues before the LSU and the ADU: a warp stalls when its queue is full."""

import pytest

from smsim.operand_path import SENDS_NO_DATA, TO_ADU
from smsim.testing import program, strided

QUEUES = [
    ("mio", "LDS R8, [R4]", "mio_throttle"),
    ("mio", "LDG.E R8, desc[UR4][R4.64]", "lg_throttle"),
    ("adu", "LDC R8, c[0x0][0x210]", "mio_throttle"),
]
WAITING = 40


@pytest.mark.parametrize(("queue", "text", "reason"), QUEUES)
@pytest.mark.parametrize("depth", [1, 3])
def test_a_full_queue_holds_the_warp_until_its_head_leaves(  # noqa: PLR0917  (fixtures and parameters)
    run, machine, queue, text, reason, depth
):
    slow = machine.replace({f"mio.{queue}_queue_depth": depth, "mio.queue_latency": WAITING})
    leaves = WAITING + (SENDS_NO_DATA if queue == "mio" else TO_ADU)
    routine = program()
    for _ in range(depth + 1):
        routine = routine.op(text, addresses=strided(4))
    probe = run(routine.exit(), slow)
    assert probe.gap(0, depth - 1) == depth - 1
    probe.assert_earliest_issue_at(depth, probe.issued_at(0) + leaves, reason=reason)


def test_the_queues_do_not_hold_each_other(run, machine):
    slow = machine.replace({"mio.mio_queue_depth": 1, "mio.queue_latency": WAITING})
    probe = run(program().op("LDS R8, [R4]").mufu(9, 4).op("LDC R10, c[0x0][0x210]").mov(11, 1).exit(), slow)
    assert probe.gap(0, 3) == 3


def test_shared_and_global_memory_have_one_queue(run, machine):
    slow = machine.replace({"mio.mio_queue_depth": 1, "mio.queue_latency": WAITING})
    probe = run(program().op("LDS R8, [R4]").op("LDG.E R10, desc[UR4][R4.64]").exit(), slow)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + WAITING + SENDS_NO_DATA, reason="mio_throttle")


def test_a_queue_of_global_memory_alone_stalls_under_its_name(run, machine):
    """ncu, rows by 16 warps: of both throttles LDG alone is all lg, LDG and LDS in turn 21 %, with two LDS 2 %."""
    slow = machine.replace({"mio.mio_queue_depth": 1, "mio.queue_latency": WAITING})
    probe = run(program().op("LDG.E R8, desc[UR4][R4.64]").op("LDG.E R10, desc[UR4][R4.64]").exit(), slow)
    probe.assert_earliest_issue_at(1, probe.issued_at(0) + WAITING + SENDS_NO_DATA, reason="lg_throttle")


def test_the_path_is_taken_in_order(run, machine):
    """A load behind a wide store waits until its registers are read, and its wavefronts made."""
    routine = program().op("STS.128 [R4], R8", addresses=strided(16)).op("LDS R12, [R5]", write=0).mov(20, 1, wait=[0])
    probe = run(routine.exit(), machine)
    store = machine.value("operations.STS.128.read_latency")
    wavefronts = 4 * machine.value("mio.conflict_interval")
    after = machine.value("operations.LDS.latency") - machine.value("operations.LDS.read_latency")
    assert probe.gap(0, 2) == store + wavefronts + after


@pytest.mark.parametrize("text", ["S2R R16, SR_TID.X", "LDC R16, c[0x0][0x210]", "SHFL.BFLY PT, R16, R7, 0x1, 0x1f"])
def test_one_behind_an_instruction_that_waits_at_the_dispatcher_waits_with_it(run, machine, text):
    """A FADD waits for a cycle in which a DADD has the dispatcher again."""
    slot = int(machine.value("register_file.fp64_slot"))

    def taken(before):
        code = program().op(before).nops(slot - 1).op("FADD R12, R5, RZ").op(text, write=0, stall=2)
        return run(code.mov(20, 9, wait=[0]).exit(), machine).gap(slot + 1, slot + 2)

    assert taken("DADD R20, R8, R10") == taken("FADD R20, R8, R10") + 1
