"""The decorator of every rule."""

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def rule(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a rule with Numba on first use and keep the machine code on disk.

    No reference counting (``_nrt``): rules allocate nothing, and the arrays outlive every call.
    """
    options: dict[str, Any] = {"cache": True, "_nrt": False}  # numba's annotations leave _nrt out
    compiled: Callable[P, R] = numba.njit(**options)(function)
    # Numba looks only at the file of the function itself; a rule must be compiled anew when one that it calls changes.
    cached = getattr(compiled, "_cache", None)
    if cached is not None:
        cached._cache_file._source_stamp = _stamp()
    return compiled


@cache
def _stamp() -> str:
    """A digest of all that the machine code of the rules depends on."""
    digest = hashlib.sha256()
    package = Path(__file__).parent.parent
    for path in sorted([*package.glob("*.py"), *package.glob("rules/*.py")]):
        digest.update(path.read_bytes())
    return digest.hexdigest()
