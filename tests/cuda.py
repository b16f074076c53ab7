"""Running CUDA C on the emulator in tests."""

from functools import cache
from typing import Any

from isa.emulator import emulate
from isa.launch import LaunchShape
from isa.module import Module, load_source
from isa.trace import Trace


@cache
def module_of(source: str) -> Module:
    """A compiled source, compiled once per test process."""
    return load_source(source, ("--std=c++17",))


def dims(value: int | tuple[int, ...]) -> tuple[int, int, int]:
    """A size as (x, y, z)."""
    x, y, z = (*((value,) if isinstance(value, int) else value), 1, 1)[:3]
    return x, y, z


def run(
    source: str,
    name: str,
    grid: int | tuple[int, ...],
    block: int | tuple[int, ...],
    *args: Any,
    shared: int = 0,
    **options: Any,
) -> Trace:
    """Launch a kernel of ``source``; arrays in ``args`` are changed as the kernel changes them."""
    program = module_of(source).program(name)
    return emulate(program, LaunchShape(dims(grid), dims(block), shared), args, **options)
