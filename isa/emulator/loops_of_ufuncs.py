"""The machine code behind NumPy's ufuncs: one loop over elements for each combination of types.

Such a loop takes the addresses of its operands' first elements, how many elements there are, and how many bytes lie
between them (NumPy C API, ``PyUFuncGenericFunction``). Ufuncs that Numba has compiled have the same.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np

from isa.emulator.operations import NotCapturable
from isa.semantics.ufunc import Ufunc, compile_ufunc


class _Ufunc(ctypes.Structure):
    """The head of ``PyUFuncObject`` (numpy/ufuncobject.h)."""

    _fields_ = (
        ("head", ctypes.c_byte * object.__basicsize__),
        ("inputs", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("operands", ctypes.c_int),
        ("identity", ctypes.c_int),
        ("functions", ctypes.POINTER(ctypes.c_void_p)),
        ("data", ctypes.POINTER(ctypes.c_void_p)),
        ("types", ctypes.c_int),
    )


@cache
def loop_of(ufunc: Any, dtypes: tuple[np.dtype[Any], ...]) -> tuple[int, int]:
    """The address of the loop for operands of ``dtypes``, results last, and of the data that it takes.

    Raises:
        NotCapturable: there is none.
    """
    head = _Ufunc.from_address(id(ufunc))
    assert (head.inputs, head.outputs, head.types) == (ufunc.nin, ufunc.nout, ufunc.ntypes)
    for number, signature in enumerate(ufunc.types):
        if "O" not in signature and tuple(np.dtype(each) for each in signature.replace("->", "")) == dtypes:
            return head.functions[number] or 0, (head.data[number] or 0) if head.data else 0
    raise NotCapturable


@cache
def cast(source: np.dtype[Any], target: np.dtype[Any]) -> Ufunc:
    """The ufunc that turns numbers of one type into another, as ``astype`` does.

    Raises:
        NotCapturable: from floating-point numbers to integers, where the machine decides about those out of range.
    """
    if source.kind == "f" and target.kind != "f":
        raise NotCapturable

    def convert(value):  # type: ignore[no-untyped-def]
        return value

    return compile_ufunc(f"{_name(target)}({_name(source)})", convert)


@cache
def select(dtype: np.dtype[Any]) -> Ufunc:
    """The ufunc of a condition and two numbers of one type, which gives the first where the condition is true."""

    def choose(condition, one, other):  # type: ignore[no-untyped-def]
        return one if condition else other

    name = _name(dtype)
    return compile_ufunc(f"{name}(boolean, {name}, {name})", choose)


def _name(dtype: np.dtype[Any]) -> str:
    return "boolean" if dtype == np.bool_ else dtype.name
