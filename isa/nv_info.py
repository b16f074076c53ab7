"""The attributes in a cubin's ``.nv.info`` sections: parameters, stack, barriers, thread bounds.

The layout is a list of entries: a byte of format, a byte of attribute, then a 16-bit value, or its size and the bytes.
Names and numbers as ``cuobjdump -elf`` and ``readelf`` users know them (EIATTR_*).
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from isa.errors import CubinError
from isa.program import Parameter

_FORMAT_SIZED = 4


class Attribute(IntEnum):
    """The attributes that smsim reads."""

    MAX_THREADS = 0x05
    PARAM_CBANK = 0x0A
    EXTERNS = 0x0F
    REQNTID = 0x10
    FRAME_SIZE = 0x11
    MIN_STACK_SIZE = 0x12
    KPARAM_INFO = 0x17
    REGCOUNT = 0x2F
    CTA_PER_CLUSTER = 0x3D
    NUM_BARRIERS = 0x4C


@dataclass(frozen=True, slots=True)
class Entry:
    """One attribute with its bytes (two of them for the formats that carry their value in place)."""

    attribute: int
    data: bytes

    def words(self) -> tuple[int, ...]:
        """The bytes as 32-bit words."""
        return struct.unpack(f"<{len(self.data) // 4}I", self.data[: len(self.data) // 4 * 4])


def read_entries(data: bytes) -> list[Entry]:
    """Read a section's entries.

    Raises:
        CubinError: an entry reaches past the section's end.
    """
    return list(_entries(data))


def _entries(data: bytes) -> Iterator[Entry]:
    offset = 0
    while offset < len(data):
        if offset + 4 > len(data):
            raise CubinError("damaged cubin: an entry of .nv.info is cut off")
        kind, attribute, value = struct.unpack_from("<BBH", data, offset)
        offset += 4
        if kind != _FORMAT_SIZED:
            yield Entry(attribute, data[offset - 2 : offset])
            continue
        if offset + value > len(data):
            raise CubinError("damaged cubin: an entry of .nv.info reaches past its section")
        yield Entry(attribute, data[offset : offset + value])
        offset += value


def read_parameters(entries: list[Entry]) -> tuple[Parameter, ...]:
    """The kernel's parameters in order."""
    parameters = []
    for entry in entries:
        if entry.attribute == Attribute.KPARAM_INFO:
            # index, then ordinal and offset (16 bits each), then a word whose bits 18-31 are the size in bytes
            _, ordinal, offset, packed = struct.unpack("<IHHI", entry.data)
            parameters.append(Parameter(ordinal, offset, packed >> 18))
    return tuple(sorted(parameters, key=lambda parameter: parameter.ordinal))


def find(entries: list[Entry], attribute: Attribute) -> Entry | None:
    """The first entry with ``attribute``."""
    return next((entry for entry in entries if entry.attribute == attribute), None)
