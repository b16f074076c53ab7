"""What each limit alone would make of small launches that are known to the instruction."""

from math import ceil

import pytest

from smsim import engines
from smsim.bottlenecks.find import find_bottlenecks
from smsim.machine import load
from smsim.state.sizes import NUM_SLICES
from smsim.testing import Launch, Routine, program, strided

H100 = load("h100")
LDG, STG, LDS = "LDG.E R8, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R8", "LDS R8, [R4]"
SCATTERED = strided(128)


def limits(routine: Routine, warps: int = 1, blocks: int = 1, cache: str = "warm"):
    """The limits by name, and the cycles of the launch."""
    trace = Launch((routine,), warps=warps, blocks=blocks).trace()
    counts = engines.run(trace, H100, cache)
    found = find_bottlenecks(trace, H100, cache, counts)
    assert [each.cycles for each in found] == sorted((each.cycles for each in found), reverse=True)
    return {each.name: each for each in found}, counts.cycles


def repeated(times: int, *texts: str) -> Routine:
    routine = program()
    for _ in range(times):
        for text in texts:
            routine = routine.op(text, stall=2)
    return routine.exit()


def test_one_warp_alone_is_bound_by_its_latency():
    found, cycles = limits(program().mufu(4, 4, write=0).ffma(5, 4, 4, 4, wait=[0]).exit())
    assert found["latency"].cycles == cycles


def test_waves_of_blocks_follow_one_another():
    one, _ = limits(repeated(50, "NOP"), warps=32)
    three, _ = limits(repeated(50, "NOP"), warps=32, blocks=5)
    assert (one["latency"].amount, one["latency"].unit) == (51, "instructions of the longest warp")
    assert three["latency"].unit == "instructions of the longest warp, 3 waves of blocks"
    between = H100.value("launch.relaunch") - H100.value("launch.first_block")
    assert three["latency"].cycles == 3 * one["latency"].cycles + 2 * between


def test_the_busiest_smsp_counts():
    found, _ = limits(repeated(10, "NOP"), warps=5)
    assert found["issue_slots"].cycles == 2 * 11


@pytest.mark.parametrize(
    ("texts", "cycles"),
    [
        (["FFMA R4, R5, R6, R7"], 20),  # either half
        (["IMAD R4, R5, R6, R7"], 40),  # the heavy half
        (["FFMA R4, R5, R6, R7", "IMAD R8, R5, R6, R7"], 40),  # one each
        (["HFMA2 R4, R5, R6, R7"], 40),  # both
        (["FFMA R4, R5, R6, R7", "HFMA2 R8, R5, R6, R7"], 60),
        (["IMAD.WIDE R4, R5, R6, R8"], 80),
    ],
)
def test_the_halves_of_the_fma_pipe_share_what_goes_to_either(texts, cycles):
    found, _ = limits(repeated(20, *texts))
    assert found["pipe_fma"].cycles == cycles
    assert found["pipe_fma"].amount == 20 * len(texts)


def test_an_instruction_that_no_lane_executes_issues_and_does_no_more():
    found, _ = limits(program().op("@P0 IADD3 R4, R5, R6, R7", lanes=0).op("IADD3 R4, R5, R6, R7").exit())
    assert found["issue_slots"].cycles == 3
    assert found["pipe_alu"].amount == 1


def test_a_bank_reads_one_register_a_cycle():
    found, _ = limits(repeated(10, "FFMA R4, R6, R8, R10"))
    assert found["register_ports"].cycles == 30


def test_the_tag_stage_takes_a_line_a_cycle_in_each_slice():
    code = program().op(LDG, write=0, addresses=SCATTERED).op("NOP", wait=[0]).exit()
    found, _ = limits(code, warps=4)
    assert (found["l1_tags"].cycles, found["l1_tags"].amount) == (4 * 32 / NUM_SLICES, 4 * 32)


def test_bank_conflicts_take_wavefronts_and_the_way_to_the_lsu():
    found, _ = limits(program().op(LDS, write=0, addresses=strided(8)).op("NOP", wait=[0]).exit(), warps=4)
    assert found["l1_data"].cycles == 4 * 2
    assert found["lsu_path"].cycles == H100.value("operations.LDS.interval") + H100.value("mio.conflict_interval")


def test_sectors_that_l1_does_not_hold_come_again():
    tiny = H100.replace({"l1.bytes": 128, "l1.ways": 1})
    code = program()
    for line in (0, 1, 0, 1):
        code = code.op(LDG, write=0, addresses=strided(4, 128 * line)).op("NOP", wait=[0])
    trace = Launch((code.exit(),)).trace()
    found = {each.name: each for each in find_bottlenecks(trace, tiny, "warm", engines.run(trace, tiny))}
    assert found["l2_reads"].amount == 16
    assert found["l2_reads"].unit == "sectors, those of loads 2.0 times each"


def test_stores_leave_in_packets():
    found, _ = limits(program().op(STG, addresses=strided(4)).exit())
    assert found["l2_writes"].amount == 4
    in_part, _ = limits(program().op(STG, addresses=strided(8)).exit())
    assert in_part["l2_writes"].amount == 8 + 2
    gathered, _ = limits(program().op(STG, addresses=strided(4)).op(STG, addresses=strided(4)).exit())
    assert gathered["l2_writes"].amount == 4


def test_warps_arrive_at_block_barriers_one_after_the_other():
    found, _ = limits(program().barrier(stall=5).exit(), warps=8)
    assert found["block_barriers"].cycles == 8 * H100.value("barrier.arrival_interval")


def test_limits_that_nothing_asks_for_are_left_out():
    found, _ = limits(program().exit())
    assert set(found) == {"issue_slots", "latency"}


def test_l2_and_dram_are_shared_by_all_sms():
    trace = Launch((repeated(4, LDG),), warps=4, blocks=2).trace()
    counts = engines.run(trace, H100, "cold")
    whole, half = (
        {each.name: each for each in find_bottlenecks(trace, H100, "cold", counts, part)} for part in (1, 0.5)
    )
    sectors = counts.memory["dram__bytes_read.sum"] // 32
    assert whole["dram"].amount == sectors > 0
    assert whole["dram"].cycles == ceil(sectors * H100.value("dram.read_interval"))
    assert half["l2"].cycles == pytest.approx(2 * whole["l2"].cycles, abs=1)


def test_several_sms_have_limits_of_their_own():
    trace = Launch((repeated(10, "NOP"),), warps=4, blocks=6).trace()
    one, three = (
        {each.name: each for each in find_bottlenecks(trace, H100, "warm", engines.run(trace, H100, sms=sms))}
        for sms in (1, 3)
    )
    assert one["issue_slots"].cycles == 3 * three["issue_slots"].cycles == 66
