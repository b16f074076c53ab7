import math

import pytest

from isa.operand import (
    PT,
    RZ,
    URZ,
    Address,
    Constant,
    Immediate,
    Label,
    Operand,
    Register,
    RegisterFile,
    SpecialRegister,
)
from isa.operand_parser import parse_operand, parse_operands

R, UR, P, UP, B = (
    RegisterFile.GENERAL,
    RegisterFile.UNIFORM,
    RegisterFile.PREDICATE,
    RegisterFile.UNIFORM_PREDICATE,
    RegisterFile.CONVERGENCE,
)


@pytest.mark.parametrize(
    ("text", "operand"),
    [
        ("R4", Register(R, 4)),
        ("RZ", Register(R, RZ)),
        ("R4.reuse", Register(R, 4)),
        ("-R4", Register(R, 4, negate=True)),
        ("~R4", Register(R, 4, invert=True)),
        ("-|R4|", Register(R, 4, negate=True, absolute=True)),
        ("|R2|.reuse", Register(R, 2, absolute=True)),
        ("|R9|.reuse.H0_H0", Register(R, 9, absolute=True, selector="H0_H0")),
        ("-R4.H1_H1.reuse", Register(R, 4, negate=True, selector="H1_H1")),
        ("UR36", Register(UR, 36)),
        ("URZ", Register(UR, URZ)),
        ("!P2", Register(P, 2, invert=True)),
        ("PT", Register(P, PT)),
        ("!UPT", Register(UP, PT, invert=True)),
        ("UP0", Register(UP, 0)),
        ("B6", Register(B, 6)),
        ("0x10", Immediate(16)),
        ("-0x80000000", Immediate(-(2**31))),
        ("1.875", Immediate(1.875)),
        ("-2", Immediate(-2.0)),
        ("+INF", Immediate(math.inf)),
        ("-INF", Immediate(-math.inf)),
        ("6.75539944105574400000e+15", Immediate(6755399441055744.0)),
        ("c[0x0][0x28]", Constant(0, 0x28)),
        ("-c[0x3][0x10]", Constant(3, 0x10, negate=True)),
        ("|c[0x3][0x10]|", Constant(3, 0x10, absolute=True)),
        ("c[0x2][R8]", Constant(2, 0, Register(R, 8))),
        ("c[0x3][R4+-0x8]", Constant(3, -8, Register(R, 4))),
        ("cx[UR4][0x20]", Constant(Register(UR, 4), 0x20)),
        ("[R1+0xc]", Address(Register(R, 1), None, 12)),
        ("[UR6]", Address(None, Register(UR, 6), 0)),
        ("[R0+UR38+0x4]", Address(Register(R, 0), Register(UR, 38), 4)),
        ("desc[UR4][R2.64+-0x8]", Address(Register(R, 2, selector="64"), None, -8, Register(UR, 4))),
        ("desc[UR4][R2.U32+UR6]", Address(Register(R, 2, selector="U32"), Register(UR, 6), 0, Register(UR, 4))),
        ("[R3.X4]", Address(Register(R, 3, selector="X4"), None, 0)),
        ("SR_TID.X", SpecialRegister("TID.X")),
        ("SR_CgaCtaId", SpecialRegister("CgaCtaId")),
        ("SRZ", SpecialRegister("Z")),
        ("SB0", SpecialRegister("SB0")),
        ("PR", SpecialRegister("PR")),
        ("$f$_Z3reci", Label(0x220)),
    ],
)
def test_forms(text: str, operand: Operand) -> None:
    assert parse_operand(text, {"$f$_Z3reci": 0x220}) == operand


def test_a_nan_is_a_number_of_its_own() -> None:
    operand = parse_operand("+QNAN", {})
    assert isinstance(operand, Immediate)
    assert math.isnan(operand.value)


def test_a_list_of_operands() -> None:
    assert parse_operands("R7,-R3, +INF ,P0", {}) == (
        Register(R, 7),
        Register(R, 3, negate=True),
        Immediate(math.inf),
        Register(P, 0),
    )
    assert parse_operands("", {}) == ()


@pytest.mark.parametrize("text", ["nowhere", "[R1+R2]", "[R1.64+", "c[R1][0x0", "c[zero][0x0]", "g[0x4]", "R", "#3"])
def test_an_unknown_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="operand"):
        parse_operand(text, {})
