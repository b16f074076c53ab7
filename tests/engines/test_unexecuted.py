"""Instructions of the queues whose guard is false in every lane: they go their way, and read nothing.

The cycles are those of the microbenchmark ``rounds/unexecuted``.
"""

import pytest

from smsim.testing import Launch, program

CYCLES = [
    ("LDS.128 R8, [R4]", 22),
    ("SHFL.IDX PT, R8, R4, R5, 0x1f", 22),
    ("ATOMS.ADD R8, [R4], R5", 22),
    ("LDG.E R8, desc[UR4][R4.64]", 22),
    ("S2R R8, SR_TID.X", 22),
    ("LDC R8, c[0x0][0x210]", 25),
    ("LDC R8, c[0x0][R4+0x210]", 25),
    ("REDUX.SUM UR8, R4", 35),
    ("MUFU.RCP R8, R4", 15),
    ("F2I.TRUNC.NTZ R8, R4", 15),
]


def unexecuted(text, count=1):
    routine = program()
    for _ in range(count - 1):
        routine = routine.op(f"@P0 {text}", lanes=0, stall=2)
    return routine.op(f"@P0 {text}", lanes=0, write=0, stall=2).mov(20, 1, wait=[0]).exit()


@pytest.mark.parametrize(("text", "cycles"), CYCLES)
def test_their_barriers_come_back_when_they_have_gone_their_way(run, machine, text, cycles):
    probe = run(unexecuted(text), machine)
    assert probe.gap(0, 1) == cycles


@pytest.mark.parametrize(("text", "interval"), [("LDS R8, [R4]", 2), ("MUFU.RCP R8, R4", 8)])
def test_they_take_turns_of_their_unit(run, machine, text, interval):
    few, many = (run(unexecuted(text, count), machine).gap(0, count) for count in (3, 8))
    assert many - few == 5 * interval


def test_they_share_the_lsu(run, machine):
    """Of four SMSPs each has a turn every four cycles."""
    probe = run(Launch((unexecuted("LDS R8, [R4]", 20),), warps=4), machine)
    assert probe.gap(0, 20) > run(unexecuted("LDS R8, [R4]", 20), machine).gap(0, 20) + 20


def test_who_waits_for_a_global_load_waits_for_l1tex(run, machine):
    probe = run(unexecuted("LDG.E R8, desc[UR4][R4.64]"), machine)
    assert "long_scoreboard" in probe.stalls(1)


@pytest.mark.parametrize("text", ["LDS R8, [R4]", "STS [R4], R8", "LDG.E R8, desc[UR4][R4.64]"])
def test_they_make_a_pass_that_counts_as_one_of_shared_memory(run, machine, text):
    probe = run(unexecuted(text, 3), machine)
    assert probe.counts.memory["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] == 3
