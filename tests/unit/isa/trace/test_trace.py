"""What a trace holds, how compact it is, and its file."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from isa.errors import TraceError
from isa.trace import Trace
from isa.trace import file as trace_file
from isa.trace.history import accesses_of, accessing_instructions, count_executions, count_instructions, expand
from isa.trace.model import Space
from isa.trace.recorded import records_access
from tests.cuda import run

SOURCE = r"""
extern "C" __global__ void chain(float *out, float a, int n) {
    float x = threadIdx.x;
    #pragma unroll 1
    for (int i = 0; i < n; i++) x = x * a + 1.0f;
    out[threadIdx.x] = x;
}
extern "C" __global__ void nested(float *out, float a, int n, int m) {
    float x = threadIdx.x;
    #pragma unroll 1
    for (int i = 0; i < n; i++) {
        #pragma unroll 1
        for (int j = 0; j < m; j++) x = x * a + 1.0f;
        x = x + 2.0f;
    }
    out[threadIdx.x] = x;
}
extern "C" __global__ void stride(const int *x, int *out, int step) {
    __shared__ int s[64];
    s[threadIdx.x & 63] = x[threadIdx.x * step]; __syncthreads();
    if (threadIdx.x & 1) out[threadIdx.x] = s[63 - threadIdx.x & 63];
}
extern "C" __global__ void guards(int *out, int n) {
    int t = threadIdx.x;
    if (t < n) out[t] = t;
}
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    return run(SOURCE, "stride", 2, 64, np.arange(256, dtype=np.int32), np.zeros(64, np.int32), 2)


def test_a_long_loop_is_a_few_steps() -> None:
    trace = run(SOURCE, "chain", 4, 64, np.zeros(64, np.float32), 0.5, 100_000)
    assert len(trace.warps) == 8
    assert set(trace.warps["stream"].tolist()) == {0}
    assert len(trace.steps) <= 4
    assert len(trace.runs) <= 10
    assert (count_instructions(trace) > 300_000).all()


def test_a_loop_of_loops_is_a_few_steps() -> None:
    trace = run(SOURCE, "nested", 1, 32, np.zeros(32, np.float32), 0.5, 300, 50)
    assert len(trace.steps) <= 8
    indices, _ = expand(trace, 0)
    opcodes = [instruction.opcode for instruction in trace.program.instructions]
    executed = [opcodes[index] for index in indices]
    assert executed.count("FFMA") == 300 * 50
    assert executed.count("FADD") == 300
    assert count_instructions(trace).tolist() == [len(indices)]


def test_guard_false_in_every_lane_is_a_run_of_mask_zero() -> None:
    trace = run(SOURCE, "guards", 1, 96, np.zeros(96, np.int32), 40)
    masks = [dict(zip(*map(np.ndarray.tolist, expand(trace, warp)), strict=True)) for warp in range(3)]
    exits = [i.index for i in trace.program.instructions if i.opcode == "EXIT" and i.guard is not None]
    assert len(exits) == 1
    # The exit that leaves no thread out is skipped by the warp in which all go on.
    assert [m[exits[0]] for m in masks] == [0, 0xFFFFFFFF, 0xFFFFFFFF]
    stores = [i.index for i in trace.program.instructions if i.opcode == "STG"]
    assert [m.get(stores[0]) for m in masks] == [0xFFFFFFFF, 0xFF, None]


def test_accesses_match_the_instructions_that_make_them(trace: Trace) -> None:
    for warp in range(len(trace.warps)):
        indices, masks = expand(trace, warp)
        making = [
            trace.program.instructions[index]
            for index, mask in zip(indices, masks, strict=True)
            if mask and records_access(trace.program.instructions[index])
        ]
        accesses = accesses_of(trace, warp)
        assert len(accesses) == len(making)
        spaces = {
            "LDG": Space.GLOBAL,
            "STG": Space.GLOBAL,
            "LDS": Space.SHARED,
            "STS": Space.SHARED,
            "BAR": Space.BARRIER,
        }
        assert [spaces[i.opcode] for i in making] == trace.shapes["space"][accesses["shape"]].tolist()


def test_addresses(trace: Trace) -> None:
    load, store, barrier, *_, last = accesses_of(trace, 1)
    shape = trace.shapes[load["shape"]]
    assert shape["width"] == 4
    assert shape["mask"] == 0xFFFFFFFF
    assert shape["offsets"].tolist() == [8 * lane for lane in range(32)]
    assert load["base"] % 512 == 32 * 8
    # The first kilobyte of shared memory is reserved.
    assert store["base"] == 1024 + 32 * 4
    assert barrier["base"] == 2 << 16
    final = trace.shapes[last["shape"]]
    assert final["mask"] == 0xAAAAAAAA
    assert final["offsets"][3] == 8
    # Accesses that look alike share a shape.
    assert accesses_of(trace, 0)["shape"].tolist() == accesses_of(trace, 3)["shape"].tolist()


def test_save_and_load(trace: Trace, tmp_path: Path) -> None:
    path = tmp_path / "stride.trace"
    trace.save(path)
    loaded = Trace.load(str(path))
    for field in fields(Trace):
        saved, read = getattr(trace, field.name), getattr(loaded, field.name)
        if isinstance(saved, np.ndarray):
            assert saved.dtype == read.dtype
            assert (saved == read).all()
        else:
            assert saved == read
    assert list(tmp_path.iterdir()) == [path]


def test_damaged_files(trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.trace"
    trace.save(path)
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], whole[:300] + b"?" + whole[301:], whole + b"more"):
        path.write_bytes(damaged)
        with pytest.raises(TraceError, match=r"x\.trace is damaged"):
            Trace.load(path)
    for other in (b"", b"PK\3\4", b"x" * 1000):
        path.write_bytes(other)
        with pytest.raises(TraceError, match="is not a trace"):
            Trace.load(path)
    monkeypatch.setattr(trace_file, "VERSION", trace_file.VERSION + 1)
    path.write_bytes(whole)
    with pytest.raises(TraceError, match=r"of format 3; this smsim reads format 4: trace it again"):
        Trace.load(path)


def test_files_that_cannot_be_opened(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"cannot read trace .*absent\.trace: No such file"):
        Trace.load(tmp_path / "absent.trace")
    with pytest.raises(TraceError, match=r"cannot write trace .*: No such file"):
        trace.save(tmp_path / "absent" / "x.trace")


@pytest.mark.parametrize("kernel", ["stride", "guards"])
def test_executions_and_accessing_instructions_are_those_of_the_warps(kernel: str) -> None:
    numbers = [np.arange(256, dtype=np.int32)] if kernel == "stride" else []
    trace = run(SOURCE, kernel, 3, 64, *numbers, np.zeros(64, np.int32), 2)
    executed = np.zeros(len(trace.program.instructions), np.int64)
    for warp, row in enumerate(trace.warps):
        indices, masks = expand(trace, warp)
        np.add.at(executed, indices[masks != 0], 1)
        records = [i for i in indices[masks != 0] if records_access(trace.program.instructions[i])]
        assert accessing_instructions(trace, row["stream"]).tolist() == records
        assert len(records) == row["num_accesses"]
    assert count_executions(trace).tolist() == executed.tolist()
