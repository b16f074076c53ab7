from pathlib import Path

import numpy as np
import pytest

from isa.errors import LaunchError
from smsim.arguments import TYPES, parse_argument, parse_arguments


@pytest.mark.parametrize("name", TYPES)
def test_a_scalar_has_the_type_named(name: str) -> None:
    scalar = parse_argument(f"{name}=7")
    assert scalar == 7
    assert scalar.dtype == TYPES[name]
    assert scalar.shape == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f32[3]=zeros", np.zeros(3, np.float32)),
        ("f64[2,3]=ones", np.ones((2, 3))),
        ("i32[4]=arange", np.array([0, 1, 2, 3], np.int32)),
        ("u8[258]=arange", np.arange(258).astype(np.uint8)),
        ("f16[2]=0.5", np.array([0.5, 0.5], np.float16)),
        ("i64[2]=-0x10", np.array([-16, -16], np.int64)),
        (" f32[ 2 , 2 ] = 1 ", np.ones((2, 2), np.float32)),
        ("f32[1]=inf", np.array([np.inf], np.float32)),
    ],
)
def test_fills(text: str, expected: np.ndarray) -> None:
    array = parse_argument(text)
    assert isinstance(array, np.ndarray)
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array, expected)


def test_random_arguments_differ_by_position_and_repeat() -> None:
    first, second = parse_arguments(["f32[64]=random", "f32[64]=random"])
    assert not np.array_equal(first, second)
    again = parse_arguments(["f32[64]=random"])[0]
    np.testing.assert_array_equal(first, again)
    assert ((np.asarray(first) >= 0) & (np.asarray(first) < 1)).all()


def test_a_seed_decides_the_values_wherever_the_argument_stands() -> None:
    first, second = parse_arguments(["i8[64]=random:5", "i8[64]=random:5"])
    np.testing.assert_array_equal(first, second)
    assert np.asarray(first).min() >= 0


def test_normal_has_both_signs() -> None:
    values = np.asarray(parse_argument("f64[256]=normal"))
    assert values.min() < 0 < values.max()


def test_a_file_gives_its_array(tmp_path: Path) -> None:
    np.save(tmp_path / "keys.npy", np.arange(6, dtype=np.int32).reshape(2, 3))
    array = parse_argument(f"i32[2,3]=@{tmp_path / 'keys.npy'}")
    np.testing.assert_array_equal(array, [[0, 1, 2], [3, 4, 5]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4096", "expected TYPE=NUMBER or TYPE[SHAPE]=FILL"),
        ("f32[4]", "expected TYPE=NUMBER or TYPE[SHAPE]=FILL"),
        ("float=1", "unknown type 'float'"),
        ("f32[]=zeros", "must be positive counts"),
        ("f32[0]=zeros", "must be positive counts"),
        ("f32[4,-1]=zeros", "must be positive counts"),
        ("f32[99999999999]=zeros", "larger than the GPU's memory"),
        ("f32[4]=randon", "unknown fill 'randon'"),
        ("f32[4]=zeros:1", "zeros takes no seed"),
        ("f32[4]=random:x", "the seed 'x'"),
        ("i32[4]=normal", "normal needs a floating-point type"),
        ("u8=256", "holds 0 to 255"),
        ("u32=-1", "holds 0 to 4294967295"),
        ("i32=1.5", "is not a whole number"),
        ("i32[4]=1.5", "is not a whole number"),
        ("f16=1e9", "largest value"),
        ("f32=x", "is not a number"),
        ("f32[4]=@missing.npy", "cannot read missing.npy"),
    ],
)
def test_a_bad_argument_says_which_one_and_why(text: str, message: str) -> None:
    with pytest.raises(LaunchError, match=r"^argument 2, ") as error:
        parse_argument(text, 2)
    assert message in str(error.value)


def test_an_array_that_does_not_fit_in_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(np, "zeros", exhausted)
    with pytest.raises(LaunchError, match="too large for this machine's memory"):
        parse_argument("f32[4]=zeros")


def test_a_file_of_another_type_shape_or_kind_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros(4, np.float64))
    with pytest.raises(LaunchError, match=r"holds float64\[4\], not float32\[4\]"):
        parse_argument(f"f32[4]=@{tmp_path / 'a.npy'}")
    (tmp_path / "text.npy").write_text("not an array")
    with pytest.raises(LaunchError, match=r"is not a \.npy array"):
        parse_argument(f"f32[4]=@{tmp_path / 'text.npy'}")
    np.savez(tmp_path / "many.npz", a=np.zeros(4))
    with pytest.raises(LaunchError, match="archive"):
        parse_argument(f"f32[4]=@{tmp_path / 'many.npz'}")
