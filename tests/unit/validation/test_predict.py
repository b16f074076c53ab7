from collections.abc import Iterator
from pathlib import Path

import pytest

from isa.compile import compile_source
from isa.module import load_cubin
from validation import predict
from validation.identity import code_sha256

NAME = "chain_ffma_ilp1"
OTHER = 'extern "C" __global__ void chain_ffma(float* out) { out[threadIdx.x] = 1.0f; }'


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bool]]:
    """The compiler gives other code until it is asked anew for the second time; what it was asked."""
    asked: list[bool] = []

    def sometimes(code: str, options: tuple[str, ...], name: str, *, anew: bool) -> bytes:
        asked.append(anew)
        return compile_source(OTHER if asked.count(True) < 2 else code, options, name)

    monkeypatch.setattr(predict, "compile_source", sometimes)
    predict.measured_program.cache_clear()
    yield asked
    predict.measured_program.cache_clear()


def test_a_kernel_is_compiled_anew_until_it_is_the_measured_one(compiled: list[bool]) -> None:
    kernel = predict.kernels.get(NAME)
    cubin = compile_source(kernel.code, kernel.options, kernel.source.name)
    measured = code_sha256(load_cubin(cubin).program(kernel.entry))
    assert code_sha256(predict.measured_program(NAME, measured)) == measured
    assert compiled == [False, True, True]


def test_a_kernel_that_never_becomes_the_measured_one_is_compiled_a_few_times(compiled: list[bool]) -> None:
    assert code_sha256(predict.measured_program(NAME, "of no code")) != "of no code"
    assert compiled == [False] + [True] * predict.COMPILATIONS


def test_a_users_file_is_compiled_anew_until_its_code_is_the_measured_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = 'extern "C" __global__ void twice(float* out) { out[threadIdx.x] *= 2.0f; }'
    other = code.replace("2.0f", "3.0f")
    file = tmp_path / "twice.cu"
    file.write_text(code)
    measured = code_sha256(load_cubin(compile_source(code)).program("twice"))
    asked: list[bool] = []

    def sometimes(code: str, options: tuple[str, ...], name: str, *, anew: bool) -> bytes:
        asked.append(anew)
        return compile_source(other if asked.count(True) < 2 else code, options, name)

    monkeypatch.setattr("isa.module.compile_source", sometimes)
    for _ in range(2):
        assert code_sha256(predict.measured_in_file(file, (), "twice", measured)) == measured
    assert asked == [False, True, True]
    for _ in range(2):
        assert code_sha256(predict.measured_in_file(file, (), "twice", "of no code")) != "of no code"
    assert asked == [False] + [True] * predict.COMPILATIONS
