"""What accesses touch: wavefronts, lines and sectors of known patterns."""

from collections.abc import Iterable

import numpy as np
import pytest

from isa.trace.model import Space
from smsim.accesses import Accesses, build_accesses
from smsim.shared_wavefronts import LANES, shared_wavefronts
from smsim.testing import Launch, program, strided

LINE, SECTOR = 128, 32


def classify(text: str, addresses: Iterable[int | None], warps: int = 1, warp_stride: int = 0) -> Accesses:
    routine = program().op(text, addresses=tuple(addresses), warp_stride=warp_stride).exit()
    return build_accesses(Launch((routine,), warps=warps).trace(), LINE, SECTOR)


def touches(accesses: Accesses) -> list[tuple[int, int]]:
    """Lines and sector masks of the first access."""
    access = accesses.accesses[0]
    kind = accesses.kinds[access["kind"]]
    rows = accesses.touches[kind["first_touch"] : kind["end_touch"]]
    return [
        (int(access["line"] + row["delta"]), sum(1 << n for n, written in enumerate(row["bytes"]) if written))
        for row in rows
    ]


@pytest.mark.parametrize(
    ("width", "stride", "wavefronts"),
    [
        (4, 0, 1),  # broadcast
        (4, 4, 1),
        (4, 8, 2),
        (4, 16, 4),
        (4, 124, 1),  # 31 words: every bank once
        (4, 128, 32),
        (4, 132, 1),  # a padded column
        (8, 8, 2),  # half warps
        (8, 16, 4),
        (8, 0, 1),  # all alike: the halves go together
        (16, 16, 4),  # quarter warps
        (16, 32, 8),
        (1, 1, 1),  # four lanes in a word
        (2, 2, 1),
    ],
)
def test_shared_wavefronts_of_strides(width: int, stride: int, wavefronts: int) -> None:
    lanes = np.arange(LANES)
    assert shared_wavefronts(lanes * stride, lanes, width).load == wavefronts


def test_lanes_that_do_not_access_conflict_with_nobody() -> None:
    lanes = np.arange(LANES)
    assert shared_wavefronts(lanes[:16] * 8, lanes[:16], 4).load == 1
    assert shared_wavefronts(lanes * 8, lanes, 4).load == 2


def test_two_words_of_one_bank_are_two_wavefronts_however_many_lanes_share_each() -> None:
    lanes = np.arange(LANES)
    assert shared_wavefronts(lanes % 2 * 128, lanes, 4).load == 2


