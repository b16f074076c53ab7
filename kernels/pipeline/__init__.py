"""Four instructions of which one fills a gap of the others' chain, with one and with two warps on an SMSP."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernels.kernel import Argument, Arguments, Expected, Kernel, Launch
from kernels.launching import zeros

GROUPS = 32  # per loop iteration, as in pipeline.cu
ITERATIONS = 32
SOURCE = Path(__file__).with_name("pipeline.cu")


def _launch(name: str, threads: int) -> Launch:
    def make_args(rng: np.random.Generator) -> Arguments:
        r1, r4, r7 = rng.uniform((0.001, 0.1, 0.1), (0.01, 0.5, 0.25)).astype(np.float32)
        return [zeros(2 * threads), zeros(-(-threads // 32), np.int64), r1, r4, r7, np.int32(ITERATIONS)]

    def reference(arguments: Sequence[Argument]) -> dict[int, Expected]:
        _, _, r1, r4, r7, iterations = (np.asarray(argument) for argument in arguments)
        thread = np.arange(threads)
        r0 = thread.astype(np.float32) * r1
        for _ in range(int(iterations) * GROUPS):
            r2 = r0 * r1
            r5 = r0 + r4
            r0, r1 = (r2 + r1) * r7, r5
        works = thread // 32 % 4 == 0
        return {0: Expected(np.concatenate([np.where(works, r0, 0), np.where(works, r1, 0)]).astype(np.float32))}

    return Launch(name, (1, 1, 1), (threads, 1, 1), make_args, reference)


KERNELS = (
    Kernel(
        name="pipeline",
        family="pipeline",
        source=SOURCE,
        entry="pipeline",
        description="four instructions, three of them a chain; one warp, or two on the same SMSP",
        launches=(_launch("one_warp", 32), _launch("two_warps", 160)),
        cycles_argument=1,
    ),
)
