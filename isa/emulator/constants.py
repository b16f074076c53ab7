"""Constant banks of one launch.

Bank 0 on sm_90, as its code reads it: block size at 0x0, grid size at 0xc, generic base of local memory at 0x20, stack
pointer at 0x28, memory descriptor at 0x208, parameters at 0x210.
"""

import struct

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access
from isa.launch import LaunchShape
from isa.program import Program


class ConstantBanks:
    """The banks' contents, fixed for the launch; bytes past a bank's end read as zero."""

    def __init__(self, banks: dict[int, bytes]) -> None:
        self._banks = {number: np.frombuffer(data + bytes(-len(data) % 16), np.uint8) for number, data in banks.items()}

    def word(self, bank: int, offset: int) -> np.uint32:
        """The 32-bit word at byte ``offset`` of ``bank``."""
        data = self._banks.get(bank)
        if data is None or not 0 <= offset <= data.size - 4:
            return np.uint32(0)
        return np.uint32(int.from_bytes(data[offset : offset + 4].tobytes(), "little"))

    def bank(self, bank: int) -> NDArray[np.uint8]:
        """A bank's bytes, shape (bytes,), padded to 16 bytes; empty when the launch has no such bank."""
        return self._banks.get(bank, np.zeros(0, np.uint8))


def launch_bank(program: Program, launch: LaunchShape, parameters: bytes) -> bytes:
    """Bank 0 of a launch: the driver's part and the parameter block."""
    size = max(len(program.constant_banks.get(0, b"")), program.parameter_base + len(parameters))
    bank = bytearray(program.constant_banks.get(0, b"").ljust(size, b"\0"))
    struct.pack_into("<6I", bank, 0x0, *launch.block, *launch.grid)
    struct.pack_into("<Q", bank, 0x20, access.LOCAL_WINDOW)
    struct.pack_into("<I", bank, 0x28, access.STACK_TOP)
    bank[program.parameter_base : program.parameter_base + len(parameters)] = parameters
    return bytes(bank)