# Words that the lanes start at, in units of the width, and passes of a load and a store as ``atoms`` shows them.
@pytest.mark.parametrize(
    ("width", "unit", "load", "store"),
    [
        (8, lambda lane: lane // 2, 1, 2),
        (8, lambda lane: lane % 16, 2, 2),
        (8, lambda lane: lane % 2 * 32, 2, 4),
        (8, lambda lane: lane // 8 * 32, 4, 4),
        (16, lambda lane: lane * 0, 2, 4),
        (16, lambda lane: lane // 2, 2, 4),
        (16, lambda lane: lane % 4, 4, 4),
        (16, lambda lane: lane % 2 * 32, 4, 8),
    ],
)
def test_groups_of_a_wide_load_go_together_when_neighbours_read_the_same(width, unit, load, store) -> None:
    lanes = np.arange(LANES)
    found = shared_wavefronts(unit(lanes) * width, lanes, width)
    assert (found.load, found.store) == (load, store)


@pytest.mark.parametrize(
    ("word", "passes"),
    [
        (lambda lane: lane, 1),
        (lambda lane: lane // 8, 8),
        (lambda lane: lane * 0, 32),
        (lambda lane: lane % 2 * 32, 32),
    ],
)
def test_an_atomic_serves_the_lanes_of_a_bank_one_after_the_other(word, passes) -> None:
    lanes = np.arange(LANES)
    assert shared_wavefronts(word(lanes) * 4, lanes, 4).atomic == passes


@pytest.mark.parametrize(
    ("text", "stride", "base", "expected"),
    [
        ("LDG.E R8, desc[UR4][R4.64]", 4, 0, [(0, 0b1111)]),
        ("LDG.E R8, desc[UR4][R4.64]", 0, 128 * 7 + 36, [(7, 0b0010)]),
        ("LDG.E R8, desc[UR4][R4.64]", 4, 32, [(0, 0b1110), (1, 0b0001)]),
        ("LDG.E R8, desc[UR4][R4.64]", 8, 0, [(0, 0b1111), (1, 0b1111)]),
        ("LDG.E R8, desc[UR4][R4.64]", 32, 0, [(line, 0b1111) for line in range(8)]),
        ("LDG.E R8, desc[UR4][R4.64]", 128, 0, [(line, 0b0001) for line in range(32)]),
        ("LDG.E R8, desc[UR4][R4.64]", -4, 124, [(0, 0b1111)]),
        ("LDG.E.64 R8, desc[UR4][R4.64]", 8, 0, [(0, 0b1111), (1, 0b1111)]),
        ("STG.E.128 desc[UR4][R4.64], R8", 16, 0, [(line, 0b1111) for line in range(4)]),
        ("LDL R8, [R4]", 0, 0, [(0, 0b1111)]),
        ("LDL R8, [R4]", 0, 8, [(2, 0b1111)]),
        ("STL.64 [R4], R8", 0, 8, [(2, 0b1111), (3, 0b1111)]),
    ],
)
def test_lines_and_sectors(text: str, stride: int, base: int, expected: list[tuple[int, int]]) -> None:
    assert touches(classify(text, strided(stride, base))) == expected


def test_local_words_are_interleaved_by_lane() -> None:
    assert touches(classify("LDL R8, [R4]", strided(0, lanes=[0]))) == [(0, 0b0001)]
    assert touches(classify("LDL R8, [R4]", strided(0, lanes=[8, 31]))) == [(0, 0b1010)]
    # One lane that walks on by a word goes to the next line.
    assert touches(classify("LDL R8, [R4]", strided(0, 4, lanes=[0]))) == [(1, 0b0001)]


def test_accesses_that_look_alike_share_a_class() -> None:
    accesses = classify("LDG.E R8, desc[UR4][R4.64]", strided(4), warps=8, warp_stride=256)
    assert len(accesses.kinds) == 1
    assert accesses.accesses["line"].tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    shifted = classify("LDG.E R8, desc[UR4][R4.64]", strided(4), warps=8, warp_stride=32)
    assert len(shifted.kinds) == 4


def test_an_atomic_knows_how_many_lanes_meet() -> None:
    accesses = classify("ATOMS.ADD R8, [R4], R9", [4 * (lane // 8) for lane in range(LANES)])
    kind = accesses.kinds[accesses.accesses[0]["kind"]]
    assert (kind["space"], kind["lanes_per_word"]) == (Space.SHARED, 8)


def first_kind(text: str, addresses: Iterable[int | None]) -> np.void:
    accesses = classify(text, addresses)
    kind: np.void = accesses.kinds[accesses.accesses[0]["kind"]]
    return kind


@pytest.mark.parametrize(
    ("text", "stride", "wavefronts"),
    [
        ("LDG.E R8, desc[UR4][R4.64]", 4, 1),
        ("LDG.E R8, desc[UR4][R4.64]", 128, 32),
        ("LDG.E R8, desc[UR4][R4.64]", 132, 1),  # 32 lines, each word in a bank of its own
        ("LDG.E.128 R8, desc[UR4][R4.64]", 128, 32),
        ("LDL R8, [R4]", 4, 1),  # a row of its own for each lane
        ("LDL.128 R8, [R4]", 0, 4),
    ],
)
def test_lines_of_l1_lie_in_the_banks_of_shared_memory(text: str, stride: int, wavefronts: int) -> None:
    assert first_kind(text, strided(stride))["wavefronts"] == wavefronts


@pytest.mark.parametrize(
    ("addresses", "packets"),
    [
        (strided(4), 5),  # a line: its address and four sectors
        (strided(0), 32),  # one word, lane after lane
        (strided(128), 32),  # a word of each line goes with the address
        (strided(16), 20),
        (strided(32), 40),
        ([4 * (lane // 2) for lane in range(LANES)], 6),  # two turns of a line with two sectors
        (strided(4, lanes=[0]), 1),
        ([*(128 * (lane // 2) + 4 * (lane % 2) for lane in range(LANES - 1)), None], 32),  # a single word among others
    ],
)
def test_packets_of_an_atomic(addresses: Iterable[int | None], packets: int) -> None:
    assert first_kind("REDG.E.ADD.STRONG.GPU desc[UR4][R4.64], R9", addresses)["atomic_packets"] == packets


def test_a_touch_knows_the_bytes() -> None:
    accesses = classify("STG.E desc[UR4][R4.64], R8", strided(8))
    assert accesses.touches["bytes"].tolist() == [[0x0F0F0F0F] * 4] * 2


def test_a_trace_without_accesses_has_no_classes() -> None:
    accesses = build_accesses(Launch((program().exit(),)).trace(), LINE, SECTOR)
    assert [len(part) for part in accesses] == [0, 0, 0, 0]
