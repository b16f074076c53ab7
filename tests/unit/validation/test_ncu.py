"""What ncu is asked, and reading what it answers."""

from pathlib import Path

from validation.measure_on_gpu import ncu
from validation.measure_on_gpu.job import Case
from validation.measure_on_gpu.session import matches

# Shortened from what ncu 2025.3.1 wrote on an H100: it has some 450 columns, most of them of the device.
ANSWER = """\
==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, results may be inconsistent.
==PROF== Connected to process 4242 (/usr/bin/python3.12)
==PROF== Disconnected from process 4242
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"device__attribute_clock_rate","dram__bytes_read.sum","gpu__time_duration.max","gpu__time_duration.sum",\
"launch__shared_mem_config_size","profiler__replayer_passes","sm__cycles_active.avg","smsp__inst_executed.sum"
"","","","","","","","","","","","","byte","ns","ns","byte","pass","cycle","inst"
"0","4242","python3.12","127.0.0.1","dot_ilp4","1","7","(256, 1, 1)","(132, 1, 1)","0","9.0",\
"1,980,000","1,048,576","4,736","4,736","32,768","13","1,203.45","51,200"
"1","4242","python3.12","127.0.0.1","_Z5saxpyPfS_f","1","7","(16, 16, 1)","(8, 4, 1)","0","9.0",\
"1,980,000","0","3,008","3,008","32,768","13","nan","n/a"
"""
METRICS = [
    "dram__bytes_read.sum",
    "gpu__time_duration.sum",
    "launch__shared_mem_config_size",
    "sm__cycles_active.avg",
    "smsp__inst_executed.sum",
]

QUERY = """\
Device NVIDIA H100 80GB HBM3 (GH100)
--------------------------------------- ----------- ------------ ----------------------------------
Metric Name                             Metric Type Metric Unit  Metric Description
--------------------------------------- ----------- ------------ ----------------------------------
dram__bytes_read                        Counter     byte         # of bytes read from DRAM
smsp__inst_executed                     Counter     inst         # of warp instructions executed
smsp__inst_executed_pipe_fma            Counter     inst         # of warp instructions executed by fma pipe
"""


def test_reads_every_launch_in_order():
    first, second = ncu.parse(ANSWER, METRICS)
    assert (first.kernel, first.grid, first.block) == ("dot_ilp4", "(132, 1, 1)", "(256, 1, 1)")
    assert first.counters == {
        "dram__bytes_read.sum": 1048576,
        "gpu__time_duration.sum": 4736,
        "launch__shared_mem_config_size": 32768,
        "sm__cycles_active.avg": 1203.45,
        "smsp__inst_executed.sum": 51200,
    }
    assert second.kernel == "_Z5saxpyPfS_f"
    assert second.counters["sm__cycles_active.avg"] is None
    assert second.counters["smsp__inst_executed.sum"] is None


def test_an_answer_without_a_table_has_no_launches():
    assert ncu.parse("==PROF== Connected to process 1\n==WARNING== No kernels were profiled.\n", METRICS) == []


def test_a_row_that_was_cut_off_is_left_out():
    assert len(ncu.parse(ANSWER[: ANSWER.index('"3,008","3,008"')], METRICS)) == 1


def test_known_metrics_are_the_first_words_of_the_table():
    assert ncu.known_metrics(QUERY) == {
        "dram__bytes_read",
        "smsp__inst_executed",
        "smsp__inst_executed_pipe_fma",
    }


def test_every_stall_reason_is_asked_for():
    from smsim.reasons import REASON_NAMES  # noqa: PLC0415

    wanted = ncu.wanted_metrics()
    assert {f"smsp__warps_issue_stalled_{reason}.sum" for reason in REASON_NAMES} <= set(wanted)
    assert len(wanted) == len(set(wanted))


def test_only_cold_flushes_the_caches():
    files = Path("profile.ncu-rep"), Path("log")
    warm, cold = (ncu.profile_command("ncu", cache, ["a.sum"], *files) for cache in ("warm", "cold"))
    assert warm[warm.index("--cache-control") + 1] == "none"
    assert cold[cold.index("--cache-control") + 1] == "all"
    assert warm[warm.index("--clock-control") + 1] == "none"
    assert warm[warm.index("--export") + 1] == "profile"
    assert warm[-2:] == ["--metrics", "a.sum"]


def test_a_refusal_is_explained():
    refusal = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
    assert "may not read the GPU's performance counters" in ncu.explain(refusal)
    assert ncu.explain("==PROF== x\n==ERROR== Something new\n") == "==ERROR== Something new"


def test_a_row_belongs_to_a_case_of_the_same_kernel_and_launch():
    case = Case(
        case="dot_ilp4/132x256",
        kernel="dot_ilp4",
        launch="132x256",
        case_class="dot",
        function="dot_ilp4",
        cubin_sha256="",
        code_sha256="",
        grid=(132, 1, 1),
        block=(256, 1, 1),
        dynamic_shared_bytes=0,
        seed=0,
        arguments_sha256="",
    )
    first, second = ncu.parse(ANSWER, METRICS)
    assert matches(first, case)
    assert not matches(second, case)
