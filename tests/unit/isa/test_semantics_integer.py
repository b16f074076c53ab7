import numpy as np
import pytest

from tests.one_instruction import Warp, predicate, result

ALL = 0xFFFFFFFF


def test_iadd3_adds_three_and_negates() -> None:
    assert result("IADD3 R0, R1, -R2, R3", 5, 7, 1) == ALL


def test_iadd3_carries_say_one_and_two_times_2_to_32() -> None:
    text = "IADD3 R0, P0, P1, R1, R2, R3"
    assert [predicate(text, ALL, 1, 0, index=i) for i in (0, 1)] == [True, False]
    assert [predicate(text, ALL, ALL, 2, index=i) for i in (0, 1)] == [True, True]
    assert [predicate(text, 1, 2, 3, index=i) for i in (0, 1)] == [False, False]


def test_subtracting_zero_carries_as_no_borrow() -> None:
    assert predicate("IADD3 R0, P0, R1, -R2, RZ", 5, 0)
    assert not predicate("IADD3 R0, P0, R1, -R2, RZ", 5, 6)


def test_iadd3_x_adds_both_carries_and_inverts() -> None:
    assert result("IADD3.X R0, R1, ~R2, R3, P1, P2", 10, 3, 0, P1=True, P2=True) == 10 + (~3 & ALL) + 2 & ALL
    assert result("IADD3.X R0, R1, R2, RZ, !P1, !PT", 1, 1, P1=True) == 2


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("IMAD R0, R1, R2, R3", (7, ALL, 10), 3),
        ("IMAD.MOV.U32 R0, RZ, RZ, R3", (0, 0, 9), 9),
        ("IMAD.SHL.U32 R0, R1, 0x10, RZ", (3,), 48),
        ("IMAD.IADD R0, R1, 0x1, -R2", (3, 5), ALL - 1),
        ("IMAD.HI.U32 R0, R1, R2, RZ", (ALL, ALL), ALL - 1),
        ("IMAD.HI R0, R1, R2, RZ", (ALL, 2), ALL),
        # With .HI the third source is a pair: its high word is added to the high word.
        ("IMAD.HI.U32 R0, R1, R2, R4", (1 << 31, 2, 0, ALL, 5), 6),
        ("LEA R0, R1, R2, 0x3", (5, 2), 42),
        ("LEA R0, -R1, R2, 0x3", (5, 2), -38 & ALL),
        ("LEA.HI R0, R1, R2, R3, 0x4", (0xF0000000, 1, 2), 0x30),
        ("LEA.HI.SX32 R0, R1, R2, 0x4", (0x80000000, 0), 0xFFFFFFF8),
        ("IABS R0, R1", (0x80000000,), 0x80000000),
        ("VIADD R0, R1, -0x5", (3,), ALL - 1),
        ("VIADD.16x2 R0, R1, -R2", (0x00010001, 0x00020001), 0xFFFF0000),
        ("VABSDIFF R0, R1, R2, R3", (0x80000000, 0x7FFFFFFF, 1), 0),
        ("VABSDIFF4.U8 R0, R1, R2, RZ", (0x01FF0305, 0x02000304), 0x01FF0001),
        ("VABSDIFF4.U8.ACC R0, R1, R2, R3", (0x01FF0305, 0x02000304, 10), 1 + 255 + 1 + 10),
        ("IDP.4A.S8.U8 R0, R1, R2, R3", (0xFF, 0xFF, 1), 1 - 255 & ALL),
        ("IDP.2A.HI.S16.S8 R0, R1, R2, R3", (0xFFFF0002, 0x03040000, 0), 2 * 4 - 3),
    ],
)
def test_values(text: str, values: tuple[int, ...], expected: int) -> None:
    assert result(text, *values) == expected


def test_imad_wide_writes_a_pair_and_carries() -> None:
    warp = Warp(registers={2: ALL, 3: ALL, 4: ALL, 5: ALL})
    lanes = warp.execute("IMAD.WIDE.U32 R0, P0, R2, R3, R4")
    total = ALL * ALL + (1 << 64) - 1
    assert int(lanes.register64(0)[0, 0]) == total & (1 << 64) - 1
    assert lanes.predicate(0)[0, 0]


def test_isetp_ex_lets_the_low_words_decide_a_tie() -> None:
    for low in (True, False):
        assert predicate("ISETP.LT.AND.EX P0, PT, R1, R2, PT, P1", 4, 4, P1=low) is low
        assert predicate("ISETP.GE.U32.AND.EX P0, PT, R1, R2, PT, P1", ALL, 4, P1=low)
    assert not predicate("ISETP.LT.AND.EX P0, PT, R1, R2, PT, P1", 4, ALL, P1=True)


def test_isetp_writes_the_opposite_combined_with_the_same_predicate() -> None:
    text = "ISETP.LT.AND P0, P2, R1, R2, P1"
    assert [predicate(text, 1, 2, index=i, P1=True) for i in (0, 2)] == [True, False]
    assert [predicate(text, 2, 1, index=i, P1=True) for i in (0, 2)] == [False, True]
    assert [predicate(text, 2, 1, index=i, P1=False) for i in (0, 2)] == [False, False]


def test_minimum_and_maximum() -> None:
    assert result("VIMNMX R0, R1, R2, PT", ALL, 1) == ALL
    assert result("VIMNMX.U32 R0, R1, R2, PT", ALL, 1) == 1
    assert result("VIMNMX R0, R1, 0x7, !PT", ALL) == 7
    assert result("VIMNMX3.RELU R0, R1, R2, R3, PT", 5, 9, ALL) == 0
    assert result("VIADDMNMX.S16x2 R0, R1, R2, R3, !PT", 0x7FFF0001, 0x00010001, 0xFFFF0000) == 0xFFFF0002
    lanes = Warp(registers={1: 0x00050001, 2: 0x00040002}).execute("VIMNMX.S16x2 R0, P0, P1, R1, R2, !PT")
    assert int(lanes.register(0)[0, 0]) == 0x00050002
    assert not lanes.predicate(0)[0, 0]
    assert lanes.predicate(1)[0, 0]


def test_masked_lanes_keep_their_registers() -> None:
    mask = np.arange(32)[None, :] % 2 == 0
    lanes = Warp(registers={0: 9, 1: 1, 2: 2}, mask=mask).execute("IADD3 R0, R1, R2, RZ")
    assert list(lanes.register(0)[0, :4]) == [3, 9, 3, 9]


def test_uniform_forms_write_uniform_registers() -> None:
    warp = Warp(uniform={1: ALL, 2: 1})
    lanes = warp.execute("UIADD3 UR0, UP0, UR1, UR2, URZ")
    assert int(lanes.uniform(0)[0, 0]) == 0
    assert lanes.uniform_predicate(0)[0, 0]
    assert int(warp.execute("USHF.L.U32 UR0, UR1, 0x4, URZ").uniform(0)[0, 0]) == 0xFFFFFFF0
    assert int(warp.execute("UIMAD.WIDE.U32 UR4, UR1, UR1, URZ").uniform64(4)[0, 0]) == ALL * ALL


def test_vector_instruction_reads_uniform_register() -> None:
    lanes = Warp(registers={1: np.arange(32)}, uniform={4: 100}).execute("IADD3 R0, R1, UR4, RZ")
    assert list(lanes.register(0)[0]) == list(range(100, 132))
