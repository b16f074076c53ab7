"""Predictions beside measurements: the arithmetic, and what is refused."""

from dataclasses import replace
from io import StringIO

import msgspec
import numpy as np
import pytest
from rich.console import Console

from isa.launch import LaunchShape
from isa.program import Program
from smsim.counts import Counts
from smsim.reasons import REASON_NAMES, Reason
from smsim.result import Result, Setting
from validation.compare import STALLS, Comparison, Figures, compare, predicted_figures, summarise
from validation.expectations import (
    Verdict,
    judge,
    listed_deviations,
    load_expectations,
)
from validation.identity import code_sha256
from validation.measurement import Measurement, MeasurementError
from validation.tables import case_table, judgement_table, suite_table, summary_table

PROGRAM = Program(
    name="dot",
    instructions=(),
    num_regs=16,
    static_shared_bytes=0,
    local_bytes=0,
    num_barriers=0,
    max_threads=1024,
    parameters=(),
    parameter_base=0x210,
    constant_banks={0: b"\0"},
    symbols=(),
    relocations=(),
    arch="sm_90",
    cubin_hash="f" * 64,
)


def result(grid: int = 132, cache: str = "warm") -> Result:
    warp_cycles = np.zeros((4, 2, len(Reason)), np.int64)
    warp_cycles[:, :, Reason.SELECTED] = 10  # 80 in all
    warp_cycles[0, 0, Reason.WAIT] = 120
    setting = Setting("h100", {}, 2000.0, 64, cache, "auto", tuple(range(0, grid, 132)))
    launch = LaunchShape((grid, 1, 1), (256, 1, 1))
    return Result(PROGRAM, launch, setting, Counts(cycles=1100, warp_cycles=warp_cycles, thread_instructions=0))


def measurement(grid: int = 132, **changes) -> Measurement:
    counters = dict.fromkeys(STALLS.values(), (0, 0))
    counters[STALLS["selected"]] = (80 * grid, 80 * grid)
    counters[STALLS["wait"]] = (70 * grid, 90 * grid)
    counters[STALLS["barrier"]] = (40 * grid, 40 * grid)
    counters["sm__cycles_active.max"] = (990, 1010)
    counters["smsp__inst_executed.sum"] = (80 * grid, 80 * grid)
    counters["gpu__time_duration.sum"] = (500, 500)
    fields = {
        "launch": f"{grid}x256",
        "function": "dot",
        "grid": (grid, 1, 1),
        "block": (256, 1, 1),
        "dynamic_shared_bytes": 0,
        "seed": 0,
        "arguments_sha256": "",
        "cubin_sha256": "e" * 64,
        "code_sha256": code_sha256(PROGRAM),
        "measured_with": {},
        "status": "ok",
        "runs": ("warm", "warm"),
        "counters": counters,
    }
    return Measurement(**{**fields, **changes})


def compared(case: str = "dot/132x256", case_class: str = "dot") -> Comparison:
    return compare(case, case_class, result(), measurement())


def test_cycles_time_and_instructions():
    one = compared()
    assert one.cycles_error == pytest.approx(0.1)
    assert one.cycles_spread == pytest.approx(0.02)
    assert (one.predicted.time_us, one.measured.time_us) == (0.55, 0.5)
    assert one.instructions_exact
    assert one.predicted.instructions == 80 * 132


def test_shares_differences_and_distance():
    one = compared()
    assert one.predicted.shares["wait"] == pytest.approx(0.6)
    assert one.measured.shares["wait"] == pytest.approx(0.4)
    assert one.share_differences["wait"] == pytest.approx(20.0)
    assert one.share_differences["barrier"] == pytest.approx(-20.0)
    assert one.stall_distance == pytest.approx(0.2)


def test_a_prediction_is_scaled_from_sm_0_to_the_grid():
    figures = predicted_figures(result(grid=200))  # SM 0 runs blocks 0 and 132
    assert figures.stalls["wait"] == 120 * 100
    assert predicted_figures(result(grid=200), grid_instructions=7).instructions == 7


