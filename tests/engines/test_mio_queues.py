"""The queues before shared memory, L1TEX and the ADU: a warp stalls when its queue is full."""

import pytest

from smsim.testing import program, strided

QUEUES = [
    ("mio", "LDS R8, [R4]", "mio_throttle"),
    ("lg", "LDG.E R8, desc[UR4][R4.64]", "lg_throttle"),
    ("adu", "LDC R8, c[0x0][0x210]", "mio_throttle"),
]
WAITING = 40


@pytest.mark.parametrize(("queue", "text", "reason"), QUEUES)
@pytest.mark.parametrize("depth", [1, 3])
def test_a_full_queue_holds_the_warp_until_its_head_leaves(  # noqa: PLR0917  (fixtures and parameters)
    run, machine, queue, text, reason, depth
):
    slow = machine.replace({f"mio.{queue}_queue_depth": depth, "mio.queue_latency": WAITING})
    routine = program()
    for _ in range(depth + 1):
        routine = routine.op(text, addresses=strided(4))
    probe = run(routine.exit(), slow)
    assert probe.gap(0, depth - 1) == depth - 1
    probe.assert_earliest_issue_at(depth, probe.issued_at(0) + WAITING, reason=reason)


def test_the_queues_do_not_hold_each_other(run, machine):
    slow = machine.replace({"mio.mio_queue_depth": 1, "mio.queue_latency": WAITING})
    probe = run(program().op("LDS R8, [R4]").mufu(9, 4).op("LDG.E R10, desc[UR4][R4.64]").mov(11, 1).exit(), slow)
    assert probe.gap(0, 3) == 3
