import pytest

from isa.opcodes import find_row, opcode_table, split_name
from isa.operand_parser import parse_operands


@pytest.mark.parametrize(
    ("text", "name", "modifiers"),
    [
        ("EXIT", "EXIT", ()),
        ("IMAD.WIDE.U32", "IMAD", ("WIDE", "U32")),
        ("HFMA2.MMA", "HFMA2.MMA", ()),
        ("HFMA2.MMA.BF16_V2", "HFMA2.MMA", ("BF16_V2",)),
        ("HFMA2.BF16_V2", "HFMA2", ("BF16_V2",)),
    ],
)
def test_names(text: str, name: str, modifiers: tuple[str, ...]) -> None:
    assert split_name(text) == (name, modifiers)


def test_each_row_is_there_once() -> None:
    keys = [(row.opcode, row.modifiers) for rows in opcode_table().values() for row in rows]
    assert len(keys) == len(set(keys))
    assert len(opcode_table()) > 100


def test_an_unknown_opcode_has_no_row() -> None:
    assert find_row("HGMMA", ("64x64x16", "F32")) is None


@pytest.mark.parametrize(
    ("text", "operands", "destinations", "widths"),
    [
        ("FFMA", "R7,-R3,R6,1", 1, (1, 1, 1, 1)),
        ("IADD3", "R14,P0,P1,R20,R2,R23", 3, (1, 1, 1, 1, 1, 1)),
        ("IADD3.X", "R7,RZ,R5,RZ,P0,!PT", 1, (1, 1, 1, 1, 1, 1)),
        ("LOP3.LUT", "P1,RZ,R7,0x1f,RZ,0xc0,!PT", 2, (1,) * 7),
        ("ISETP.GE.AND", "P0,PT,R0,0x4,PT", 2, (1,) * 5),
        ("IMAD.WIDE.U32", "R2,R5,0x4,R2", 1, (2, 1, 1, 2)),
        ("IMAD.HI.U32", "R3,R3,R5,R2", 1, (1, 1, 1, 2)),
        ("DFMA", "R2,R24,R2,UR4", 1, (2, 2, 2, 2)),
        ("F2F.F64.F32", "R4,R0", 1, (2, 1)),
        ("F2F.F32.F64", "R4,R0", 1, (1, 2)),
        ("F2I.S64.F64.TRUNC", "R4,R0", 1, (2, 2)),
        ("I2F.F64.U32", "R4,R0", 1, (2, 1)),
        ("LDG.E.128.CONSTANT", "R4,desc[UR4][R2.64]", 1, (4, 1)),
        ("STG.E.64", "desc[UR4][R2.64],R8", 0, (1, 2)),
        ("ATOMG.E.ADD.STRONG.GPU", "PT,R3,desc[UR6][R8.64],R4", 2, (1, 1, 1, 1)),
        ("ATOMS.CAS.64", "R14,[R7],R12,R14", 1, (2, 1, 2, 2)),
        ("SHFL.BFLY", "PT,R3,R0,0x10,0x1f", 2, (1,) * 5),
        ("VOTE.ANY", "R4,PT,P1", 2, (1, 1, 1)),
        ("R2UR", "UR4,R4", 1, (1, 1)),
        ("B2R.RESULT", "RZ,P1", 2, (1, 1)),
        ("BSSY", "B0,0x130", 1, (1, 1)),
    ],
)
def test_destinations_and_widths(text: str, operands: str, destinations: int, widths: tuple[int, ...]) -> None:
    row = find_row(*split_name(text))
    assert row is not None
    parsed = parse_operands(operands, {})
    assert row.count_destinations(parsed) == destinations
    assert row.operand_widths(parsed) == widths


def test_operands_against_the_table_are_an_error() -> None:
    row = find_row("ISETP", ())
    assert row is not None
    with pytest.raises(ValueError, match="'RRR' where the opcode table expects 'PP'"):
        row.count_destinations(parse_operands("R1,R2,R3", {}))
