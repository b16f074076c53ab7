"""The opcode table: what each sm_90 opcode writes, how wide its operands are, its pipe and its latency class.

The data is ``opcodes.csv``. Latency classes are those of Mesa's NAK compiler. Pipes follow Nsight Compute's
description of the pipelines and the spacing that the compiler keeps between neighbours on one pipe: 2 cycles on ALU
(LOP3, MOV, R2UR, VOTE, CS2R), FMA heavy (IMAD, VIADD, HFMA2) and FP64, 4 on LSU (LDS, SHFL, STG), 8 on XU (MUFU, F2F,
FLO, FCHK) and on ADU (LDC, S2UR, REDUX, MATCH, BAR). No spacing shows those of HFMA2.MMA (neither ALU nor FMA heavy),
ELECT, B2R, VOTEU and S2R: they are uncertain.
"""

import csv
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from isa.operand import (
    Address,
    Constant,
    Immediate,
    Label,
    Operand,
    Register,
    RegisterFile,
    SpecialRegister,
)

# Opcodes whose name has a dot: another unit than the name without it.
DOTTED_NAMES = ("HFMA2.MMA",)

_REGISTER_KINDS = {
    RegisterFile.GENERAL: "R",
    RegisterFile.UNIFORM: "U",
    RegisterFile.PREDICATE: "P",
    RegisterFile.UNIFORM_PREDICATE: "P",
    RegisterFile.CONVERGENCE: "B",
}
_KINDS = {Address: "A", Constant: "C", Immediate: "I", Label: "L", SpecialRegister: "S"}


@dataclass(frozen=True, slots=True)
class OpcodeRow:
    """A row of the table; the columns are described at the head of ``opcodes.csv``."""

    opcode: str
    modifiers: tuple[str, ...]
    destinations: re.Pattern[str]
    widths: tuple[int, ...]
    pipe: str
    latency_class: str
    target: str

    def count_destinations(self, operands: tuple[Operand, ...]) -> int:
        """How many of ``operands`` are written.

        Raises:
            ValueError: the operands do not begin as the table says.
        """
        kinds = operand_kinds(operands)
        match = self.destinations.match(kinds)
        if match is None:
            raise ValueError(
                f"operands of kinds {kinds!r} where the opcode table expects {self.destinations.pattern!r}"
            )
        return match.end()

    def operand_widths(self, operands: tuple[Operand, ...]) -> tuple[int, ...]:
        """Width in 32-bit words of every operand; 1 for predicates, addresses and whatever has no width."""
        remaining = list(self.widths)
        widths = []
        for kind in operand_kinds(operands):
            if kind in "RUCI":
                widths.append(remaining[0])
                if len(remaining) > 1:
                    remaining.pop(0)
            else:
                widths.append(1)
        return tuple(widths)


def split_name(text: str) -> tuple[str, tuple[str, ...]]:
    """Split a printed opcode into its base name and its modifiers: "IMAD.WIDE.U32" to "IMAD", ("WIDE", "U32")."""
    for name in DOTTED_NAMES:
        if text == name or text.startswith(name + "."):
            return name, tuple(text[len(name) + 1 :].split(".")) if text != name else ()
    name, *modifiers = text.split(".")
    return name, tuple(modifiers)


def find_row(opcode: str, modifiers: tuple[str, ...]) -> OpcodeRow | None:
    """The row for an opcode with its modifiers, or ``None`` when the opcode is not in the table."""
    return next((row for row in opcode_table().get(opcode, ()) if _contains(modifiers, row.modifiers)), None)


@cache
def opcode_table() -> dict[str, tuple[OpcodeRow, ...]]:
    """The rows by base opcode, those that need most modifiers first."""
    text = files("isa").joinpath("opcodes.csv").read_text(encoding="utf-8")
    table: dict[str, list[OpcodeRow]] = {}
    for entry in csv.DictReader(line for line in text.splitlines() if not line.startswith("#")):
        opcode, modifiers = split_name(entry["opcode"])
        widths = tuple(int(width) for width in entry["widths"].split()) or (1,)
        pattern = re.compile(entry["destinations"])
        row = OpcodeRow(opcode, modifiers, pattern, widths, entry["pipe"], entry["latency_class"], entry["target"])
        table.setdefault(opcode, []).append(row)
    return {opcode: tuple(sorted(rows, key=lambda row: -len(row.modifiers))) for opcode, rows in table.items()}


def operand_kinds(operands: tuple[Operand, ...]) -> str:
    """One letter per operand, as the table's patterns use them."""
    return "".join(
        _REGISTER_KINDS[operand.file] if isinstance(operand, Register) else _KINDS[type(operand)]
        for operand in operands
    )


def _contains(modifiers: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    size = len(wanted)
    return any(modifiers[i : i + size] == wanted for i in range(len(modifiers) - size + 1))
