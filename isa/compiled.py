"""Functions that Numba compiles, with machine code on disk that notices every change of the source.

Numba itself looks only at the file of the function: what the function calls, or a constant that it imports, may change
behind its back.
"""

import glob
import hashlib
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
from llvmlite import binding as llvm
from numba.core import caching

P = ParamSpec("P")
R = TypeVar("R")


def compiled(signature: Any, digest: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compile a function for one signature, now or from the machine code on disk.

    Args:
        signature: its types, as Numba writes them, or Numba's own.
        digest: of the sources that it depends on besides itself, for functions outside isa.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        dispatcher: Any = numba.njit(function)
        keep_machine_code(dispatcher, digest or isa_digest())
        dispatcher.compile(signature)
        dispatcher.disable_compile()
        result: Callable[P, R] = dispatcher
        return result

    return decorate


class _Stored(caching.CompileResultCacheImpl):
    """What is kept of a function: its machine code, if any, and for functions that inline it its LLVM code, compressed.

    Numba itself reads the LLVM code whenever it loads a function, which takes longer than all else, and much memory.
    """

    def reduce(self, cres: Any) -> tuple[Any, ...]:
        """What to write for a compiled function."""
        (name, kind, (machine_code, llvm_code)), *rest, environments = super().reduce(cres)  # type: ignore[no-untyped-call]
        kept = zlib.compress(llvm_code, 1)
        if machine_code:
            return kept, (name, kind, (machine_code, _stub(cres, _entries(cres)))), *rest, environments
        # It must not define itself, where it has no machine code: what calls it brings that along under its name.
        return kept, (name, "bitcode", _stub(cres, [])), *rest, ()  # what it refers to, its caller refers to as well

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> Any:
        """The compiled function again; its LLVM code is read when it is asked for."""
        llvm_code, *rest = payload
        cres: Any = super().rebuild(target_context, tuple(rest))  # type: ignore[no-untyped-call]
        cres.library._get_module_for_linking = cache(lambda: llvm.parse_bitcode(zlib.decompress(llvm_code)))
        return cres


def _entries(cres: Any) -> list[str]:
    """The functions in the machine code that Numba asks for by name."""
    wanted = (cres.fndesc.llvm_func_name, cres.fndesc.llvm_cpython_wrapper_name, cres.fndesc.llvm_cfunc_wrapper_name)
    module = cres.library._get_module_for_linking()
    return [each.name for each in module.functions if each.name in wanted and not each.is_declaration]


def _stub(cres: Any, entries: list[str]) -> bytes:
    """LLVM code that tells Numba which entries the machine code has."""
    lines = [f'@"{cres.fndesc.env_name}" = common global ptr null']
    lines += [f'define void @"{name}"() {{ ret void }}' for name in entries]
    stub: Any = llvm.parse_assembly("\n".join(lines))
    return bytes(stub.as_bitcode())


class _CacheFile(caching.IndexDataCacheFile):
    """The index and the files of one function, which processes that compile at once may share.

    Numba numbers the files, and writes the index first: another process then finds there the machine code of sources
    that have changed since, or of other types. Here a file is named for its sources and types, and the index comes
    last.
    """

    def __init__(self, implementation: Any, digest: str) -> None:
        locator = implementation.locator
        super().__init__(  # type: ignore[no-untyped-call]
            cache_path=locator.get_cache_path(),
            filename_base=implementation.filename_base,
            source_stamp=locator.get_source_stamp(),
        )
        # Numba reads no more of an index of another version: that of other sources may name types that there are no
        # more.
        self._version = f"{self._version} {digest}"
        self._base = implementation.filename_base
        self._of_sources = f"{self._base}.{_short(digest)}-"

    def save(self, key: Any, data: Any) -> None:
        """Write the machine code for one set of types, then the index that names it, and remove that of old sources."""
        name = f"{self._of_sources}{_short(repr(key))}.nbc"
        self._save_data(name, data)  # type: ignore[no-untyped-call]
        self._save_index(self._load_index() | {key: name})  # type: ignore[no-untyped-call]
        for file in Path(self._cache_path).glob(f"{glob.escape(self._base)}.*.nbc"):
            if not file.name.startswith(self._of_sources):
                file.unlink(missing_ok=True)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _FunctionCache(caching.FunctionCache):
    _impl_class = _Stored

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        self._cache_file = _CacheFile(self._impl, digest)


def keep_machine_code(dispatcher: Any, digest: str) -> None:
    """Keep what Numba compiles for ``dispatcher`` on disk, and use it as long as ``digest`` is the same.

    Where no folder for it is writable, every process compiles anew.
    """
    try:
        dispatcher._cache = _FunctionCache(dispatcher.py_func, digest)
    except RuntimeError:
        return


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
