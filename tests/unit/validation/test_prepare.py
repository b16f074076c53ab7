"""The job folder, up to reading it back as the GPU machine does."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import kernels
from isa.errors import LaunchError
from isa.launch import LaunchShape
from isa.module import load_source
from smsim.module import Function
from validation.identity import code_sha256
from validation.measure_on_gpu.job import MeasureError, arguments_sha256, load_job
from validation.prepare import catalogue_cases, user_case, write_job

SOURCE = """
extern "C" __global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }
"""


@pytest.fixture(scope="module")
def module():
    return load_source(SOURCE)


def test_a_catalogue_job_holds_cubins_and_makes_the_arguments_again(tmp_path):
    kernel = kernels.get("dot_ilp4")
    assert write_job(tmp_path, catalogue_cases([kernel], [kernel.default.name], seed=3)) == 1
    job = load_job(tmp_path)
    (case,) = job.cases
    assert (case.case, case.case_class) == (f"dot_ilp4/{kernel.default.name}", kernel.family)
    assert job.cubin_path(case).read_bytes().startswith(b"\x7fELF")
    again, wanted = job.arguments(case), kernel.default.arguments(3)
    assert arguments_sha256(again) == arguments_sha256(wanted)
    assert set(job.expected(case, again)) == set(kernel.default.expected(wanted))
    assert not list((tmp_path / "arrays").iterdir())


def test_a_generated_kernel_brings_what_the_emulator_computed(tmp_path):
    kernel = kernels.get("random_divergence_000")
    write_job(tmp_path, catalogue_cases([kernel]))
    job = load_job(tmp_path)
    (case,) = job.cases
    assert case.arguments is None
    arguments = job.arguments(case)
    expected = job.expected(case, arguments)
    assert tuple(expected) == kernel.default.deterministic
    assert case.clock not in expected
    function = Function(load_source(kernel.code).program(kernel.entry))
    function.trace(case.grid, case.block, arguments, emulate="all")
    assert not any(wanted.differs(np.asarray(arguments[index])).any() for index, wanted in expected.items())
    assert expected[kernel.default.deterministic[-1]].values.any()


def test_arguments_that_come_out_differently_are_refused(tmp_path):
    kernel = kernels.get("dot_ilp4")
    write_job(tmp_path, catalogue_cases([kernel], [kernel.default.name]))
    text = (tmp_path / "job.json").read_text()
    plain = json.loads(text)
    plain["cases"][0]["seed"] = 1
    (tmp_path / "job.json").write_text(json.dumps(plain))
    job = load_job(tmp_path)
    with pytest.raises(MeasureError, match="are not those of the prepared job"):
        job.arguments(job.cases[0])


def test_a_users_launch_brings_its_arguments_along(tmp_path, module):
    values = np.arange(64, dtype=np.float32)
    shape = LaunchShape((1, 1, 1), (8, 8, 1))
    prepared = user_case(module, "scale", shape, [values, np.float32(2.5)])
    write_job(tmp_path, [prepared])
    job = load_job(tmp_path)
    (case,) = job.cases
    array, factor = job.arguments(case)
    assert np.array_equal(array, values)
    assert (factor, factor.dtype) == (2.5, np.float32)
    assert case.case == "scale/1x8.8.1"
    assert job.expected(case, [array, factor]) == {}


def test_a_users_launch_brings_what_the_emulator_computed_when_it_is_to_be_checked(tmp_path, module):
    values = np.arange(64, dtype=np.float32)
    shape = LaunchShape((1, 1, 1), (64, 1, 1))
    prepared = user_case(module, "scale", shape, [values, np.float32(2.5)], check=True)
    assert not prepared.unchecked
    write_job(tmp_path, [prepared])
    job = load_job(tmp_path)
    (case,) = job.cases
    (expected,) = job.expected(case, job.arguments(case)).values()
    assert not expected.differs(2.5 * values).any()
    assert np.count_nonzero(expected.differs(np.nextafter(2.5 * values, np.float32(np.inf)))) == 64
    assert np.array_equal(values, np.arange(64))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([np.zeros(64, np.float32)], "has 2 parameters, 1 arguments were given"),
        ([np.zeros(64, np.float32), np.float64(2)], "argument 1: 8 bytes given, the parameter has 4"),
    ],
)
def test_wrong_arguments_are_refused(module, arguments, message):
    with pytest.raises(LaunchError, match=message):
        user_case(module, "scale", LaunchShape((1, 1, 1), (64, 1, 1)), arguments)


def test_a_case_is_known_by_its_code_launch_and_arguments(module):
    shape = LaunchShape((1, 1, 1), (64, 1, 1))
    one = user_case(module, "scale", shape, [np.zeros(64, np.float32), np.float32(2)]).case
    same = user_case(module, "scale", shape, [np.zeros(64, np.float32), np.float32(2)]).case
    other = user_case(module, "scale", shape, [np.ones(64, np.float32), np.float32(2)]).case
    assert one.key == same.key != other.key
    assert one.key == replace(one, cubin_sha256="of another line table").key


def test_the_code_is_the_same_wherever_the_source_lies(module):
    moved = load_source(SOURCE, name="elsewhere/moved.cu")
    assert moved.cubin != module.cubin
    assert code_sha256(moved.program("scale")) == code_sha256(module.program("scale"))


def test_other_instructions_or_constants_are_other_code():
    def program(encoding: int, constants: bytes):
        return SimpleNamespace(instructions=[SimpleNamespace(encoding=encoding)], constant_banks={3: constants})

    digests = {code_sha256(program(*parts)) for parts in ((1, b"a"), (2, b"a"), (1, b"b"))}
    assert len(digests) == 3
