"""Small numbers side by side, one for each way of a set of L2, that the host compares all at once: as a vector.

Sets of ways are bit masks.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from smsim.state.l2 import L2_WAYS

_WORD = ir.IntType(64)


def _vector(context: Any, builder: Any, kind: Any, row: Any) -> tuple[Any, Any]:
    """Where a row lies, as that of a vector, and the vector."""
    number = ir.IntType(kind.dtype.bitwidth)
    data = context.make_array(kind)(context, builder, row).data
    place = builder.bitcast(data, ir.VectorType(number, L2_WAYS).as_pointer())
    return place, builder.load(place, align=kind.dtype.bitwidth // 8)


def _each(builder: Any, vector: Any, number: Any) -> Any:
    """A vector as long as another one, with the same number in every place."""
    one = builder.trunc(number, vector.type.element)
    lone = builder.insert_element(ir.Constant(vector.type, ir.Undefined), one, ir.Constant(ir.IntType(32), 0))
    first = ir.Constant(ir.VectorType(ir.IntType(32), L2_WAYS), [0] * L2_WAYS)
    return builder.shuffle_vector(lone, ir.Constant(vector.type, ir.Undefined), first)


def _mask(builder: Any, chosen: Any) -> Any:
    return builder.zext(builder.bitcast(chosen, ir.IntType(L2_WAYS)), _WORD)


def _where_equal(_: Any, row: Any, number: Any) -> Any:
    """The ways that have this number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, vector = _vector(context, builder, signature.args[0], arguments[0])
        return _mask(builder, builder.icmp_unsigned("==", vector, _each(builder, vector, arguments[1])))

    return types.int64(row, types.int64), generate


def _change(builder: Any, context: Any, kind: Any, arguments: Any, where: str, one: int) -> Any:
    """Add one number to each of those that compare so with another one."""
    place, vector = _vector(context, builder, kind, arguments[0])
    chosen = builder.icmp_unsigned(where, vector, _each(builder, vector, arguments[1]))
    ones = ir.Constant(vector.type, [one] * L2_WAYS)
    changed = builder.add(vector, builder.select(chosen, ones, ir.Constant(vector.type, None)))
    builder.store(changed, place, align=kind.dtype.bitwidth // 8)
    return context.get_dummy_value()


def _add_one_below(_: Any, row: Any, number: Any) -> Any:
    """Add one to each that is less than this number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _change(builder, context, signature.args[0], arguments, "<", 1)

    return types.void(row, types.int64), generate


def _take_one_above(_: Any, row: Any, number: Any) -> Any:
    """Take one from each that is more than this number."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _change(builder, context, signature.args[0], arguments, ">", -1)

    return types.void(row, types.int64), generate


def _where_largest(_: Any, row: Any, ways: Any) -> Any:
    """Of some ways, one at least, that which has the largest number; each has another one."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        _, vector = _vector(context, builder, signature.args[0], arguments[0])
        ways = builder.trunc(arguments[1], ir.IntType(L2_WAYS))
        chosen = builder.bitcast(ways, ir.VectorType(ir.IntType(1), L2_WAYS))
        kept = builder.select(chosen, vector, ir.Constant(vector.type, None))
        number = vector.type.element
        of_all = ir.FunctionType(number, [vector.type])
        name = f"llvm.vector.reduce.umax.v{L2_WAYS}i{number.width}"
        declare: Any = cgutils.get_or_insert_function
        largest = builder.call(declare(builder.module, of_all, name), [kept])
        equal = builder.icmp_unsigned("==", vector, _each(builder, vector, builder.zext(largest, _WORD)))
        return builder.and_(_mask(builder, equal), arguments[1])

    return types.int64(row, types.int64), generate


where_equal: Any = intrinsic(_where_equal)
where_largest: Any = intrinsic(_where_largest)
add_one_below: Any = intrinsic(_add_one_below)
take_one_above: Any = intrinsic(_take_one_above)
