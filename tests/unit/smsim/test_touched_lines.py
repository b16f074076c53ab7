"""Lines that accesses touch, against sets of Python."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isa.trace.model import SHAPE, Space
from smsim.access_classes import classify
from smsim.touched_lines import TouchedLines, end_lines

LINE, SECTOR = 128, 32

quick = settings(deadline=None, derandomize=True, database=None, max_examples=60)
masks = st.one_of(st.integers(1, 2**32 - 1), st.just(2**32 - 1))


@st.composite
def classes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Shapes of global accesses and where in a line they begin; some not aligned to their width."""
    count = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = np.zeros(count, SHAPE)
    shapes["space"] = Space.GLOBAL
    shapes["width"] = rng.choice([1, 2, 4, 8, 16], count)
    shapes["mask"] = [draw(masks) for _ in range(count)]
    unit = np.where(rng.random(count) < 0.7, shapes["width"], 1)[:, None]
    shapes["offsets"] = rng.integers(-40, rng.choice([40, 5000]), (count, 32)) * unit
    return shapes, rng.integers(0, LINE, count)


def touched_bytes(shape: np.void, start: int) -> set[int]:
    lanes = [lane for lane in range(32) if int(shape["mask"]) >> lane & 1]
    return {start + int(shape["offsets"][lane]) + byte for lane in lanes for byte in range(int(shape["width"]))}


@quick
@given(classes())
def test_a_class_touches_the_bytes_of_its_lanes(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    shapes, aligns = drawn
    kinds, touches = classify(shapes, aligns, LINE, SECTOR, atomics=False)
    for kind, shape, align in zip(kinds, shapes, aligns.tolist(), strict=True):
        found = {
            (int(touch["delta"]) * LINE + sector * SECTOR + bit)
            for touch in touches[kind["first_touch"] : kind["end_touch"]]
            for sector, mask in enumerate(touch["bytes"].tolist())
            for bit in range(SECTOR)
            if mask >> bit & 1
        }
        assert found == touched_bytes(shape, align)
        assert kind["banks"] == sum(1 << bank for bank in {byte // 4 % 32 for byte in found})


@quick
@given(classes(), st.lists(st.tuples(st.integers(-10, 5000), st.integers(0, 5)), max_size=3000))
def test_lines_are_found_once(drawn: tuple[np.ndarray, np.ndarray], accesses: list[tuple[int, int]]) -> None:
    shapes, aligns = drawn
    lines = np.array([line for line, _ in accesses], np.int64)
    of_class = np.array([number % len(shapes) for _, number in accesses], np.int64)
    starts, deltas = end_lines(shapes, aligns, LINE)
    touched = TouchedLines()
    touched.add(lines, of_class, starts, deltas, 1 + np.arange(len(deltas)) % 3)
    expected: dict[int, int] = {}
    for line, number in zip(lines.tolist(), of_class.tolist(), strict=True):
        of_shape = {byte // LINE for byte in touched_bytes(shapes[number], int(aligns[number]))}
        own = range(starts[number], starts[number + 1])
        assert {int(deltas[touch]) for touch in own} == of_shape
        for touch in own:
            there = line + int(deltas[touch])
            expected[there] = expected.get(there, 0) | 1 + touch % 3
    assert touched.lines.tolist() == sorted(expected)
    assert touched.count == sum(mask.bit_count() for mask in expected.values())
