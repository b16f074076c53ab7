"""Fences: stores that others are to see, within the block and within the GPU, and a sum whose last block ends it."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, whole, zeros

SOURCE = Path(__file__).with_name("fence.cu")
SUMS = ((8, 128, 32), (132, 256, 16))  # blocks, threads, elements per thread
STORES = ((1, 32, 32), (1, 256, 16), (1, 1024, 8))  # blocks, threads, rounds


def _sum(blocks: int, threads: int, per_thread: int) -> Launch:
    n = blocks * threads * per_thread

    def make_args(rng: np.random.Generator) -> Arguments:
        return [whole(rng, n), zeros(blocks), zeros(1, np.uint32), zeros(1), np.int32(n)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        values = np.asarray(arguments[0])
        partial = values.reshape(per_thread, blocks, threads).sum(axis=(0, 2))
        return {1: Expected(partial), 2: Expected(np.zeros(1, np.uint32)), 3: Expected(values.sum(keepdims=True))}

    return linear(blocks, threads, make_args, reference, f"n{n}")


def _stores(blocks: int, threads: int, rounds: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [zeros(blocks * threads), np.float32(rng.uniform(1, 2)), np.int32(rounds)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        last = np.float32(arguments[1]) * np.float32(0.5) ** (rounds - 1)
        return {0: Expected(np.full(blocks * threads, last, np.float32))}

    return linear(blocks, threads, make_args, reference, f"n{rounds}")


KERNELS = (
    Kernel(
        name="last_block_sum",
        family="fence",
        source=SOURCE,
        entry="last_block_sum",
        description="sum in one pass: each block leaves its part behind a fence, the last adds them up",
        launches=tuple(_sum(*shape) for shape in SUMS),
        options=("-DFENCE=__threadfence",),
    ),
    *(
        Kernel(
            name=f"fenced_stores_{name}",
            family="fence",
            source=SOURCE,
            entry="fenced_stores",
            description=f"stores, each followed by a fence within the {where}",
            launches=tuple(_stores(*shape) for shape in STORES),
            options=(f"-DFENCE={call}",),
        )
        for name, where, call in (("block", "block", "__threadfence_block"), ("gpu", "GPU", "__threadfence"))
    ),
)
