"""The DWARF line table of a cubin: code address to line of CUDA source.

Only what nvcc writes is read: version 2 programs of one byte per minimum instruction, with NVIDIA's own extended
opcodes skipped by their length.
"""

import struct
from bisect import bisect_right
from dataclasses import dataclass, field

from isa.errors import CubinError
from isa.instruction import SourceLine

# Where the compiler sees sources with a relative name, so that a cubin does not depend on the working directory.
SOURCE_ROOT = "/source"

_FIXED_ADVANCE = 9
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _CONST_ADD_PC = 1, 2, 3, 4, 8
_END_SEQUENCE, _SET_ADDRESS = 1, 2


@dataclass
class LineTable:
    """Rows (address, file, line) of each function's code."""

    rows: dict[str, list[tuple[int, SourceLine]]] = field(default_factory=dict)

    def find(self, function: str, address: int) -> SourceLine | None:
        """The line of the instruction at ``address`` of ``function``, ``None`` where the table has none."""
        rows = self.rows.get(function, [])
        index = bisect_right(rows, address, key=lambda row: row[0]) - 1
        return rows[index][1] if index >= 0 else None


def read_line_table(data: bytes, functions: dict[int, str]) -> LineTable:
    """Read ``.debug_line``.

    Args:
        data: the section, empty when the cubin has none.
        functions: offset in the section of an address operand -> the function that it stands for.

    Raises:
        CubinError: the section is damaged or of another version.
    """
    table = LineTable()
    offset = 0
    try:
        while offset < len(data):
            offset = _read_unit(data, offset, functions, table)
    except (struct.error, IndexError, UnicodeDecodeError, ValueError) as error:
        raise CubinError(f"damaged cubin: .debug_line: {error}") from error
    for rows in table.rows.values():
        rows.sort(key=lambda row: row[0])
    return table


class _Cursor:
    def __init__(self, data: bytes, offset: int) -> None:
        self.data = data
        self.offset = offset

    def unpack(self, form: str) -> int:
        (value,) = struct.unpack_from("<" + form, self.data, self.offset)
        self.offset += struct.calcsize(form)
        return int(value)

    def text(self) -> str:
        end = self.data.index(0, self.offset)
        value = self.data[self.offset : end].decode()
        self.offset = end + 1
        return value

    def uleb(self) -> int:
        value = shift = 0
        while True:
            byte = self.unpack("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def sleb(self) -> int:
        start = self.offset
        value = self.uleb()
        bits = 7 * (self.offset - start)
        return value - (1 << bits) if value >> (bits - 1) else value


@dataclass(frozen=True)
class _Header:
    minimum_instruction: int
    line_base: int
    line_range: int
    opcode_base: int
    operand_counts: list[int]
    files: list[str]


def _read_unit(data: bytes, offset: int, functions: dict[int, str], table: LineTable) -> int:
    cursor = _Cursor(data, offset)
    length = cursor.unpack("I")
    end = cursor.offset + length
    version = cursor.unpack("H")
    if version != 2 or end > len(data):
        raise ValueError(f"version {version}, or cut off")
    header_length = cursor.unpack("I")
    program = cursor.offset + header_length
    header = _read_header(cursor)
    cursor.offset = program
    _run_program(cursor, end, header, functions, table)
    return end


def _read_header(cursor: _Cursor) -> _Header:
    minimum_instruction = cursor.unpack("B")
    cursor.unpack("B")  # default_is_stmt
    line_base, line_range, opcode_base = cursor.unpack("b"), cursor.unpack("B"), cursor.unpack("B")
    operand_counts = [cursor.unpack("B") for _ in range(opcode_base - 1)]
    folders = [""]
    while name := cursor.text():
        folders.append(name)
    files = [""]
    while name := cursor.text():
        folder = folders[cursor.uleb()]
        cursor.uleb()  # time
        cursor.uleb()  # size
        path = f"{folder}/{name}" if folder else name
        files.append(path.removeprefix(SOURCE_ROOT + "/"))
    return _Header(minimum_instruction, line_base, line_range, opcode_base, operand_counts, files)


def _run_program(cursor: _Cursor, end: int, header: _Header, functions: dict[int, str], table: LineTable) -> None:
    function, address, file, line = "", 0, 1, 1

    def emit() -> None:
        table.rows.setdefault(function, []).append((address, SourceLine(header.files[file], line)))

    while cursor.offset < end:
        opcode = cursor.unpack("B")
        if opcode >= header.opcode_base:
            step = opcode - header.opcode_base
            address += step // header.line_range * header.minimum_instruction
            line += header.line_base + step % header.line_range
            emit()
        elif opcode == 0:
            size = cursor.uleb()
            after = cursor.offset + size
            extended = cursor.unpack("B")
            if extended == _SET_ADDRESS:
                function = functions.get(cursor.offset, "")
                address = cursor.unpack("Q")
            elif extended == _END_SEQUENCE:
                function, address, file, line = "", 0, 1, 1
            cursor.offset = after
        elif opcode == _COPY:
            emit()
        elif opcode == _ADVANCE_PC:
            address += cursor.uleb() * header.minimum_instruction
        elif opcode == _ADVANCE_LINE:
            line += cursor.sleb()
        elif opcode == _SET_FILE:
            file = cursor.uleb()
        elif opcode == _CONST_ADD_PC:
            address += (255 - header.opcode_base) // header.line_range * header.minimum_instruction
        elif opcode == _FIXED_ADVANCE:
            address += cursor.unpack("H")
        else:
            for _ in range(header.operand_counts[opcode - 1]):
                cursor.uleb()
