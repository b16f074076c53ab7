"""Compiling a scalar function into a NumPy ufunc, with its machine code on disk."""

import hashlib
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numba
from numba.core import compiler_lock, sigutils
from numba.core.registry import cpu_target
from numba.np.numpy_support import as_dtype
from numba.np.ufunc import ufuncbuilder, wrappers
from numba.np.ufunc._internal import fromfunc

from isa.cache import remembered
from isa.compiled import isa_digest

Ufunc = Callable[..., Any]

# Not typed.
_compiler_lock: Any = compiler_lock.global_compiler_lock
_normalize: Any = sigutils.normalize_signature
_njit: Any = numba.njit
_build_loop: Any = wrappers.build_ufunc_wrapper
_no_identity: Any = ufuncbuilder.parse_identity(None)  # type: ignore[no-untyped-call]


def compile_ufunc(signature: str, function: Callable[..., Any]) -> Ufunc:
    """The ufunc of ``function`` for one signature, compiled now or taken from the machine code on disk.

    Numba's own ``vectorize`` keeps the scalar function on disk, but not the loop around it, which takes ten times as
    long to compile. What ``function`` takes from around it are numbers, strings and functions of isa.
    """
    around = inspect.getclosurevars(function).nonlocals.values()
    codegen = cpu_target.target_context.codegen()
    named = [getattr(each, "__qualname__", repr(each)) for each in around]
    what = (numba.__version__, codegen.magic_tuple(), isa_digest(), function.__qualname__, named, signature)
    key = repr(what).encode()
    # The machine code's symbols are named after it; those of two processes must not be taken for each other.
    function.__qualname__ += hashlib.sha256(key).hexdigest()
    with _compiler_lock:
        name, state = pickle.loads(remembered("ufuncs", key, lambda: _compile_loop(signature, function)))
        library = codegen.unserialize_library(state)
        pointers = [library.get_pointer_to_function(name)]
    arguments, result = _normalize(signature)
    types = [[as_dtype(each).num for each in (*arguments, result)]]
    ufunc: Ufunc = fromfunc(function.__name__, "", pointers, types, len(arguments), 1, [None], [library], _no_identity)
    return ufunc


def _compile_loop(signature: str, function: Callable[..., Any]) -> bytes:
    """The name of the loop over the elements of arrays, and the library that it is in."""
    arguments, result = _normalize(signature)
    scalar = _njit(function, _target="npyufunc").compile(signature)
    context, name = scalar.target_context, scalar.fndesc.llvm_func_name
    loop = _build_loop(scalar.library, context, name, result(*arguments), False, scalar)
    loop.library.enable_object_caching()
    return pickle.dumps((loop.name, loop.library.serialize_using_object_code()))
