"""Histories and traces survive compression and files."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from isa.launch import LaunchShape
from isa.module import load_source
from isa.trace import Trace
from isa.trace.build import build
from isa.trace.compress import MAX_PATTERN, History
from isa.trace.history import count_instructions, expand
from isa.trace.recorder import Cohort, Recorder

PROGRAM = load_source('extern "C" __global__ void k(int *x) { x[0] = x[1] * x[2]; }').program("k")

# Sequences with loops in them: a few symbols, repeated, concatenated, and repeated again.
symbols = st.lists(st.integers(0, 4), min_size=1, max_size=6)
sequences = st.recursive(
    symbols,
    lambda inner: (
        st.builds(lambda part, times: part * times, inner, st.integers(1, 9))
        | st.builds(lambda a, b: a + b, inner, inner)
    ),
    max_leaves=12,
)


def replay(history: History) -> list[int]:
    return [symbol for pattern, repeats in history.steps() for _ in range(repeats) for symbol in pattern]


@given(sequences)
def test_a_history_is_what_was_appended(sequence: list[int]) -> None:
    history = History()
    for symbol in sequence:
        history.append(symbol)
    assert replay(history) == sequence


@given(sequences, sequences, sequences)
def test_copies_go_their_own_ways(common: list[int], first: list[int], second: list[int]) -> None:
    history = History()
    for symbol in common:
        history.append(symbol)
    copy = history.copy()
    for symbol in first:
        history.append(symbol)
    for symbol in second:
        copy.append(symbol)
    assert replay(history) == common + first
    assert replay(copy) == common + second


@settings(deadline=None)
@example([1, 3, 4, 1, 4, 3], 6514)  # each symbol comes twice
@given(symbols, st.integers(2, 10**4))
def test_a_loop_is_folded(pattern: list[int], times: int) -> None:
    history = History()
    for symbol in pattern * times:
        history.append(symbol)
    steps = history.steps()
    assert len(steps) <= 8
    assert all(len(pattern) <= MAX_PATTERN for pattern, _ in steps)


runs = st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(0, 2**32 - 1))
histories = st.lists(st.tuples(st.lists(runs, min_size=1, max_size=4), st.integers(1, 30)), max_size=6)


@settings(deadline=None)
@given(st.lists(histories, min_size=2, max_size=4))
def test_traces_survive_a_file(warps: list[list[tuple[list[tuple[int, int, int]], int]]]) -> None:
    recorder = Recorder()
    expected = []
    for warp in warps:
        recorder.cohorts.append(Cohort(History(), 1))
        executed = [run for part, times in warp for _ in range(times) for run in part]
        for run in executed:
            recorder.cohorts[-1].history.append(recorder.run_id(*run))
        expected.append([(start + i, mask) for start, length, mask in executed for i in range(length)])
    recorder.end_batch()
    launch = LaunchShape((1, 1, 1), (32 * len(warps), 1, 1))
    trace = build(PROGRAM, launch, np.zeros(1, np.int64), recorder, [(4096, 512)])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "random.trace"
        trace.save(path)
        loaded = Trace.load(path)
    assert loaded.allocations.tolist() == trace.allocations.tolist()
    for warp, instructions in enumerate(expected):
        indices, masks = expand(loaded, warp)
        assert list(zip(indices.tolist(), masks.tolist(), strict=True)) == instructions
    assert count_instructions(loaded).tolist() == [len(instructions) for instructions in expected]
