"""A generated program as a kernel of the catalogue, with its launches and their arguments."""

from functools import partial
from pathlib import Path

import numpy as np

from kernels.generated.declarations import BINS, data_words
from kernels.generated.program import Program, Shape
from kernels.generated.render import render
from kernels.kernel import Arguments, Kernel, Launch

# Arguments by index, as in ``render.render``.
DATA, BIN_COUNTS, OUT, CYCLES = 1, 2, 3, 5
DETERMINISTIC = (DATA, BIN_COUNTS, OUT)


def make_kernel(program: Program, name: str, family: str, description: str) -> Kernel:
    """The kernel; its outputs are the same in every right run, but no reference computes them."""
    return Kernel(
        name=name,
        family=family,
        source=Path(f"{name}.cu"),
        entry=name,
        description=description,
        launches=tuple(_launch(program, shape) for shape in program.shapes),
        cycles_argument=CYCLES,
        generate=partial(render, program, name),
    )


def _launch(program: Program, shape: Shape) -> Launch:
    threads = shape.blocks * shape.threads

    def make_args(rng: np.random.Generator) -> Arguments:
        return [
            rng.integers(0, 2**32, program.words, dtype=np.uint32),
            np.zeros(max(1, data_words(program) * threads), np.uint32),
            np.zeros(BINS, np.uint32),
            np.zeros(threads, np.uint32),
            np.zeros(threads, np.float32),
            np.zeros(threads // 32, np.int64),
            np.uint32(program.trips),
            rng.integers(0, 2**32, dtype=np.uint32),
            np.float32(rng.uniform(0.5, 1.0)),
        ]

    return Launch(
        shape.name,
        (shape.blocks, 1, 1),
        (shape.threads, 1, 1),
        make_args,
        reference=None,
        deterministic=DETERMINISTIC,
    )
