"""What binds the benchmark of reciprocal square roots on the H100, by its recorded counters."""

from statistics import median

import pytest

from smsim.machine import load
from smsim.simulation import simulate
from validation.measurement import RECORDED
from validation.predict import trace_launch
from validation.selection import select_cases

NUM_SMS = 132


def counters(kernel: str, launch: str) -> dict[str, float]:
    """Medians over the recorded runs that have the counter."""
    (case,) = select_cases([kernel], RECORDED, launches=[launch])
    return {
        name: median(value for value in values if value is not None)
        for name, values in case.measurement.counters.items()
    }


@pytest.mark.parametrize("unroll", [4, 8, 16])
def test_l1s_banks_bind_where_loads_are_unrolled(unroll: int) -> None:
    """Each lane of a load has a line of its own, and all lines lie in one bank."""
    kernel, launch = f"rsqrt_unroll{unroll}", "1024x256_n64"
    result = simulate(trace_launch(kernel, launch, 0, load("h100")))
    binding = result.bottlenecks[0]
    assert binding.name == "l1_data"
    recorded = counters(kernel, launch)
    blocks = len(result.setting.blocks) / result.setting.sms
    lines = recorded["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] / 1024 * blocks
    assert binding.amount == pytest.approx(lines, rel=0.005)  # a pass for each line
    assert 0.94 < binding.cycles / recorded["sm__cycles_active.max"] < 1


def test_l1_does_not_hold_the_lines_of_64_warps_with_one_load_at_a_time() -> None:
    kernel, launch = "rsqrt_unroll1", "1024x256_n512"
    result = simulate(trace_launch(kernel, launch, 0, load("h100")))
    (from_l2,) = (each for each in result.bottlenecks if each.name == "l2_reads")
    different = 256 * 512 * 4 // 32 * len(result.setting.blocks) / result.setting.sms
    assert from_l2.amount > 4 * different
    recorded = counters(kernel, launch)
    assert recorded["lts__t_sectors_srcunit_tex.sum"] > 4 * (1024 * 256 * 512 * 4 // 32)
    # So it is not the tag stage that binds there: that would let the GPU be four times as fast.
    (tags,) = (each for each in result.bottlenecks if each.name == "l1_tags")
    assert tags.cycles < recorded["sm__cycles_active.max"] / 3
