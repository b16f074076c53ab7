"""Kernel arguments: NumPy arrays become device allocations, everything else becomes bytes of the parameter block."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.memory import Allocation, Memory
from isa.errors import LaunchError
from isa.program import Parameter, Program

POINTER_BYTES = 8


class Arguments:
    """The arguments of a launch, bound to a program's parameters.

    Arrays that share memory share one allocation, so that the same array passed twice is the same pointer.

    Raises:
        LaunchError: wrong number of arguments, a value that does not fit its parameter, or an array that is not
            contiguous.
    """

    def __init__(self, program: Program, args: Sequence[Any], memory: Memory) -> None:
        if len(args) != len(program.parameters):
            sizes = ", ".join(str(parameter.size) for parameter in program.parameters) or "none"
            raise LaunchError(
                f"{program.name}: takes {len(program.parameters)} arguments (bytes each: {sizes}), got {len(args)}"
            )
        self._placed: list[tuple[NDArray[Any], Allocation, int]] = []
        self._memory = memory
        self._place_arrays(program, args)
        self.block = self._pack(program, args)

    def _place_arrays(self, program: Program, args: Sequence[Any]) -> None:
        ranges: list[tuple[int, int, str]] = []
        arrays: list[NDArray[Any]] = []
        for parameter, value in zip(program.parameters, args, strict=True):
            if isinstance(value, np.ndarray):
                where = _where(program, parameter)
                if parameter.size != POINTER_BYTES:
                    raise LaunchError(f"{where}: takes {parameter.size} bytes, got an array, which is a pointer")
                if not value.flags.c_contiguous and not value.flags.f_contiguous:
                    raise LaunchError(f"{where}: the array is not contiguous; pass numpy.ascontiguousarray(array)")
                if value.dtype.hasobject:
                    raise LaunchError(f"{where}: an array of Python objects cannot be copied to the device")
                if value.nbytes:
                    start = value.__array_interface__["data"][0]
                    ranges.append((start, start + value.nbytes, f"argument {parameter.ordinal}"))
                    arrays.append(value)
        merged: list[tuple[int, int, str]] = []
        for start, end, name in sorted(ranges):
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]), merged[-1][2])
            else:
                merged.append((start, end, name))
        # Allocated in the order of the arguments, as a program that allocates them one by one would have them.
        merged.sort(key=lambda item: [r[0] for r in ranges].index(item[0]))
        for start, end, name in merged:
            contents = np.zeros(end - start, np.uint8)
            inside = [(a, a.__array_interface__["data"][0] - start) for a in arrays]
            inside = [(a, offset) for a, offset in inside if 0 <= offset < end - start]
            for array, offset in inside:
                contents[offset : offset + array.nbytes] = _flat(array)
            allocation = self._memory.allocate(name, contents)
            self._placed.extend((array, allocation, offset) for array, offset in inside)

    def _pack(self, program: Program, args: Sequence[Any]) -> bytes:
        size = max((parameter.offset + parameter.size for parameter in program.parameters), default=0)
        block = bytearray(size)
        for parameter, value in zip(program.parameters, args, strict=True):
            data = self._encode(_where(program, parameter), parameter.size, value)
            block[parameter.offset : parameter.offset + parameter.size] = data
        return bytes(block)

    def _encode(self, where: str, size: int, value: Any) -> bytes:
        if isinstance(value, np.ndarray):
            return self._pointer(value).to_bytes(POINTER_BYTES, "little")
        if isinstance(value, np.generic | bytes | bytearray):
            data = value.tobytes() if isinstance(value, np.generic) else bytes(value)
            if len(data) != size:
                kind = value.dtype if isinstance(value, np.generic) else type(value).__name__
                raise LaunchError(f"{where}: takes {size} bytes, got {len(data)} ({kind})")
            return data
        if isinstance(value, int):
            if not -(1 << (8 * size - 1)) <= value < 1 << (8 * size):
                raise LaunchError(f"{where}: {value} does not fit in {size} bytes")
            return (value % (1 << (8 * size))).to_bytes(size, "little")
        if isinstance(value, float):
            dtype = {2: np.float16, 4: np.float32, 8: np.float64}.get(size)
            if dtype is None:
                raise LaunchError(f"{where}: takes {size} bytes, got a float; pass a NumPy scalar of that size")
            return np.array(value, dtype).tobytes()
        raise LaunchError(
            f"{where}: cannot pass a {type(value).__name__}; pass a NumPy array, a NumPy scalar, a number or bytes"
        )

    def _pointer(self, array: NDArray[Any]) -> int:
        for placed, allocation, offset in self._placed:
            if placed is array:
                return allocation.address + offset
        return 0  # an empty array has no memory

    def write_back(self) -> None:
        """Copy device memory to the arrays that the kernel changed.

        Raises:
            LaunchError: the kernel wrote to an array that is read-only.
        """
        for array, allocation, offset in self._placed:
            data = self._memory.contents(allocation)[offset : offset + array.nbytes]
            flat = _flat(array)
            if np.array_equal(data, flat):
                continue
            if not array.flags.writeable:
                raise LaunchError(f"the kernel wrote to {allocation.name}, a read-only array; pass a copy of it")
            flat[...] = data


def _where(program: Program, parameter: Parameter) -> str:
    return f"{program.name}: argument {parameter.ordinal}"


def _flat(array: NDArray[Any]) -> NDArray[np.uint8]:
    """The array's bytes in memory order, a view of shape (bytes,)."""
    contiguous = array if array.flags.c_contiguous else array.T
    return contiguous.reshape(-1).view(np.uint8)
