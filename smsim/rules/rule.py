"""The decorators of every rule."""

from collections.abc import Callable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba

import isa.compiled
from isa.compiled import keep_machine_code, source_digest
from smsim.model import Model
from smsim.rules.compiler import RuleCompiler
from smsim.rules.model_type import type_of

P = ParamSpec("P")
R = TypeVar("R")


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a rule with Numba on first use and keep the machine code on disk.

    Only other rules may call it: what Python calls is an ``entry``. (``function`` itself stays as ``rule.py_func``.)
    It is inlined wherever another calls it: most are smaller than a call.
    """
    return _compile(function, no_cpython_wrapper=True, forceinline=True)


def apart(function: Callable[P, R]) -> Callable[P, R]:
    """A rule that stays a function of its own: a long one that several call, or one of what happens seldom."""
    return _compile(function, no_cpython_wrapper=True, forceinline=False)


def entry(function: Callable[P, R]) -> Callable[P, R]:
    """A rule that Python calls: a driver, a test."""
    return _compile(function)


def machine_code(compiled: Any, model: Model, numbers: int) -> Callable[..., Any]:
    """An entry for models like this one, with so many whole numbers behind the model.

    It leaves out what Numba's dispatcher does at every call: to find out the types of all arguments.
    """
    signature = (type_of(model), *[numba.types.int64] * numbers)
    compiled.compile(signature)
    entry_point: Callable[..., Any] = compiled.overloads[signature].entry_point
    return entry_point


def _compile(function: Callable[P, R], **options: Any) -> Callable[P, R]:
    """How every rule is compiled.

    No reference counting (``_nrt``): rules allocate nothing, and the arrays outlive every call. No check for a division
    by 0, or for an index that counts from the end.
    """
    jit: Any = numba.njit  # its annotations leave these options out
    options |= {"_nrt": False, "no_cfunc_wrapper": True, "error_model": "numpy"}
    options |= {"pipeline_class": RuleCompiler}
    compiled: Callable[P, R] = jit(**options)(function)
    keep_machine_code(compiled, _digest())
    return compiled


@cache
def _digest() -> str:
    """Of all that the machine code of the rules depends on."""
    package = Path(__file__).parent.parent
    files = chain.from_iterable(
        package.glob(f"{folder}*.py") for folder in ("", "description/", "state/", "rules/", "engines/")
    )
    return source_digest([Path(isa.compiled.__file__), *files])
