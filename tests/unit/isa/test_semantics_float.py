import numpy as np
import pytest

from isa.errors import UnsupportedInstructionError
from tests.one_instruction import Warp, predicate, result

NAN, INFINITY, MINUS_ZERO = 0x7FC00001, 0x7F800000, 0x80000000
CANONICAL = 0x7FFFFFFF
TINY = 0x00000001


def bits(value: float) -> int:
    return int(np.float32(value).view(np.uint32))


def halves(low: float, high: float) -> int:
    return int(np.array([low, high], np.float16).view(np.uint32)[0])


def pair(value: float) -> tuple[int, int]:
    words = np.array([value], np.float64).view(np.uint32)
    return int(words[0]), int(words[1])


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("FADD R0, R1, -R2", (bits(1.5), bits(0.25)), bits(1.25)),
        ("FADD R0, |R1|, R2", (bits(-1.5), bits(0.25)), bits(1.75)),
        ("FADD R0, -|R1|, R2", (bits(1.5), bits(0.25)), bits(-1.25)),
        ("FADD R0, R1, R2", (NAN, 0), CANONICAL),
        ("FADD R0, R1, -R2", (INFINITY, INFINITY), CANONICAL),
        ("FADD.RM R0, R1, -R2", (bits(1.0), bits(1.0)), MINUS_ZERO),
        ("FADD.RP R0, R1, R2", (bits(1.0), TINY), bits(1.0) + 1),
        ("FADD.FTZ R0, R1, R2", (TINY, TINY), 0),
        # Rounds up to the smallest normal number, but was below it.
        ("FMUL.FTZ R0, R1, R2", (0x3F7FFFFF, 0x80800000), MINUS_ZERO),
        ("FMUL R0, R1, R2", (0x3F7FFFFF, 0x80800000), 0x80800000),
        ("FFMA.FTZ R0, R1, R2, RZ", (0x3F7FFFFF, 0x00800000), 0),
        ("FADD.SAT R0, R1, R2", (bits(-5.0), 0), 0),
        ("FADD.SAT R0, R1, R2", (NAN, 0), 0),
        ("FMUL.D2 R0, R1, R2", (0x7F000000, bits(3.0)), bits(1.5 * 2.0**127)),
        ("FMUL.D4 R0, R1, R2", (0x00800000, bits(1.5)), 0x00300000),
        ("FMUL.D8.SAT R0, R1, R2", (bits(6.0), bits(2.0)), bits(1.0)),
        ("FMUL.FTZ.D4 R0, R1, R2", (0x00800000, bits(1.5)), 0),
        ("FMUL.M4 R0, R1, R2", (bits(-3.0), bits(0.5)), bits(-6.0)),
        ("FMUL.M8 R0, R1, R2", (bits(2.0**100), bits(2.0**25)), 0x7F800000),
        ("FMUL.SAT R0, R1, R2", (bits(5.0), bits(5.0)), bits(1.0)),
        ("FMUL.RM R0, R1, R2", (TINY, bits(0.5)), 0),
        ("FMUL.RP R0, R1, R2", (TINY, bits(0.5)), TINY),
        ("FMUL.RZ R0, R1, R2", (0x7F7FFFFF, bits(2.0)), 0x7F7FFFFF),
        ("FMUL.RM R0, R1, R2", (0, bits(3.0)), 0),
        ("FFMA R0, R1, R2, -R3", (bits(1.0) + 1, bits(1.0) + 1, bits(1.0) + 2), bits(2.0**-46)),
        ("FMNMX R0, R1, R2, PT", (MINUS_ZERO, 0), MINUS_ZERO),
        ("FMNMX R0, R1, R2, !PT", (MINUS_ZERO, 0), 0),
        ("FMNMX R0, R1, R2, PT", (NAN, bits(1.0)), bits(1.0)),
        ("FMNMX.NAN R0, R1, R2, PT", (NAN, bits(1.0)), CANONICAL),
        ("FMNMX.XORSIGN R0, |R1|, |R2|, !PT", (bits(-2.0), bits(1.0)), bits(-2.0)),
        ("FSEL R0, R1, -R2, P1", (NAN, NAN), NAN | MINUS_ZERO),
        ("FSET.BF.LT.AND R0, R1, R2, PT", (bits(1.0), bits(2.0)), bits(1.0)),
        ("FRND.FLOOR R0, R1", (bits(-1.5),), bits(-2.0)),
        ("FRND R0, R1", (bits(2.5),), bits(2.0)),
        ("FRND.CEIL R0, R1", (bits(-0.5),), MINUS_ZERO),
        ("F2I.TRUNC.NTZ R0, R1", (bits(-1.9),), 0xFFFFFFFF),
        ("F2I.NTZ R0, R1", (bits(3e9),), 0x7FFFFFFF),
        ("F2I.U32.TRUNC.NTZ R0, R1", (bits(-3.0),), 0),
        ("F2I.NTZ R0, R1", (NAN,), 0),
        ("F2I.FTZ.CEIL.NTZ R0, R1", (TINY,), 0),
        ("F2I.CEIL.NTZ R0, R1", (TINY,), 1),
        ("I2F.S8 R0, R1.B2", (0x00FF0000,), bits(-1.0)),
        ("I2FP.F32.U32.RZ R0, R1", (0xFFFFFFFF,), 0x4F7FFFFF),
        ("I2F.RP R0, R1", (0x01000001,), bits(2.0**24) + 1),
        ("F2F.F16.F32 R0, R1", (bits(65520.0),), 0x7C00),
        ("F2F.F16.F32.RZ R0, R1", (bits(65520.0),), 0x7BFF),
        ("F2FP.F16.F32.PACK_AB R0, R1, R2", (bits(2.0), bits(1.0)), halves(1.0, 2.0)),
        ("F2FP.BF16.F32.PACK_AB R0, RZ, R2", (0, 0x3F808000), 0x3F80),
        ("F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, RZ", (bits(1e9), bits(-1.0)), 0x7EB8),
        ("F2FP.F16.E5M2.UNPACK_B R0, R1", (0x7C3C,), 0x7C003C00),
        ("HADD2.F32 R0, -RZ, R1.H1_H1", (halves(1.0, 3.0),), bits(3.0)),
        ("HADD2 R0, R1, -R2", (halves(1.0, 3.0), halves(0.5, 1.0)), halves(0.5, 2.0)),
        ("HMUL2 R0, R1.H1_H1, R2", (halves(1.0, 3.0), halves(0.5, 1.0)), halves(1.5, 3.0)),
        ("HFMA2 R0, R1, R2, R3", (halves(1.0, 3.0), halves(0.5, 1.0), halves(1.0, 1.0)), halves(1.5, 4.0)),
        ("HFMA2.MMA.SAT R0, R1, R2, RZ", (halves(-1.0, 3.0), halves(0.5, 1.0)), halves(0.0, 1.0)),
        ("HFMA2.RELU R0, R1, R2, RZ", (halves(-1.0, 3.0), halves(0.5, 1.0)), halves(0.0, 3.0)),
        ("HFMA2.BF16_V2 R0, R1, R2, R3", (0x3F804000, 0x40004000, 0x3F803F80), 0x404040A0),
        # The selector names the high half first: low is -3 * 2 + 1, high is 3 * 1 + 1.
        (
            "HFMA2 R0, R1.H1_H1, R2.H0_NH1, R3",
            (halves(9.0, 3.0), halves(1.0, 2.0), halves(1.0, 1.0)),
            halves(-5.0, 4.0),
        ),
        (
            "HFMA2 R0, R1.H1_H1, -R2.H0_NH1, R3",
            (halves(9.0, 3.0), halves(1.0, 2.0), halves(1.0, 1.0)),
            halves(7.0, -2.0),
        ),
        ("HMNMX2 R0, R1, R2, !PT", (halves(1.0, -3.0), halves(0.5, 1.0)), halves(1.0, 1.0)),
        ("VHMNMX R0, R1, R2, R3, !PT", (halves(1.0, -3.0), halves(0.5, 1.0), halves(2.0, 0.0)), halves(2.0, 1.0)),
        ("VHMNMX R0, R1, -R2, |R3|, PT", (halves(1.0, 3.0), halves(0.5, 1.0), halves(-2.0, 0.0)), halves(-0.5, -1.0)),
        ("VHMNMX R0, R1, R2, R3, PT", (0x7FFF7FFF, halves(0.5, 1.0), halves(2.0, 0.0)), halves(0.5, 0.0)),
        ("VHMNMX.NAN R0, R1, R2, R3, PT", (0x7FFF7FFF, halves(0.5, 1.0), halves(2.0, 0.0)), 0x7FFF7FFF),
        ("HSET2.BF.LT.AND R0, R1, R2, PT", (halves(1.0, -3.0), halves(2.0, -4.0)), halves(1.0, 0.0)),
        ("HSET2.LT.AND R0, R1, R2, PT", (halves(1.0, -3.0), halves(2.0, -4.0)), 0x0000FFFF),
        ("MUFU.RCP R0, R1", (bits(4.0),), bits(0.25)),
        ("MUFU.RCP R0, R1", (TINY,), INFINITY),
        ("MUFU.RSQ R0, R1", (bits(-4.0),), CANONICAL),
        ("MUFU.EX2 R0, R1", (bits(-130.0),), 0),
        ("MUFU.TANH R0, R1", (TINY,), TINY),
        ("MUFU.LG2 R0, R1", (bits(8.0),), bits(3.0)),
        ("MUFU.SIN R0, R1", (bits(0.25),), bits(1.0)),
        ("MUFU.COS R0, R1", (bits(0.5),), bits(-1.0)),
        ("MUFU.RCP64H R0, R1", (0x40000000,), 0x3FE00000),
    ],
)
def test_values(text: str, values: tuple[int, ...], expected: int) -> None:
    assert result(text, *values) == expected, hex(result(text, *values))


