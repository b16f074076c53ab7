"""Functions that Numba compiles, with machine code on disk that notices every change of the source.

Numba itself looks only at the file of the function: what the function calls, or a constant that it imports, may change
behind its back.
"""

import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function of isa for one signature, now or from the machine code on disk."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        dispatcher: Any = numba.njit(function)
        keep_machine_code(dispatcher, isa_digest())
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        result: Callable[P, R] = dispatcher
        return result

    return decorate


def keep_machine_code(dispatcher: Any, digest: str) -> None:
    """Keep what Numba compiles for ``dispatcher`` on disk, and use it as long as ``digest`` is the same.

    Where no folder for it is writable, every process compiles anew.
    """
    try:
        dispatcher.enable_caching()
    except RuntimeError:
        return
    _cache_file(dispatcher)._source_stamp = digest


def has_machine_code(dispatcher: Any) -> bool:
    """Whether the disk holds machine code for ``dispatcher`` as its source is now."""
    file = _cache_file(dispatcher)
    return file is not None and bool(file._load_index())


def source_digest(paths: Iterable[Path]) -> str:
    """A digest of the contents of files."""
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _cache_file(dispatcher: Any) -> Any:
    """Numba's cache of one function; a dispatcher without one has no file."""
    return getattr(dispatcher._cache, "_cache_file", None)


@cache
def isa_digest() -> str:
    """Of all the sources of isa."""
    return source_digest(Path(__file__).parent.rglob("*.py"))
