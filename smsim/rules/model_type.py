"""A Model as Numba sees it: one pointer, to a table of where its arrays lie and of their shapes and strides.

So a call of a rule passes a word instead of some hundred, which is most of what it would take to compile the rules, and
to call them from Python. What the table says never changes: the compiler loads it as often, or as rarely, as it likes.
"""

from typing import Any

import numba
import numpy as np
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.registry import register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, intrinsic, typeof_impl, unbox
from numba.np import arrayobj

from smsim.model import LAST_DIMENSIONS, Model
from smsim.rules.aliasing import never_changes

CONSTANT = ("instructions", "runs", "steps", "traced_warps", "traced_blocks", "accesses", "kinds", "touches", "params")

_arrays: dict[str, dict[str, Any]] = {}  # of each layout, Numba's type of each of the arrays


class ModelType(types.Type):
    """The type of all models whose arrays have the same types; short to write, since every rule's name holds it.

    Args:
        layout: a digest of the types of the arrays.
    """

    def __init__(self, layout: str) -> None:
        super().__init__(f"Model_{layout}")
        self.layout = layout


register_default(ModelType)(models.OpaqueModel)
_types: dict[str, ModelType] = {}  # by layout


def type_of(model: Model) -> ModelType:
    """Numba's type of a model."""
    layout = model.layout
    if layout not in _types:
        typeof: Any = numba.typeof  # not typed
        _arrays[layout] = {name: typeof(np.zeros((1,) * each.ndim, each.dtype)) for name, each in model.arrays()}
        for name in CONSTANT:
            never_changes(_arrays[layout][name].dtype)
        _types[layout] = ModelType(layout)
    return _types[layout]


@typeof_impl.register(Model)
def _typeof(model: Model, _: Any) -> ModelType:
    return type_of(model)


@infer_getattr
class _Fields(AttributeTemplate):
    key = ModelType

    def generic_resolve(self, model: ModelType, name: str) -> Any:  # type: ignore[override]
        return _arrays[model.layout].get(name)


@lower_getattr_generic(ModelType)  # type: ignore[no-untyped-call]
def _load_array(context: Any, builder: Any, model: ModelType, pointer: Any, name: str) -> Any:
    """One of the arrays, as its words in the table say: address, shape, strides."""
    arrays = _arrays[model.layout]
    before = list(arrays).index(name)
    first = len(arrays) + sum(2 * array.ndim for array in list(arrays.values())[:before])
    array, words = arrays[name], context.get_value_type(types.intp)
    table = builder.bitcast(pointer, words.as_pointer())
    gep: Any = cgutils.gep_inbounds  # not typed, as much of Numba
    never_changes = builder.module.add_metadata([])
    loaded = []
    for place in (before, *range(first, first + 2 * array.ndim)):
        word = builder.load(gep(builder, table, place))
        word.set_metadata("invariant.load", never_changes)
        loaded.append(word)
    known = LAST_DIMENSIONS.get(name, ())
    for dimension, size in enumerate(known, 1 + array.ndim - len(known)):
        loaded[dimension] = words(size)
    value = context.make_array(array)(context, builder)
    arrayobj.populate_array(  # type: ignore[no-untyped-call]
        value,
        data=builder.inttoptr(loaded[0], value.data.type),
        shape=loaded[1 : 1 + array.ndim],
        strides=loaded[1 + array.ndim :],
        itemsize=context.get_abi_sizeof(context.get_data_type(array.dtype)),
        meminfo=None,
    )
    return value._getvalue()


@unbox(ModelType)  # type: ignore[no-untyped-call]
def _take_over(_: ModelType, model: Any, c: Any) -> Any:
    """The pointer of a Model that Python passes."""
    address = c.pyapi.object_getattr_string(model, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer)  # type: ignore[no-untyped-call]


def _model_at(_: Any, like: ModelType, address: Any) -> Any:
    """The model, of the same type as another, whose table lies at an address."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[1], context.get_value_type(signature.return_type))

    return like(like, address), generate


model_at: Any = intrinsic(_model_at)
