"""Operations on arrays, noted down instead of executed: what semantics do with registers, as a list for ``replay``.

Semantics are NumPy expressions over a group's registers. Each of them ends in loops over elements of arrays; here these
loops are found out once, with the addresses of what they work on, so that they can be run again without Python.
Whatever is not known here raises ``NotCapturable``: nothing is left out silently.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from isa.emulator import operations
from isa.emulator.loops_of_ufuncs import cast, loop_of, select
from isa.emulator.operations import NotCapturable

Array = NDArray[Any]


class Notes:
    """The operations of one instruction, and the arrays in between.

    Attributes:
        rows: operations, as ``isa.emulator.operations`` lays them out.
        kept: arrays whose addresses are in ``rows``.
    """

    def __init__(self, room: list[Array]) -> None:
        """Begin; ``room`` are arrays of bytes to be used for intermediate results, more are added as needed."""
        self.rows: list[list[int]] = []
        self.kept: list[Array] = []
        self._room = room
        self._used = 0

    def temporary(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Room for an intermediate result."""
        size = int(np.prod(shape)) * dtype.itemsize
        if self._used == len(self._room):
            self._room.append(np.empty(size, np.uint8))
        elif self._room[self._used].size < size:
            self._room[self._used] = np.empty(size, np.uint8)
        array = self._room[self._used][:size].view(dtype).reshape(shape)
        self._used += 1
        self.kept.append(array)
        return array

    def call(self, ufunc: Any, *operands: Array, kind: int = operations.LOOP) -> None:
        """Note the loop of ``ufunc`` over ``operands``, its results last; all of one shape, or to be broadcast."""
        function, data = loop_of(ufunc, tuple(each.dtype for each in operands))
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        if any(each.shape != shape for each in operands[ufunc.nin :]):
            raise NotCapturable
        self.kept.extend(operands)
        self.rows.append(operations.loop(kind, function, data, shape, operands))

    def copy(self, target: Array, values: Array, where: Array | None = None) -> None:
        """Note the copy of ``values`` to ``target``, under ``where`` if given."""
        if values.dtype != target.dtype:
            raise NotCapturable
        integers = np.dtype(f"u{target.itemsize}") if target.dtype != np.bool_ else target.dtype
        values, target = values.view(integers), target.view(integers)
        if where is None:
            self.call(np.bitwise_or, values, values, target, kind=operations.COPY)
        else:
            self.call(select(integers), where, values, target, target)

    def converted(self, values: Array, dtype: np.dtype[Any]) -> Array:
        """The values as another type."""
        if values.dtype == dtype:
            return values
        result = self.temporary(values.shape, dtype)
        self.call(cast(values.dtype, dtype), values, result)
        return result


class Captured(NDArrayOperatorsMixin):
    """An array whose contents are known only when the operations run.

    Attributes:
        array: where they will be.
    """

    __slots__ = ("_notes", "array")

    def __init__(self, notes: Notes, array: Array) -> None:
        self._notes = notes
        self.array = array

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "dtype", "size", "ndim"):
            return getattr(self.array, name)
        raise NotCapturable

    def __bool__(self) -> bool:
        raise NotCapturable

    def __iter__(self) -> Any:
        raise NotCapturable

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotCapturable

    def __getitem__(self, key: Any) -> Captured:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(part is None or part is ... or isinstance(part, int | slice) for part in parts):
            raise NotCapturable
        return self._of(self.array[key])

    def view(self, dtype: Any) -> Captured:
        """As of an array."""
        return self._of(self.array.view(dtype))

    def reshape(self, *shape: int) -> Captured:
        """As of an array whose elements lie such that nothing need be copied."""
        reshaped = self.array.reshape(*shape)
        if not np.shares_memory(reshaped, self.array):
            raise NotCapturable
        return self._of(reshaped)

    def astype(self, dtype: Any) -> Captured:
        """As of an array; a copy, too, where the type stays."""
        dtype = np.dtype(dtype)
        return self.copy() if dtype == self.array.dtype else self._of(self._notes.converted(self.array, dtype))

    def copy(self) -> Captured:
        """As of an array."""
        result = self._notes.temporary(self.array.shape, self.array.dtype)
        self._notes.copy(result, self.array)
        return self._of(result)

    def _of(self, array: Array) -> Captured:
        return Captured(self._notes, array)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        dtype = options.pop("dtype", None)
        if method != "__call__" or options:
            raise NotCapturable
        values = [each.array if isinstance(each, Captured) else each for each in inputs]
        types = [type(each) if type(each) in (int, float) else np.asarray(each).dtype for each in values]
        wanted = {} if dtype is None else {"signature": (None,) * ufunc.nin + (np.dtype(dtype),)}
        dtypes = ufunc.resolve_dtypes((*types, *[None] * ufunc.nout), **wanted)
        notes = self._notes
        operands = [
            notes.converted(each.array, to) if isinstance(each, Captured) else np.asarray(each).astype(to)
            for each, to in zip(inputs, dtypes, strict=False)
        ]
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        results = [notes.temporary(shape, each) for each in dtypes[ufunc.nin :]]
        notes.call(ufunc, *operands, *results)
        captured = tuple(self._of(each) for each in results)
        return captured[0] if len(captured) == 1 else captured

    def __array_function__(self, function: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        del types
        if function is np.broadcast_to and not kwargs:
            values, shape = args
            return self._of(np.broadcast_to(values.array, shape))
        if function is np.where and not kwargs and len(args) == 3:
            return self._where(*args)
        raise NotCapturable

    def _where(self, condition: Any, one: Any, other: Any) -> Captured:
        notes = self._notes
        dtype = np.result_type(*(each.array.dtype if isinstance(each, Captured) else each for each in (one, other)))
        sides = [
            notes.converted(each.array, dtype) if isinstance(each, Captured) else np.asarray(each).astype(dtype)
            for each in (one, other)
        ]
        where = condition.array if isinstance(condition, Captured) else np.asarray(condition)
        if where.dtype != np.bool_:
            raise NotCapturable
        shape = np.broadcast_shapes(where.shape, *(each.shape for each in sides))
        result = notes.temporary(shape, dtype)
        notes.call(select(dtype), where, *sides, result)
        return self._of(result)
