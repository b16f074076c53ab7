"""What a statement makes of the variables, computed with NumPy beside the emulator."""

import numpy as np
import pytest

from kernels.generated.launches import BIN_COUNTS, DATA, OUT
from kernels.generated.operations import LITERALS
from kernels.generated.program import Barrier, Branch, Compute, Exchange, Loop, Program, Switch, Take
from tests.unit.kernels.generated.running import first_launch, run, written

ADD_ONE = Compute("iadd3", "u0", ("u0", "1u", "0u"))
THREADS = np.arange(64, dtype=np.uint32)


def add(number: int) -> Compute:
    return Compute("iadd3", "u0", ("u0", f"{number}u", "0u"))


def first_value(program: Program, number: int = 0) -> np.ndarray:
    """Of the variable u0, u1, ... in every thread."""
    words = np.asarray(first_launch(program).arguments()[0])
    seed = words[THREADS] + THREADS * np.uint32(0x9E3779B9)
    return seed * np.uint32(2 * number + 1) + np.uint32(number)


def gained(*statements, trips: int = 1) -> np.ndarray:
    """What a body that names no variable but u0 adds to it."""
    program = written(statements, trips=trips)
    return np.asarray(run(program)[OUT]) - first_value(program)


def test_the_main_loop_runs_as_often_as_asked():
    assert np.all(gained(ADD_ONE, Compute("lea", "u0", ("u0", "i")), trips=0) == 0)
    assert np.all(gained(ADD_ONE, trips=9) == 9)


def test_an_if_takes_the_lanes_that_it_names():
    branch = Branch("lanes_below", ("4u",), (add(10),), (add(3),))
    assert gained(branch).tolist() == [10 if lane % 32 <= 4 else 3 for lane in range(64)]


def test_a_switch_goes_by_the_selectors_remainder():
    switch = Switch("u0", tuple((add(number),) for number in (1, 20, 300, 4000)))
    wanted = np.array((1, 20, 300, 4000))[first_value(written((switch,))) % 4]
    assert np.array_equal(gained(switch), wanted)


def test_each_lane_has_its_own_trip_count():
    loop = Loop(8, (ADD_ONE,), selector="u0")
    assert np.array_equal(gained(loop), first_value(written((loop,))) % 8 + 1)
    assert np.all(gained(Loop(5, (ADD_ONE,), unroll=5), Barrier("block")) == 5)


@pytest.mark.parametrize("scope", ["block", "warp"])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_an_exchange_brings_the_neighbours_element_at_every_stride(scope: str, width: int):
    strides = sorted({*LITERALS["S"], 0})
    values = ("u0", "u1", "u1", "u0")[:width]
    program = written(tuple(Exchange(scope, stride, values, (), (Take("u0", "xor", 1),)) for stride in strides))
    value, other = first_value(program, 0), first_value(program, 1)
    folded = {1: lambda: value, 2: lambda: value + other, 4: lambda: (value ^ other) * np.uint32(2)}[width]
    for _ in strides:
        value = value + folded()[THREADS ^ 1]
    assert np.array_equal(run(program)[OUT], value if width == 1 else value * np.uint32(31) + other)


def test_all_lanes_take_the_same_element_where_a_pattern_says_so():
    body = (Exchange("block", 1, ("u0",), (), (Take("u0", "same", 2),)),)
    value = first_value(written(body))
    assert np.array_equal(run(written(body))[OUT], value + value[2])


def test_a_thread_owns_what_it_stores():
    body = (
        Compute("store_column", "", ("u0", "1u")),
        Compute("store_row", "", ("u0", "2u")),
        Compute("load_row", "u0", ("u0", "2u")),
    )
    arguments = run(written(body))
    value = first_value(written(body))
    column, row = np.asarray(arguments[DATA]).reshape(2, -1)
    assert np.array_equal(column.reshape(4, 64)[1], value)
    assert np.array_equal(row.reshape(64, 4)[:, 2], value)
    assert np.count_nonzero(column) == np.count_nonzero(row) == 64
    assert not np.any(arguments[OUT])


def test_bins_count_over_all_blocks():
    body = (Compute("count", "", ("u0", "2u")),)
    counts = np.bincount(first_value(written(body)) & 63, minlength=192) * 2
    assert np.array_equal(run(written(body))[BIN_COUNTS], counts)
