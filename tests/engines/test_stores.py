"""Stores on their way to L2: lines gather them, and leave when others need the place or no store comes any more."""

import pytest

from smsim.testing import Launch, program, strided

STG = "STG.E desc[UR4][R4.64], R8"
WRITTEN = "lts__t_sectors_srcunit_tex_op_write.sum"
EACH_SECTOR = strided(32)  # eight lines


def words(number, pause=1):
    """Stores of neighbouring words of the same sectors."""
    routine = program()
    for word in range(number):
        routine = routine.op(STG, 4, addresses=strided(32, 4 * word))
        for _ in range(pause // 15):
            routine = routine.op("NOP", 15)
    return routine.exit()


def test_stores_of_the_same_sectors_leave_once(run, machine):
    assert run(words(8), machine).counts.memory[WRITTEN] == 32


def test_stores_far_apart_in_time_leave_apart(run, machine):
    pause = 10 * machine.value("l1.store_latency")
    assert run(words(4, pause), machine).counts.memory[WRITTEN] == 4 * 32


# Microbenchmark ``gathered``: seven lines of each of L1's four slices find places, not eight.
@pytest.mark.parametrize(("lines", "gathers"), [(28, True), (32, False)])
def test_stores_of_more_lines_than_gather_leave_apart(run, machine, lines, gathers):
    stores = [strided(132, 4 * word)[:lines] for word in range(4)]
    routine = program()
    for addresses in stores:
        routine = routine.op(STG, 4, addresses=[*addresses, *[None] * (32 - lines)])
    sectors = len({address // 32 for addresses in stores for address in addresses})
    written = sectors if gathers else len(stores) * lines
    assert run(routine.exit(), machine).counts.memory[WRITTEN] == written


# ncu's sectors on the H200: a load between two stores keeps none from gathering, unless it asks for what they store to.
@pytest.mark.parametrize(("loaded", "times"), [(1 << 20, 1), (8, 2)])
def test_lines_gather_on_past_a_load_of_others(run, machine, loaded, times):
    routine = program().op(STG, 4, addresses=strided(16))
    routine = routine.op("LDG.E R12, desc[UR4][R4.64]", write=0, addresses=strided(16, loaded))
    routine = routine.op(STG, 4, addresses=strided(16, 4)).exit()
    assert run(routine, machine).counts.memory[WRITTEN] == times * 16


# Microbenchmark ``draining``, 8 STG.32 side by side, 32 bytes a lane: three warps' lines all have places.
@pytest.mark.parametrize(("warps", "times"), [(3, 1), (4, 8)])
def test_stores_of_several_warps_gather_while_all_their_lines_have_places(run, machine, warps, times):
    routines = []
    for warp in range(warps):
        routine = program()
        for word in range(8):
            routine = routine.op(STG, 4, addresses=strided(32, 1024 * warp + 4 * word))
        routines.append(routine.exit())
    written = run(Launch(tuple(routines), warps=warps), machine).counts.memory[WRITTEN]
    assert written == times * warps * 32


def test_a_load_finds_what_a_store_wrote_and_nothing_else(run, machine):
    load = "LDG.E R12, desc[UR4][R4.64]"
    code = program().op(STG, addresses=strided(8))
    for address in (0, 4):
        code = code.op(load, write=0, addresses=strided(8, address)).mov(20, 1, wait=[0])
    probe = run(code.exit(), machine)
    assert probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"] == 8
    assert probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 16


def test_local_stores_go_to_l2_as_well(run, machine):
    rows = [4 * lane for lane in range(32)]
    probe = run(program().op("STL [R4], R8", addresses=rows).exit(), machine)
    assert probe.counts.memory[WRITTEN] == 32


def test_lines_leave_so_long_behind_their_own_stores(run, machine):
    # Stores to other lines, less than that apart, do not hold them back.
    idle = machine.value("l1.store_idle")
    kept = machine.replace({"l1.store_idle": 20 * idle})
    routine = program().op(STG, 4, addresses=strided(32))
    for other in (4096, 8192, 12288):
        routine = routine.op("NOP", 15).op(STG, 4, addresses=strided(4, other))
    routine = routine.op(STG, 4, addresses=strided(32, 4)).exit()
    others = 3 * 4
    assert run(routine, machine).counts.memory[WRITTEN] == 2 * 32 + others
    assert run(routine, kept).counts.memory[WRITTEN] == 32 + others


def test_a_store_while_loads_of_its_sectors_make_their_passes_leaves_its_bytes_alone(run, machine):
    def hits(pause):
        load = "LDG.E R12, desc[UR4][R4.64]"
        routine = program().op(load, 4, write=0, addresses=strided(128))
        for _ in range(pause // 15):
            routine = routine.op("NOP", 15)
        routine = routine.op(STG, 4, addresses=strided(128)).mov(20, 15, wait=[0])
        for _ in range(30):
            routine = routine.op("NOP", 15)
        routine = routine.op(load, 4, write=1, addresses=strided(128, 4)).mov(20, 1, wait=[1]).exit()
        return run(routine, machine).counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]

    all_there = 420
    assert hits(255) == 0  # most sectors are in L1, their 32 passes not made
    assert hits(all_there) == 32


def stored_twice(warp=0, other=0, load=False):
    """Words of 32 lines are stored, those ``other`` bytes on before; long after, words beside them are loaded."""
    read, lines = "LDG.E R12, desc[UR4][R4.64]", 4096 * warp
    routine = program()
    if load:
        routine = routine.op(read, 4, write=0, addresses=strided(128, lines)).mov(20, 15, wait=[0])
    routine = routine.op(STG, 4, addresses=strided(128, lines + other)).op(STG, 4, addresses=strided(128, lines))
    for _ in range(100):
        routine = routine.op("NOP", 15)
    beside = lines + (4 if load else other)
    return routine.op(read, 4, write=1, addresses=strided(128, beside)).mov(20, 1, wait=[1]).exit()


def hits(probe):
    return probe.counts.memory["l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"]


@pytest.mark.parametrize("other", [20, 56])
def test_a_store_to_a_line_that_is_being_sent_leaves_its_bytes_alone(run, machine, other):
    # On the H100 none hits, of 1 to 8 warps, in the same sector or in another one of the line.
    assert hits(run(stored_twice(other=other, load=True), machine)) <= 3


def test_stores_to_a_line_that_has_been_sent_leave_the_bytes_stored_before(run, machine):
    # On the H100 all of 4 to 14 warps that store at the same time hit, none of a lone warp's.
    warps = 4
    assert hits(run(stored_twice(other=20), machine)) <= 4
    launch = Launch(tuple(stored_twice(warp, other=20) for warp in range(warps)), warps=warps)
    assert hits(run(launch, machine)) == 32 * warps
