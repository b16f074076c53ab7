"""Reductions of all blocks at the same words: how many an SM is rid of before L2 has done them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, zeros

SOURCE = Path(__file__).with_name("adds.cu")
WORDS = 512
BLOCKS = 132
# Lanes at a word, lines: launches as threads, additions of each thread.
ADDS = {
    "word": (32, 1, ((32, 6), (32, 12), (32, 16), (32, 32), (256, 1), (256, 2))),
    "lanes": (8, 1, ((32, 16), (32, 32))),
    "line": (1, 1, ((32, 64), (32, 128), (256, 16))),
    "lines": (1, 4, ((32, 64), (32, 128))),
}
HISTOGRAMS = ((132, 256, 2048), (264, 512, 1024))  # blocks, threads, values of each block


def _adds(lanes: int, lines: int, threads: int, rounds: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [zeros(WORDS), np.int32(rounds)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        words = np.arange(32)[:, None] // lanes + np.arange(rounds) % lines * 128
        added = np.bincount(words.ravel(), minlength=WORDS) * (BLOCKS * threads // 32)
        return {0: Expected(added.astype(np.float32))}

    return linear(BLOCKS, threads, make_args, reference, f"n{rounds}")


def _histogram(blocks: int, threads: int, per_block: int) -> Launch:
    n = blocks * per_block

    def make_args(rng: np.random.Generator) -> Arguments:
        return [rng.integers(0, 1 << 16, n).astype(np.uint32), zeros(256, np.uint32), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        return {1: Expected(np.bincount(np.asarray(arguments[0]) & 255, minlength=256).astype(np.uint32))}

    return linear(blocks, threads, make_args, reference, f"n{n}")


KERNELS = (
    *(
        Kernel(
            name=f"add_{name}",
            family="adds",
            source=SOURCE,
            entry="adds",
            description=f"reductions of all blocks, {lanes} lanes at a word, {lines} lines in turn",
            launches=tuple(_adds(lanes, lines, *launch) for launch in launches),
            options=(f"-DLANES={lanes}", f"-DLINES={lines}"),
        )
        for name, (lanes, lines, launches) in ADDS.items()
    ),
    Kernel(
        name="histogram",
        family="adds",
        source=SOURCE,
        entry="histogram",
        description="counts of 256 values in shared memory, each block's added to those of all",
        launches=tuple(_histogram(*launch) for launch in HISTOGRAMS),
        options=("-DLANES=1", "-DLINES=1"),
    ),
)
