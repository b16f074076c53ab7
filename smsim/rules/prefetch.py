"""What the host fetches from its memory before it is asked for: no result depends on it.

The lines of all SMs' L1 and of L2 are more than the caches of a host hold, and each is looked up once in a while.
"""

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

READ, KEEP, DATA = 0, 3, 1  # as LLVM's prefetch has it: to be read; to be kept in all caches; data, not code


def _prefetch(_: Any, array: Any, index: Any, behind: Any) -> Any:
    """Fetch the cache line so many bytes behind the beginning of an element of an array, by the first index.

    The elements lie side by side.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = signature.args[0]
        fields = context.make_array(array)(context, builder, arguments[0])
        offset = builder.mul(arguments[1], fields.itemsize)
        for dimension in range(1, array.ndim):
            offset = builder.mul(offset, builder.extract_value(fields.shape, dimension))
        byte = ir.IntType(8).as_pointer()
        address = builder.gep(builder.bitcast(fields.data, byte), [builder.add(offset, arguments[2])])
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        declare: Any = cgutils.get_or_insert_function
        function = declare(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, number(READ), number(KEEP), number(DATA)])
        return context.get_dummy_value()

    return types.void(array, types.intp, types.intp), generate


prefetch: Any = intrinsic(_prefetch)
