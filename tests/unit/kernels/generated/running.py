"""Compiling and emulating generated programs in tests."""

from functools import cache

import numpy as np

from isa.emulator import emulate
from isa.launch import LaunchShape
from isa.module import load_source
from isa.program import Program as Compiled
from kernels.generated.launches import BIN_COUNTS, DATA, OUT, make_kernel
from kernels.generated.program import Body, Program, Shape, used_variables
from kernels.generated.render import render
from kernels.kernel import Arguments, Launch


@cache
def compiled(program: Program) -> Compiled:
    return load_source(render(program, "program"), name="program.cu").program("program")


def first_launch(program: Program) -> Launch:
    return make_kernel(program, "program", "random", "a test's").default


def run(program: Program) -> Arguments:
    """The arguments as the whole first launch leaves them."""
    launch = first_launch(program)
    arguments = launch.arguments()
    emulate(compiled(program), LaunchShape(launch.grid, launch.block), arguments)
    return arguments


def outputs(program: Program) -> list[bytes]:
    """What must be the same in every run."""
    arguments = run(program)
    return [np.asarray(arguments[index]).tobytes() for index in (DATA, BIN_COUNTS, OUT)]


def written(body: Body, *, trips: int = 1, threads: int = 64) -> Program:
    """A program with that body, of a single block."""
    return Program(body, used_variables(body), trips, 1, 0, 256, (Shape(1, threads),))
