"""What the compiler is told of the places in memory that rules read and write: which are never the same.

Without it, everything that a rule has read it reads again behind whatever it writes. The same field of two records of
one type may be the same place, and so may any two numbers of rows and arrays; a field is never another, or in a row.
(LLVM's type-based alias analysis, a type being a field.) What never changes is never read again.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext
from numba.np import arrayobj

_constant: set[Any] = set()  # types of records that never change

_usual: Any = {
    "get_getattr": BaseContext.get_getattr,
    "get_setattr": BaseContext.get_setattr,
    "load_item": arrayobj.load_item,
    "store_item": arrayobj.store_item,
}


def never_changes(record: Any) -> None:
    """Records of this type are only read."""
    _constant.add(record)


@contextmanager
def told_apart() -> Iterator[None]:
    """Whatever Numba compiles meanwhile says of each access to memory which field it reads or writes."""
    before = BaseContext.get_getattr, BaseContext.get_setattr, arrayobj.load_item, arrayobj.store_item
    numba: Any = BaseContext
    numba.get_getattr, numba.get_setattr = _get_getattr, _get_setattr
    arrayobj.load_item, arrayobj.store_item = _load_item, _store_item
    try:
        yield
    finally:
        numba.get_getattr, numba.get_setattr, arrayobj.load_item, arrayobj.store_item = before


def _get_getattr(context: Any, typ: Any, attr: str) -> Any:
    usual = _usual["get_getattr"](context, typ, attr)
    if not isinstance(typ, types.Record):
        return usual

    def read(context: Any, builder: Any, typ: Any, value: Any, attr: str) -> Any:
        loaded = usual(context, builder, typ, value, attr)
        _tell(builder, loaded, f"{_name(typ)}.{attr}", typ in _constant)
        return loaded

    return read


def _get_setattr(context: Any, attr: str, signature: Any) -> Any:
    usual = _usual["get_setattr"](context, attr, signature)
    typ = signature.args[0]
    if not isinstance(typ, types.Record):
        return usual

    def write(builder: Any, arguments: Any) -> Any:
        result = usual(builder, arguments)
        _tell(builder, builder.block.instructions[-1], f"{_name(typ)}.{attr}")
        return result

    return write


def _load_item(context: Any, builder: Any, array: Any, pointer: Any) -> Any:
    loaded = _usual["load_item"](context, builder, array, pointer)
    _tell(builder, loaded, str(array.dtype))
    return loaded


def _store_item(context: Any, builder: Any, array: Any, value: Any, pointer: Any) -> Any:
    result = _usual["store_item"](context, builder, array, value, pointer)
    if isinstance(array.dtype, types.Number):
        _tell(builder, builder.block.instructions[-1], str(array.dtype))
    return result


@cache
def _name(record: Any) -> str:
    """Of a type of records, the same in each process."""
    return hashlib.sha256(str(record).encode()).hexdigest()[:16]


def _tell(builder: Any, access: Any, place: str, constant: bool = False) -> None:
    """An instruction reads or writes numbers of a kind; one that does neither is left as it is."""
    if isinstance(access, (ir.LoadInstr, ir.StoreInstr)):
        zero, number = ir.Constant(ir.IntType(64), 0), ir.IntType(64)
        root = builder.module.add_metadata(["smsim"])
        kind = builder.module.add_metadata([place, root, zero])
        access.set_metadata("tbaa", builder.module.add_metadata([kind, kind, zero, ir.Constant(number, int(constant))]))
