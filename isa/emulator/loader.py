"""The loader: places a module's variables and writes their addresses where the cubin asks for them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator.memory import Allocation, Memory
from isa.errors import CubinError, LaunchError
from isa.program import Program, Relocation

CONSTANT_BANK = 3
GLOBAL_IMAGE = ".nv.global.init"
_BANK_PREFIX = ".nv.constant"
_ADDRESS_BYTES = {"R_CUDA_32": 4, "R_CUDA_64": 8, "R_CUDA_G32": 4, "R_CUDA_G64": 8}

# Device code calls what it does not define through addresses from here on, one slot for each name.
EXTERNAL_ADDRESS = 0x7E00_0000_0000
EXTERNAL_BYTES = 0x100


class PlacedSymbols:
    """The module's variables after loading.

    Attributes:
        addresses: device address of each global variable.
        banks: constant banks with initial values and addresses filled in, by number.
        externals: functions that the module calls and does not define, by address.
    """

    def __init__(self) -> None:
        self.addresses: dict[str, int] = {}
        self.banks: dict[int, bytes] = {}
        self.externals: dict[int, str] = {}
        self.arrays: list[tuple[NDArray[Any], Allocation]] = []

    def write_back(self, memory: Memory) -> None:
        """Copy the variables that the caller gave arrays for back to them."""
        for array, allocation in self.arrays:
            array.reshape(-1).view(np.uint8)[...] = memory.contents(allocation)


def place_symbols(program: Program, memory: Memory, values: Mapping[str, NDArray[Any]]) -> PlacedSymbols:
    """Place the variables of ``program`` in ``memory`` and fill in addresses.

    Args:
        program: the kernel, with its module's symbols and relocations.
        memory: where global variables go.
        values: contents that replace initial values, by symbol name.

    Raises:
        LaunchError: ``values`` names an unknown symbol, or its size or layout is wrong.
        CubinError: a relocation of a kind that sm_90 code is not known to need.
    """
    placed = PlacedSymbols()
    contents = {symbol.name: np.frombuffer(symbol.initial, np.uint8).copy() for symbol in program.symbols}
    for name, array in values.items():
        contents[name] = _value(program, name, array, contents)
    globals_ = [symbol for symbol in program.symbols if symbol.space == "global"]
    parts = [(symbol.name, symbol.offset, contents[symbol.name]) for symbol in globals_]
    if parts:
        base = memory.allocate_image(parts)
        placed.addresses = {symbol.name: base + symbol.offset for symbol in globals_}
    banks = {number: bytearray(data) for number, data in program.constant_banks.items()}
    for symbol in program.symbols:
        if symbol.space == "constant":
            bank = banks.setdefault(CONSTANT_BANK, bytearray())
            bank.extend(bytes(max(0, symbol.offset + symbol.size - len(bank))))
            bank[symbol.offset : symbol.offset + symbol.size] = contents[symbol.name].tobytes()
    for relocation in program.relocations:
        _apply(program, relocation, placed, banks, contents)
    placed.banks = {number: bytes(data) for number, data in banks.items()}
    by_name = {allocation.name: allocation for allocation in memory.allocations}
    placed.arrays = [(array, by_name[name]) for name, array in values.items() if name in placed.addresses]
    return placed


def _value(
    program: Program, name: str, array: NDArray[Any], contents: dict[str, NDArray[np.uint8]]
) -> NDArray[np.uint8]:
    if name not in contents:
        known = ", ".join(sorted(contents)) or "none"
        raise LaunchError(f"{program.name}: the module has no variable {name!r}; it has: {known}")
    if array.nbytes != contents[name].size or not array.flags.c_contiguous:
        raise LaunchError(
            f"{program.name}: variable {name} takes a contiguous array of {contents[name].size} bytes, "
            f"got {array.nbytes} bytes"
        )
    return array.reshape(-1).view(np.uint8).copy()


def _apply(
    program: Program,
    relocation: Relocation,
    placed: PlacedSymbols,
    banks: dict[int, bytearray],
    contents: dict[str, NDArray[np.uint8]],
) -> None:
    size = _ADDRESS_BYTES.get(relocation.kind)
    if size is None:
        raise CubinError(
            f"{program.name}: relocation {relocation.kind} of {relocation.symbol} in {relocation.section} "
            "is not one that smsim can apply"
        )
    address = _address(program, relocation.symbol, placed) + relocation.addend
    data = address.to_bytes(8, "little")[:size]
    if relocation.section.startswith(_BANK_PREFIX):
        number = int(relocation.section.removeprefix(_BANK_PREFIX).partition(".")[0])
        banks[number][relocation.offset : relocation.offset + size] = data
    elif relocation.section == GLOBAL_IMAGE:
        for symbol in program.symbols:
            if symbol.space == "global" and symbol.offset <= relocation.offset < symbol.offset + symbol.size:
                start = relocation.offset - symbol.offset
                contents[symbol.name][start : start + size] = np.frombuffer(data, np.uint8)
    else:
        raise CubinError(
            f"{program.name}: relocation of {relocation.symbol} in {relocation.section} is not one that smsim can apply"
        )


def _address(program: Program, name: str, placed: PlacedSymbols) -> int:
    if name in placed.addresses:
        return placed.addresses[name]
    for address, external in placed.externals.items():
        if external == name:
            return address
    address = EXTERNAL_ADDRESS + len(placed.externals) * EXTERNAL_BYTES
    placed.externals[address] = name
    return address
