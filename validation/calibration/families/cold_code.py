"""Code that neither a cache of code nor L2 holds: a launch's first pass beyond the lines that a launch brings.

Only a program's first launch makes one, behind other data in L2; so there are several copies of the program.
"""

from collections.abc import Iterator

from ..program import LINE, Experiment, clock, smsp_warps
from ..sass import Instruction, op
from .operations import setup

FIRST, CLOCKS = 8, 54  # a clock at the start of each of so many lines
BROUGHT = 512  # lines that a launch brings
BEFORE = 16  # of these lie behind the program's first clock, its prologue's lines among them
COPIES = 8


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    region: list[Instruction] = [op("NOP")] * (LINE * (BROUGHT - BEFORE))
    for register in range(FIRST, FIRST + CLOCKS):
        region += [clock(register), *[op("NOP")] * (LINE - 1)]
    for copy in range(COPIES):
        yield Experiment(
            f"cold_code/straight, copy {copy}",
            region,
            range(FIRST, FIRST + CLOCKS),
            setup(),
            (smsp_warps(1, flush=True),),
            iterations=1,
            kind="first",
        )
