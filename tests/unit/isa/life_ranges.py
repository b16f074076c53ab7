"""Reads nvdisasm's table of register life ranges: per instruction, what is read (v, x) and written (^, x)."""

import re
from collections import defaultdict
from collections.abc import Iterable

from isa.operand import Register, RegisterFile

Registers = set[tuple[str, int]]
COLUMN_NAMES = {
    RegisterFile.GENERAL: "GPR",
    RegisterFile.PREDICATE: "PRED",
    RegisterFile.UNIFORM: "UGPR",
    RegisterFile.UNIFORM_PREDICATE: "UPRED",
}


def plain(registers: Iterable[Register]) -> Registers:
    return {(COLUMN_NAMES[r.file], r.index) for r in registers if r.file in COLUMN_NAMES}


def parse(listing: str) -> dict[str, dict[int, tuple[Registers, Registers]]]:
    """Function to address to (read, written)."""
    result: dict[str, dict[int, tuple[Registers, Registers]]] = defaultdict(dict)
    function = ""
    names: list[str] = []
    digits: list[list[str]] = []
    for line in listing.splitlines():
        if line.startswith("//---") and ".text." in line:
            function = line.split(".text.")[1].split()[0]
            continue
        table = re.search(r"// \|(.*)\|\s*$", line)
        if table is None:
            continue
        code, cells = line[: table.start()], table[1].split("|")
        address = re.match(r"\s*/\*([0-9a-f]+)\*/", code)
        if address:
            result[function][int(address[1], 16)] = _marks(cells, names, digits)
        elif "GPR" in table[1]:
            names, digits = [cell.strip() for cell in cells], [[] for _ in cells]
        elif not code.strip() and re.search(r"\d", table[1]):
            for column, cell in zip(digits, cells, strict=True):
                column.append(cell)
    return result


def _marks(cells: list[str], names: list[str], digits: list[list[str]]) -> tuple[Registers, Registers]:
    reads: Registers = set()
    writes: Registers = set()
    for cell, name, rows in zip(cells, names, digits, strict=True):
        start = rows[-1].index("#") + 2  # the number of live registers stands before it
        for position, mark in enumerate(cell[start:], start):
            if mark in "^vx":
                # A column's number stands above it, one digit a line.
                register = (name, int("".join(row[position] for row in rows)))
                if mark in "vx":
                    reads.add(register)
                if mark in "^x":
                    writes.add(register)
    return reads, writes