def test_float_immediates_come_from_the_encoding() -> None:
    assert result("FADD R0, R1, 0.15915493667125701904", bits(0.0), immediate=0x3E22F983) == 0x3E22F983
    assert result("FSEL R0, R1, +QNAN , P1", 0, immediate=0x7FFFFFFF, P1=False) == 0x7FFFFFFF
    assert result("HADD2 R0, R1, 3, 0.5", 0, immediate=halves(0.5, 3.0)) == halves(0.5, 3.0)


@pytest.mark.parametrize(
    ("comparison", "less", "equal", "nan"),
    [
        ("LT", True, False, False),
        ("LTU", True, False, True),
        ("EQ", False, True, False),
        ("NE", True, False, False),
        ("NEU", True, False, True),
        ("GEU", False, True, True),
        ("NUM", True, True, False),
        ("NAN", False, False, True),
    ],
)
def test_fsetp_comparisons(comparison: str, less: bool, equal: bool, nan: bool) -> None:
    text = f"FSETP.{comparison}.AND P0, PT, R1, R2, PT"
    one, two = bits(1.0), bits(2.0)
    assert [predicate(text, *v) for v in ((one, two), (one, one), (one, NAN))] == [less, equal, nan]


@pytest.mark.parametrize(
    ("a", "b", "c", "flushed"),
    [
        (0x00800000, 0x00800000, 0x80800000, 0x80800000),
        (0x08800002, 0x02800000, 0x80800000, 0x80800000),
        (0x1C800000, 0x9B000000, 0x00800003, 0x00000000),
        (0x19000002, 0x1D800000, 0x80800003, 0x80000000),
        (0x17670A55, 0x288DD3FA, 0x00000000, 0x00800000),
        (0x1FD5DC72, 0x2016A672, 0x00000000, 0x00000000),
    ],
)
def test_ffma_ftz_next_to_the_smallest_normal_number_as_on_the_h100(a: int, b: int, c: int, flushed: int) -> None:
    assert result("FFMA.FTZ R0, R1, R2, R3", a, b, c) == flushed


