import json
from dataclasses import replace

import numpy as np
import pytest

from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.reasons import REASON_NAMES
from smsim.result import SCHEMA, Result


def test_totals_are_the_sums_of_the_counts(result: Result) -> None:
    assert result.cycles == 100
    assert result.instructions == 6
    assert result.warp_cycles == 6 + 18 + 80
    assert result.time_us == pytest.approx(0.1)
    assert result.kernel == "saxpy"


def test_stalls_name_every_reason(result: Result) -> None:
    assert tuple(result.stalls) == REASON_NAMES
    assert result.stalls["long_scoreboard"] == 80
    assert result.stalls["wait"] == 18
    assert result.stalls["barrier"] == 0


def test_shares_sum_to_one(result: Result) -> None:
    assert sum(result.stall_shares.values()) == pytest.approx(1.0)
    assert result.stall_shares["long_scoreboard"] == pytest.approx(80 / 104)


def test_smsps_sum_to_the_sm(result: Result) -> None:
    assert [smsp["long_scoreboard"] for smsp in result.smsp_stalls] == [60, 20, 0, 0]


def test_instructions_carry_their_text_line_and_stalls(result: Result) -> None:
    ldg, ffma, leave = result.instruction_stalls
    assert (ldg.address, ffma.address, leave.address) == (0, 16, 32)
    assert ffma.text == "FFMA R9, R4, R5, R6"
    assert ffma.source is not None
    assert ffma.source.line == 4
    assert leave.source is None
    assert ffma.issued == 2
    assert ffma.stalls["long_scoreboard"] == 80
    assert ffma.warp_cycles == 82
    assert sum(row.warp_cycles for row in result.instruction_stalls) == result.warp_cycles


def test_metrics_have_ncus_names_and_meaning(result: Result) -> None:
    metrics = result.metrics
    assert metrics["sm__cycles_active.max"] == 100
    assert metrics["smsp__inst_executed.sum"] == metrics["smsp__issue_active.sum"] == 6
    assert metrics["smsp__warps_active.sum"] == 104
    assert metrics["smsp__warps_issue_stalled_selected.sum"] == 6
    assert metrics["smsp__warps_issue_stalled_long_scoreboard.sum"] == 80
    assert metrics["smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"] == pytest.approx(80 / 6)
    assert metrics["smsp__average_warp_latency_per_inst_issued.ratio"] == pytest.approx(104 / 6)
    assert metrics["smsp__inst_executed_pipe_fma.sum"] == 2
    assert metrics["smsp__thread_inst_executed.sum"] == 180
    assert metrics["smsp__thread_inst_executed_per_inst_executed.ratio"] == pytest.approx(30)
    assert metrics["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] == 8


def test_peaks_count_the_smsps_that_had_a_warp(result: Result) -> None:
    # 6 issues in 100 cycles of the two SMSPs that were active; 104 of 64 x 100 warp slots.
    assert result.metrics["smsp__issue_active.avg.pct_of_peak_sustained_active"] == pytest.approx(3.0)
    assert result.metrics["sm__warps_active.avg.pct_of_peak_sustained_active"] == pytest.approx(100 * 104 / 6400)


def test_pipe_counts_of_the_driver_win(result: Result) -> None:
    counts = replace(result.counts, memory={"smsp__inst_executed_pipe_fma.sum": 7})
    assert replace(result, counts=counts).metrics["smsp__inst_executed_pipe_fma.sum"] == 7


def test_to_dict_is_plain_and_complete(result: Result) -> None:
    document = json.loads(json.dumps(result.to_dict()))
    assert document["schema"] == SCHEMA
    assert document["launch"] == {"grid": [132, 1, 1], "block": [64, 1, 1], "dynamic_shared_bytes": 0}
    assert document["setting"]["overrides"] == {"pipes.fma.latency": 6}
    assert document["stalls"] == result.stalls
    assert document["metrics"] == result.metrics
    assert document["instruction_stalls"][1] == {
        "address": 16,
        "text": "FFMA R9, R4, R5, R6",
        "file": "/src/saxpy.cu",
        "line": 4,
        "issued": 2,
        "stalls": {"selected": 2, "long_scoreboard": 80},
    }
    assert document["instruction_stalls"][2]["file"] is None


def test_bottlenecks_are_found_when_they_are_asked_for(result: Result) -> None:
    assert result.bottlenecks == ()
    limited = replace(result, find_bottlenecks=lambda: (Bottleneck("l1_tags", 90, 88, "lines"),))
    assert limited.to_dict()["bottlenecks"] == [{"name": "l1_tags", "cycles": 90, "amount": 88, "unit": "lines"}]


def test_no_numpy_type_leaks(result: Result) -> None:
    values = [*result.stalls.values(), *result.metrics.values(), *result.stall_shares.values(), result.cycles]
    assert not any(isinstance(value, np.generic) for value in values)
