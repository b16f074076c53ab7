"""Compiled catalogue kernels, each compiled once per test process."""

from functools import cache

import kernels
from isa.module import load_source
from isa.program import Program


@cache
def program_of(name: str) -> Program:
    """A kernel of the catalogue, compiled."""
    kernel = kernels.get(name)
    return load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry)
