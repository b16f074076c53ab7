"""A folder of CUDA C with its launches.toml."""

import numpy as np
import pytest

from isa.errors import LaunchError
from validation.launches import folder_cases

SOURCE = 'extern "C" __global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }\n'
TWO = SOURCE + SOURCE.replace("scale", "other")
ENTRY = """
[[launch]]
file = "scale.cu"
grid = [1]
block = [8, 8]
args = ["f32[64]=arange", "f32=2"]
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scale.cu").write_text(SOURCE)
    (tmp_path / "two.cu").write_text(TWO)
    return tmp_path


def cases(folder, text: str):
    (folder / "launches.toml").write_text(text)
    return list(folder_cases(folder))


def test_every_launch_becomes_a_case(folder):
    np.save(folder / "values.npy", np.ones(64, np.float32))
    more = (
        ENTRY.replace('"f32[64]=arange"', '"f32[64]=@values.npy"') + 'name = "mine"\nlaunch = "ones"\nshared_mem = 64\n'
    )
    one, two = cases(folder, ENTRY + more)
    assert (one.case.case, one.case.block, one.case.dynamic_shared_bytes) == ("scale/1x8.8.1", (8, 8, 1), 0)
    assert (two.case.case, two.case.function, two.case.dynamic_shared_bytes) == ("mine/ones", "scale", 64)
    assert np.array_equal(two.arrays[0], np.ones(64, np.float32))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[launch]", "launches.toml: "),
        ("", "missing required field `launch`"),
        ("launch = []", "lists no launch"),
        (ENTRY + "gird = [1]", r"unknown field `gird` - at `\$.launch\[0\]`"),
        (ENTRY + ENTRY, r"launch 2 \(scale.cu\): there is already a launch scale/1x8.8.1; tell them apart"),
        (ENTRY.replace("grid = [1]", "grid = [1, 0]"), r"launch 1 \(scale.cu\): grid = \[1, 0\] is not X"),
        (ENTRY.replace('"f32=2"', '"f32=two"'), r"launch 1 \(scale.cu\): argument 1"),
        (ENTRY.replace("scale.cu", "two.cu"), "choose one of its kernels with kernel: other, scale"),
        (ENTRY + 'name = "a/b"', "'a/b', launch '1x8.8.1': a name is of letters"),
    ],
)
def test_mistakes_are_named_with_their_place(folder, text, message):
    with pytest.raises(LaunchError, match=message):
        cases(folder, text)


def test_a_folder_without_launches_is_refused(tmp_path):
    with pytest.raises(
        LaunchError, match=r"cannot read .*launches.toml, which lists the folder's launches: No such file"
    ):
        list(folder_cases(tmp_path))
