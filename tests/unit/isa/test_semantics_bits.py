import numpy as np
import pytest

from tests.one_instruction import Warp, predicate, result

ALL = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("SHF.L.U32 R0, R1, R2, RZ", (1, 32), 0),
        ("SHF.L.W.U32 R0, R1, R2, RZ", (1, 33), 2),
        ("SHF.R.U32.HI R0, RZ, R2, R3", (0, 40, ALL), 0),
        ("SHF.R.S32.HI R0, RZ, R2, R3", (0, 40, 0x80000000), ALL),
        ("SHF.L.U32.HI R0, R1, 0x8, R3", (0xAB000000, 0, 1), 0x1AB),
        ("SHF.R.U64 R0, R1, R2, R3", (0x12, 36, 0x345), 0x34),
        ("SHF.R.S64 R0, R1, R2, R3", (0, 64, 0x80000000), ALL),
        ("SHF.L.U64.HI R0, R1, R2, R3", (3, 33, 0), 6),
        ("SHF.R.W.U32 R0, R1, R2, R3", (0x0000000F, 0x24, 0x00000007), 0x70000000),
        ("SGXT R0, R1, R2", (0x80, 8), 0xFFFFFF80),
        ("SGXT.U32 R0, R1, R2", (0x1FF, 8), 0xFF),
        ("SGXT R0, R1, R2", (0x80, 0), 0),
        ("SGXT R0, R1, R2", (0x80000000, 99), 0x80000000),
        ("BMSK R0, R1, R2", (4, 8), 0xFF0),
        ("BMSK R0, R1, R2", (4, 40), 0xFFFFFFF0),
        ("BMSK.W R0, R1, R2", (36, 40), 0xFF0),
        ("POPC R0, R1", (0xF0F0,), 8),
        ("POPC R0, ~R1", (0xF0F0,), 24),
        ("FLO.U32 R0, R1", (0x00100000,), 20),
        ("FLO.U32 R0, R1", (0,), ALL),
        ("FLO R0, R1", (ALL,), ALL),
        ("FLO R0, R1", (0xFFFF0000,), 15),
        ("FLO.U32.SH R0, R1", (0x00100000,), 11),
        ("FLO.U32.SH R0, R1", (0,), ALL),
        ("BREV R0, R1", (0x00000001,), 0x80000000),
        ("PRMT R0, R1, 0x5410, R2", (0xAAAABBBB, 0xCCCCDDDD), 0xDDDDBBBB),
        ("PRMT R0, R1, 0xba98, R2", (0x80017F00, 0), 0xFF000000),
        ("PRMT.F4E R0, R1, R2, R3", (0x44332211, 3, 0x88776655), 0x77665544),
        ("PRMT.B4E R0, R1, R2, R3", (0x44332211, 0, 0x88776655), 0x66778811),
        ("PRMT.RC8 R0, R1, R2, R3", (0x44332211, 2, 0), 0x33333333),
        ("PRMT.RC16 R0, R1, R2, R3", (0x44332211, 1, 0), 0x44334433),
        ("PRMT.ECL R0, R1, R2, R3", (0x44332211, 2, 0), 0x44333333),
        ("PRMT.ECR R0, R1, R2, R3", (0x44332211, 1, 0), 0x22222211),
        ("LOP3.LUT R0, R1, R2, R3, 0xe8, !PT", (0xF0, 0xCC, 0xAA), 0xE8),
        ("LOP3.LUT R0, R1, 0xff, RZ, 0xc0, !PT", (0x1234,), 0x34),
        ("SEL R0, R1, R2, !P1", (1, 2), 1),
        ("MOV R0, 0x11", (), 0x11),
    ],
)
def test_values(text: str, values: tuple[int, ...], expected: int) -> None:
    assert result(text, *values) == expected


def test_lop3_predicate_says_nonzero_or_the_last_operand() -> None:
    text = "LOP3.LUT P0, RZ, R1, R2, RZ, 0xc0, P1"
    assert predicate(text, 1, 3, P1=False)
    assert not predicate(text, 1, 2, P1=False)
    assert predicate(text, 1, 2, P1=True)
    assert not predicate("LOP3.LUT.PAND P0, RZ, R1, R2, RZ, 0xc0, P1", 1, 3, P1=False)


def test_plop3_has_two_tables_and_reads_signs() -> None:
    text = "PLOP3.LUT P0, P3, P1, P2, PT, 0x80, 0x2a"
    assert predicate(text, P1=True, P2=True)
    assert not predicate(text, index=3, P1=True, P2=True)
    assert predicate(text, index=3, P1=False, P2=True)
    assert predicate("PLOP3.LUT P0, PT, R1.SIGN, R2.SIGN, R3.SIGN, 0x2, 0x0", 5, 6, 0x80000000)


def test_predicates_pack_and_unpack() -> None:
    warp = Warp(registers={1: 0xABCD}, predicates={0: True, 2: True, 3: True})
    assert int(warp.execute("P2R R0, PR, R1, 0x7").register(0)[0, 0]) == 0xABCD & ~7 | 5
    assert int(warp.execute("P2R.B1 R0, PR, RZ, 0x7f").register(0)[0, 0]) == 0b1101 << 8
    lanes = warp.execute("R2P PR, R1.B1, 0x3")
    assert [bool(lanes.predicate(i)[0, 0]) for i in range(3)] == [True, True, True]
    assert [bool(warp.execute("R2P PR, R1, 0x7f").predicate(i)[0, 0]) for i in range(7)] == [
        bool(0xCD >> i & 1) for i in range(7)
    ]


def test_r2ur_takes_the_first_lane_that_executes() -> None:
    mask = np.arange(32)[None, :] >= 5
    assert int(Warp(registers={1: np.arange(32)}, mask=mask).execute("R2UR UR4, R1").uniform(4)[0, 0]) == 5
