"""Tiles through shared memory by asynchronous copies, with one to four of them on their way."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import linear, uniform, zeros
from kernels.reference import sum_in_order

SOURCE = Path(__file__).with_name("async_copy.cu")
SHAPES = ((1, 32, 64), (1, 128, 32), (1, 512, 32), (132, 256, 32))  # blocks, threads, tiles
VARIANTS = ((1, 4), (2, 4), (4, 4), (2, 1))  # stages, words


def _launch(words: int, blocks: int, threads: int, tiles: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        return [uniform(rng, blocks * tiles * threads * words), zeros(blocks * threads), np.int32(tiles)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        read = np.asarray(arguments[0]).reshape(blocks, tiles, threads, words)[:, :, ::-1]
        terms = read.transpose(1, 3, 0, 2).reshape(tiles * words, blocks * threads)
        return {1: Expected(sum_in_order(terms))}

    return linear(blocks, threads, make_args, reference, f"n{tiles}")


KERNELS = tuple(
    Kernel(
        name=f"async_copy_{'words' if words == 1 else 'vectors'}{stages}",
        family="async_copy",
        source=SOURCE,
        entry="async_copy",
        description=f"sum of tiles copied asynchronously, {words} words a thread, {stages} of them on their way",
        launches=tuple(_launch(words, *shape) for shape in SHAPES),
        options=(f"-DSTAGES={stages}", f"-DWORDS={words}"),
    )
    for stages, words in VARIANTS
)