def test_json_has_both_sides():
    plain = compared().to_dict()
    assert plain["case"] == "dot/132x256"
    assert plain["class"] == "dot"
    assert plain["cache"] == "warm"
    assert set(plain["predicted"]["stalls"]) == set(plain["measured"]["stalls"]) == set(REASON_NAMES)
    assert plain["predicted"]["cycles"] == 1100


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code_sha256": "other"}, "of another cubin .recorded eeeeeeeeeeee, simulated ffffffffffff"),
        ({"block": (128, 1, 1)}, "is of launch"),
        ({"status": "wrong", "message": "argument 2 differs"}, "was wrong: argument 2 differs"),
        ({"counters": {}}, "no warm figure of sm__cycles_active.max"),
    ],
)
def test_what_cannot_be_compared_is_refused(changes, message):
    with pytest.raises(MeasurementError, match=message):
        compare("dot/132x256", "dot", result(), msgspec.structs.replace(measurement(), **changes))


def test_a_cache_mode_that_was_not_measured_is_refused():
    with pytest.raises(MeasurementError, match="no cold figure"):
        compare("dot/132x256", "dot", result(cache="cold"), measurement())


def with_error(error: float, case_class: str) -> Comparison:
    one = compared(f"k/{error}", case_class)
    return replace(one, predicted=replace(one.predicted, cycles=one.measured.cycles * (1.0 + error)))


def test_summary_by_class_and_of_all():
    comparisons = [with_error(error, "a") for error in (-0.1, 0.2, 0.3)] + [with_error(0.5, "b")]
    of_a, of_b, of_all = summarise(comparisons)
    assert (of_a.case_class, of_b.case_class, of_all.case_class) == ("a", "b", "all")
    assert of_a.cycles.mean == pytest.approx(0.2)
    assert of_a.cycles.median == pytest.approx(0.2)
    assert of_a.cycles.percentile_90 == pytest.approx(0.28)
    assert of_a.cycles.worst == pytest.approx(0.3)
    assert (of_all.cases, of_all.cycles.worst, of_all.instructions_exact) == (4, pytest.approx(0.5), 4)


def test_no_warp_cycles_are_no_shares():
    assert Figures(1.0, 1.0, 1.0, {"wait": 0.0}).shares == {"wait": 0.0}


EXPECTATIONS = """
tested = []
[tolerance.warm]
cycles = 0.05
stalls = 0.3
instructions = 0.0
[tolerance.cold]
cycles = 0.2
stalls = 0.3
instructions = 0.0
[[known_gap]]
number = 3
figure = "{figure}"
cases = ["{cases}"]
"""


@pytest.mark.parametrize(
    ("figure", "cases", "cycles", "stalls"),
    [
        ("cycles", "other/*", Verdict.BROKEN, Verdict.HELD),
        ("cycles", "dot/*", Verdict.KNOWN_GAP, Verdict.HELD),
        ("stalls", "dot/*", Verdict.BROKEN, Verdict.CLOSED_GAP),
    ],
)
def test_verdicts(tmp_path, figure, cases, cycles, stalls):
    path = tmp_path / "expectations.toml"
    path.write_text(EXPECTATIONS.format(figure=figure, cases=cases))
    judgements = {judgement.figure: judgement for judgement in judge(compared(), load_expectations(path))}
    assert judgements["cycles"].verdict is cycles
    assert judgements["stalls"].verdict is stalls
    assert judgements["instructions"].verdict is Verdict.HELD
    assert "off by 0.100, tolerance 0.050" in str(judgements["cycles"])


def test_a_bad_expectations_file_names_the_place(tmp_path):
    path = tmp_path / "expectations.toml"
    path.write_text(EXPECTATIONS.format(figure="speed", cases="*"))
    with pytest.raises(MeasurementError, match=r"Invalid enum value 'speed' - at `\$.known_gap\[0\].figure`"):
        load_expectations(path)


def test_every_known_gap_is_listed_in_deviations_and_the_other_way_round():
    numbers = {gap.number for gap in load_expectations().known_gap}
    listed = listed_deviations()
    assert listed == sorted(set(listed))
    assert numbers <= set(listed)


def rendered(table) -> str:
    console = Console(file=StringIO(), width=200)
    console.print(table)
    return console.file.getvalue()


def test_tables(tmp_path):
    one = compared()
    text = rendered(case_table(one))
    assert "+10.0% (runs: 2.00%)" in text
    assert "wait" in text
    assert "long_scoreboard" not in text  # neither side has any
    assert "barrier -20.0" in rendered(suite_table([one]))
    assert "all" in rendered(summary_table(summarise([one])))
    path = tmp_path / "expectations.toml"
    path.write_text(EXPECTATIONS.format(figure="cycles", cases="dot/*"))
    assert "as listed in DEVIATIONS.md" in rendered(judgement_table(judge(one, load_expectations(path))))