def test_fsetp_ftz_takes_denormals_for_zeros() -> None:
    assert predicate("FSETP.EQ.FTZ.AND P0, PT, R1, R2, PT", TINY, MINUS_ZERO)
    assert not predicate("FSETP.EQ.AND P0, PT, R1, R2, PT", TINY, MINUS_ZERO)


def test_double_arithmetic_uses_pairs() -> None:
    registers = dict(zip((2, 3, 4, 5), (*pair(1.0), *pair(2.0**-60)), strict=True))
    lanes = Warp(registers=registers).execute("DADD.RP R0, R2, R4")
    assert lanes.register64(0).view(np.float64)[0, 0] == np.nextafter(1.0, 2.0)
    lanes = Warp(registers=registers).execute("DFMA R0, R2, -R4, 1", immediate=0x3FF00000)
    assert lanes.register64(0).view(np.float64)[0, 0] == 1.0
    lanes = Warp(registers=registers).execute("DSETP.GT.AND P0, P1, R2, |R4|, PT")
    assert lanes.predicate(0)[0, 0]
    assert not lanes.predicate(1)[0, 0]


@pytest.mark.parametrize(
    ("a", "b", "chooses_a", "both_nan"),
    [(1.0, 2.0, True, False), (-0.0, 0.0, True, False), (np.nan, 1.0, False, False), (1.0, np.nan, True, False)],
)
def test_dsetp_min_chooses(a: float, b: float, chooses_a: bool, both_nan: bool) -> None:
    registers = dict(zip((2, 3, 4, 5), (*pair(a), *pair(b)), strict=True))
    lanes = Warp(registers=registers).execute("DSETP.MIN.AND P0, P1, R2, R4, PT")
    assert (bool(lanes.predicate(0)[0, 0]), bool(lanes.predicate(1)[0, 0])) == (chooses_a, both_nan)


