"""Global memory: L1 hits and misses to L2."""

import pytest

from smsim.testing import program, strided

LDG, STG = "LDG.E R8, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R8"
OF_GPU_SCOPE = "LDG.E.STRONG.GPU R8, desc[UR4][R4.64]"
SECTOR = 32


def load(routine, address):
    return routine.op(LDG, write=0, addresses=strided(0, address)).mov(20, 1, wait=[0])


def latencies(run, machine, *addresses):
    """Of loads one after the other."""
    routine = program()
    for address in addresses:
        routine = load(routine, address)
    probe = run(routine.exit(), machine)
    return [probe.gap(2 * number, 2 * number + 1) for number in range(len(addresses))]


@pytest.fixture
def machine(machine):
    """All parts of L2 are equally far."""
    return machine.replace({"l1.miss_spread": 0})


@pytest.fixture
def hit(machine):
    return machine.value("operations.LDG.latency")


@pytest.fixture
def miss(machine, hit):
    return hit + machine.value("l1.miss_latency")


def test_the_first_load_of_a_sector_misses_and_the_second_hits(run, machine, hit, miss):
    assert latencies(run, machine, 0, 0, 4) == [miss, hit, hit]


def test_every_sector_of_a_line_misses_once(run, machine, hit, miss):
    assert latencies(run, machine, 0, SECTOR, 0, SECTOR) == [miss, miss, hit, hit]


def test_a_load_while_its_sector_is_coming_waits_for_it(run, machine, miss):
    code = program().op(LDG, addresses=strided(0)).op(LDG, write=0, addresses=strided(0)).mov(20, 1, wait=[0]).exit()
    probe = run(code, machine)
    assert miss - machine.value("operations.LDG.interval") <= probe.gap(1, 2) <= miss
    assert probe.counts.memory["lts__t_sectors_srcunit_tex_op_read.sum"] == 1


def test_a_load_of_gpu_scope_finds_in_l1_what_is_coming_alone(run, machine):
    twice = program()
    for _ in range(2):
        twice = twice.op(OF_GPU_SCOPE, write=1, addresses=strided(0)).op(OF_GPU_SCOPE, write=0, addresses=strided(0))
        twice = twice.mov(20, 1, wait=[0, 1])
    probe = run(twice.exit(), machine)
    assert probe.counts.memory["lts__t_sectors_srcunit_tex_op_read.sum"] == 2
    assert probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] == 2


def test_a_set_forgets_the_line_that_was_used_longest_ago(run, machine, hit, miss):
    tiny = machine.replace({"l1.bytes": 2 * 128, "l1.ways": 2})
    a, b, c = 0, 128, 256
    assert latencies(run, tiny, a, b, a, c, a, b) == [miss, miss, hit, miss, hit, miss]


def test_a_line_that_a_load_waits_for_stays(run, machine, hit, miss):
    a, b, c = 0, 128, 256
    waiting = load(program(), b).op(LDG, write=1, addresses=strided(0, a))
    waiting = load(waiting, b).op(LDG, write=2, addresses=strided(0, c)).mov(20, 1, wait=[1, 2])
    probe = run(load(load(waiting, a), b).exit(), machine.replace({"l1.bytes": 2 * 128, "l1.ways": 2}))
    assert [probe.gap(7, 8), probe.gap(9, 10)] == [hit, miss]


def test_stores_write_through(run, machine):
    probe = run(program().op(STG).exit(), machine)
    assert probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"] == 4
    assert probe.counts.memory["lts__t_sectors_srcunit_tex_op_write.sum"] == 4


def test_local_memory_is_interleaved_by_lane(run, machine):
    probe = run(program().op("STL [R4], R8", addresses=strided(0)).exit(), machine)
    assert probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"] == 4
