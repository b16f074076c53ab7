"""The decorators of every rule."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba

from isa.compiled import has_machine_code, keep_machine_code, source_digest

P = ParamSpec("P")
R = TypeVar("R")

_entries: list[Any] = []


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a rule with Numba on first use and keep the machine code on disk.

    Only other rules may call it: taking the arrays of a Model over from Python is half of the work of compiling a rule,
    so only an ``entry`` can. (``function`` itself stays as ``rule.py_func``.)
    """
    return _compile(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """A rule that Python calls: a driver, a test."""
    compiled = _compile(function, no_cfunc_wrapper=True)
    _entries.append(compiled)
    return compiled


def are_compiled() -> bool:
    """Whether the disk holds machine code for the rules imported so far; else the first simulation makes it."""
    return all(has_machine_code(compiled) for compiled in _entries)


def _compile(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    """No reference counting (``_nrt``): rules allocate nothing, and the arrays outlive every call."""
    jit: Any = numba.njit  # its annotations leave these options out
    compiled: Callable[P, R] = jit(_nrt=False, **options)(function)
    keep_machine_code(compiled, _digest())
    return compiled


@cache
def _digest() -> str:
    """Of all that the machine code of the rules depends on."""
    package = Path(__file__).parent.parent
    return source_digest([*package.glob("*.py"), *package.glob("rules/*.py"), *package.glob("engines/*.py")])