def test_double_nans_keep_sign_and_payload() -> None:
    signalling, quiet = 0xFFF0000000000456, 0xFFF8000000000456
    registers = dict(zip((2, 3, 4, 5), (signalling & 0xFFFFFFFF, signalling >> 32, *pair(1.0)), strict=True))
    for text in ("DADD R0, R4, -R2", "DMUL R0, |R2|, R4", "DFMA R0, R4, R4, R2", "DMUL.RP R0, R2, R4"):
        assert int(Warp(registers=registers).execute(text).register64(0)[0, 0]) == quiet, text
    assert int(Warp(registers=registers).execute("F2F.F32.F64 R0, R2").register(0)[0, 0]) == 0xFFC00000
    lanes = Warp(registers={2: 0x7F800001}).execute("F2F.F64.F32 R0, R2")
    assert int(lanes.register64(0)[0, 0]) == 0x7FF8000020000000
    infinities = dict(zip((2, 3, 4, 5), (*pair(np.inf), *pair(np.inf)), strict=True))
    lanes = Warp(registers=infinities).execute("DADD R0, R2, -R4")
    assert int(lanes.register64(0)[0, 0]) == 0xFFF8000000000000


@pytest.mark.parametrize(
    ("exponent_a", "exponent_b", "slow"),
    [
        (127, 127, False),
        (24, 2, True),
        (25, 2, False),
        (100, 1, True),
        (200, 252, True),
        (200, 251, False),
        (25, 149, False),
        (25, 150, True),
        (128, 2, False),
        (129, 2, True),
        (255, 127, True),
    ],
)
def test_fchk_looks_at_the_exponents(exponent_a: int, exponent_b: int, slow: bool) -> None:
    assert predicate("FCHK P0, R1, R2", exponent_a << 23 | 1, exponent_b << 23 | 1) is slow


def test_conversions_to_64_bits() -> None:
    lanes = Warp(registers={2: NAN}).execute("F2I.S64 R0, R2")
    assert int(lanes.register64(0)[0, 0]) == 1 << 63
    lanes = Warp(registers={2: bits(1e30)}).execute("F2I.U64.TRUNC R0, R2")
    assert int(lanes.register64(0)[0, 0]) == (1 << 64) - 1
    lanes = Warp(registers={2: 0xFFFFFFFF, 3: 0xFFFFFFFF}).execute("I2F.F64.S64 R0, R2")
    assert lanes.register64(0).view(np.float64)[0, 0] == -1.0


def test_hsetp2_compares_both_halves() -> None:
    lanes = Warp(registers={1: halves(1.0, 5.0), 2: halves(2.0, 2.0)}).execute("HSETP2.LT.AND P0, P1, R1, R2, PT")
    assert lanes.predicate(0)[0, 0]
    assert not lanes.predicate(1)[0, 0]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("FADD.NOSUCH R0, R1, R2", "NOSUCH"),
        ("IADD3 R0, R1.H1_H1, R2, R3", "H1_H1"),
        ("HFMA2 R0, R1.H2_H2, R2, R3", "H2_H2"),
        ("IADD3 R0, |R1|, R2, R3", "absolute"),
        ("FSETP.LT P0, PT, R1, R2, PT", "AND"),
        ("MUFU.NOSUCH R0, R1", "NOSUCH"),
        ("PRMT.XYZ R0, R1, R2, R3", "XYZ"),
        ("LEPC R20", "a register and an address"),
    ],
)
def test_what_is_not_known_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(UnsupportedInstructionError, match=named) as error:
        Warp().execute(text)
    assert text in str(error.value)
