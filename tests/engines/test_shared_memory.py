"""Shared memory: the LSU that the SMSPs share, and bank conflicts."""

import pytest

from smsim.testing import Launch, program, strided

LDS = "LDS R8, [R4]"


def latency(run, machine, text, addresses):
    return run(program().op(text, write=0, addresses=addresses).mov(20, 1, wait=[0]).exit(), machine).gap(0, 1)


@pytest.mark.parametrize(("stride", "ways"), [(0, 1), (4, 1), (8, 2), (16, 4), (128, 32), (132, 1)])
def test_each_further_wavefront_takes_longer(run, machine, stride, ways):
    expected = machine.value("operations.LDS.latency") + (ways - 1) * machine.value("mio.conflict_interval")
    assert latency(run, machine, LDS, strided(stride)) == expected


@pytest.mark.parametrize(("suffix", "width"), [(".64", 8), (".128", 16)])
def test_a_wide_load_without_conflicts_has_its_own_latency(run, machine, suffix, width):
    found = latency(run, machine, f"LDS{suffix} R8, [R4]", strided(width))
    assert found == machine.value(f"operations.LDS{suffix}.latency")


ATOMS = "ATOMS.ADD R8, [R4], R5"
COUNT = "ATOMS.POPC.INC.32 RZ, [R4]"


@pytest.mark.parametrize(("text", "ways"), [(ATOMS, 32), ("ATOMS.CAS R8, [R4], R5, R6", 64), (LDS, 1)])
def test_an_atomic_takes_a_wavefront_for_each_lane_of_a_bank(run, machine, text, ways):
    apart, together = (latency(run, machine, text, strided(stride)) for stride in (4, 0))
    least = 2 if "CAS" in text else 1
    assert together - apart == (ways - least) * machine.value("mio.conflict_interval")


def test_counts_of_one_word_are_added_up_before(run, machine):
    probe = run(program().op(COUNT, addresses=strided(0)).exit(), machine)
    assert probe.counts.memory["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] == 1


@pytest.mark.parametrize(("address", "saved"), [("R4", 0), ("UR4", 1)])
def test_an_address_without_a_register_is_there_sooner(run, machine, address, saved):
    found = latency(run, machine, f"LDS R8, [{address}]", strided(4))
    assert found == machine.value("operations.LDS.latency") - saved


def test_two_warps_are_served_at_a_time(run, machine):
    """Of four warps that load with conflicts at once the third and fourth wait for the first two."""
    routine = program().op(LDS, write=0, addresses=strided(32)).mov(20, 1, wait=[0]).exit()
    probe = run(Launch((routine,), warps=4), machine.replace({"launch.warp_interval": 0}))
    first, second, third, fourth = sorted(probe.gap(0, 1, warp) for warp in range(4))
    eight = 8 * machine.value("mio.conflict_interval")
    assert second - first < eight / 2
    assert (third - first, fourth - second) == (eight, eight)


def test_wavefronts_are_counted(run, machine):
    probe = run(program().op(LDS, addresses=strided(16)).op(LDS).exit(), machine)
    assert probe.counts.memory["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] == 4 + 1


def pace(run, machine, warps, ops=40, last=16):
    """Cycles per LDS of a warp when all queues are full."""
    routine = program()
    for _ in range(ops):
        routine = routine.op(LDS)
    probe = run(Launch((routine.exit(),), warps=warps), machine)
    return probe.gap(ops - 1 - last, ops - 1) / last


def test_an_smsp_alone_goes_at_its_own_pace(run, machine):
    assert pace(run, machine, 1) == machine.value("operations.LDS.interval")


def test_four_smsps_go_at_the_pace_of_the_lsu_that_they_share(run, machine):
    shared = 4 * machine.value("operations.LDS.sm_interval")
    assert pace(run, machine, 4) == max(shared, machine.value("operations.LDS.interval"))


def test_a_wide_load_of_few_lanes_takes_as_many_turns_as_one_of_all(run, machine):
    """Microbenchmarks ``lanes/lane, active low quarter``: of four SMSPs each has one every 16 cycles."""
    routine = program()
    for _ in range(40):
        routine = routine.op("LDS.128 R8, [R4]", addresses=strided(16, lanes=range(8)))
    probe = run(Launch((routine.exit(),), warps=4), machine)
    assert probe.gap(23, 39) / 16 == 16


def results_of_two_warps(run, machine, ways, barrier):
    """Cycles from a load to its result beside another warp's store with conflicts; which of the two were before."""
    store = program().op("STS [R4], R5", addresses=strided(4 * ways))
    load = program().op("NOP")
    if barrier:
        store, load = store.barrier(), load.barrier()
    else:
        load = load.op("NOP", stall=15)
    last = store.exit(), load.op(LDS, write=0).mov(20, 1, wait=[0]).exit()
    return run(Launch(last, warps=2), machine).gap(2, 3, 1)


def test_a_load_goes_beside_another_warps_store(run, machine):
    """Microbenchmark ``rounds/STS.32 8-way, no barrier, LDS.32``."""
    assert results_of_two_warps(run, machine, 32, barrier=False) == machine.value("operations.LDS.latency")


def test_a_block_barrier_is_a_fence(run, machine):
    """Microbenchmark ``rounds/STS.32 8-way, LDS.32``: a load behind a barrier waits for the stores before it."""
    few, many = (results_of_two_warps(run, machine, ways, barrier=True) for ways in (16, 32))
    assert many - few == 16 * machine.value("mio.conflict_interval")


def test_what_waits_for_its_own_warp_lets_others_go_first(run, machine):
    """Microbenchmark ``entries/pair LDS.32 8-way, LDS.32 8-way``: one load is not behind another warp's row."""
    row = program()
    for _ in range(3):
        row = row.op(LDS, addresses=strided(32))
    one = program().op("NOP", stall=6).op(LDS, write=0, addresses=strided(32)).mov(20, 1, wait=[0]).exit()
    waits = 7 * machine.value("mio.conflict_interval")
    found = run(Launch((row.exit(), one), warps=2), machine).gap(1, 2, 1)
    assert found < machine.value("operations.LDS.latency") + 2 * waits


@pytest.mark.parametrize(
    ("text", "count"), [("SHFL.BFLY PT, R8, R4, 0x1, 0x1f", 1), ("S2R R8, SR_TID.X", 1), ("S2R R8, SR_CTAID.X", 0)]
)
def test_ncu_counts_passes_without_shared_memory_as_its_own(run, machine, text, count):
    probe = run(program().op(text, write=0).exit(), machine)
    assert probe.counts.memory["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] == count


def test_ncu_counts_a_pass_for_a_block_barrier_that_counts_no_votes(run, machine):
    code = program().barrier().barrier().op("BAR.RED.OR.DEFER_BLOCKING 0x0, P0").exit()
    probe = run(Launch((code,), warps=4), machine)
    assert probe.counts.memory["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"] == 2
