"""What stands at an address, for compiled functions: a ufunc's loop, and arrays.

An array made of an address has no owner: to count who uses one, which Numba does at every call, takes longer than most
operations on a warp.
"""

from typing import Any

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_carray: Any = numba.carray  # type: ignore[attr-defined]


def _call_loop(typing: Any, function: Any, operands: Any, count: Any, steps: Any, data: Any) -> Any:  # noqa: PLR0917
    """Call a ufunc's loop, ``PyUFuncGenericFunction``; all arguments are addresses."""
    del typing

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer] * 4)
        loop, *rest = arguments
        builder.call(builder.inttoptr(loop, kind.as_pointer()), [builder.inttoptr(each, pointer) for each in rest])
        return context.get_dummy_value()

    return types.void(function, operands, count, steps, data), generate


def _pointer(typing: Any, address: Any) -> Any:
    del typing

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature
        return builder.inttoptr(arguments[0], context.get_value_type(types.voidptr))

    return types.voidptr(address), generate


call_loop: Any = intrinsic(_call_loop)
pointer: Any = intrinsic(_pointer)


@numba.njit
def array1(arrays: Any, place: int, dtype: Any) -> Any:
    """The array of one dimension in row ``place`` of ``arrays``, int64 (k, 4): an address and a shape."""
    return _carray(pointer(arrays[place, 0]), (arrays[place, 1],), dtype)


@numba.njit
def array2(arrays: Any, place: int, dtype: Any) -> Any:
    """As ``array1``, of two dimensions, C-contiguous."""
    return _carray(pointer(arrays[place, 0]), (arrays[place, 1], arrays[place, 2]), dtype)


@numba.njit
def array3(arrays: Any, place: int, dtype: Any) -> Any:
    """As ``array1``, of three dimensions, C-contiguous."""
    return _carray(pointer(arrays[place, 0]), (arrays[place, 1], arrays[place, 2], arrays[place, 3]), dtype)
