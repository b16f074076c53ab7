import numpy as np
import pytest

from isa.emulator import emulate
from isa.errors import TraceError
from isa.launch import LaunchShape
from isa.module import load_source
from isa.trace import Trace
from isa.trace.select import select

CODE = """
extern "C" __global__ void work(int* out) {
  int sum = 0;
  for (int i = 0; i <= blockIdx.x; ++i) sum += clock();
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
"""


@pytest.fixture(scope="module")
def trace() -> Trace:
    program = load_source(CODE).program("work")
    return emulate(program, LaunchShape((6, 1, 1), (64, 1, 1)), [np.zeros(6 * 64, np.int32)])


def instructions_of(trace: Trace, block: int) -> list[int]:
    """Instructions executed by each warp of a block."""
    counts = []
    for warp in trace.warps[trace.blocks[trace.warps["block"]] == block]:
        steps = trace.steps[trace.stream_offsets[warp["stream"]] : trace.stream_offsets[warp["stream"] + 1]]
        lengths = [
            trace.runs["length"][trace.pattern_offsets[step] : trace.pattern_offsets[step + 1]].sum()
            for step in steps["pattern"]
        ]
        counts.append(int((steps["repeats"] * lengths).sum()))
    return counts


def test_the_blocks_chosen_keep_their_warps(trace: Trace) -> None:
    chosen = select(trace, [4, 1])
    assert chosen.blocks.tolist() == [1, 4]
    assert len(chosen.warps) == 4
    for block in (1, 4):
        assert instructions_of(chosen, block) == instructions_of(trace, block)
    assert instructions_of(trace, 4) != instructions_of(trace, 1)


def test_the_whole_trace_is_itself(trace: Trace) -> None:
    assert select(trace, range(6)) is trace


def test_the_trace_selected_from_is_left_alone(trace: Trace) -> None:
    before = trace.warps.copy()
    select(trace, [5])
    assert (trace.warps == before).all()


def test_a_block_that_was_not_traced_is_named(trace: Trace) -> None:
    with pytest.raises(TraceError, match=r"work lacks block 6 \(2 of the 3 blocks that the SM runs\)"):
        select(trace, [0, 6, 7])
