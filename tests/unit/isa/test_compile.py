from pathlib import Path

import pytest
from cuda.bindings import nvrtc

from isa.compile import compile_source
from isa.cubin import read_cubin
from isa.errors import CompileError

SAXPY = """
extern "C" __global__ void saxpy(float *y, const float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""


def test_a_mistake_is_shown_as_the_compiler_wrote_it() -> None:
    with pytest.raises(CompileError, match=r'(?s)mine\.cu\(2\): error: identifier "y" is undefined.*y = 1;'):
        compile_source('extern "C" __global__ void k() {\n    y = 1;\n}\n', name="mine.cu")


def test_an_unknown_option_is_an_error() -> None:
    with pytest.raises(CompileError, match="--no-such-option"):
        compile_source(SAXPY, ("--no-such-option",))


@pytest.mark.parametrize("option", ["--gpu-architecture=sm_80", "-arch=sm_80", "-G", "--device-debug", "-rdc=true"])
def test_options_that_are_not_the_callers_are_refused(option: str) -> None:
    with pytest.raises(CompileError, match=rf"'{option}' cannot be set"):
        compile_source(SAXPY, (option,))


def test_what_is_set_anyway_may_be_asked_for() -> None:
    assert compile_source(SAXPY, ("-arch=sm_90", "-lineinfo")) == compile_source(SAXPY)


def test_options_and_include_folders_reach_the_compiler(tmp_path: Path) -> None:
    (tmp_path / "mine.h").write_text("#define TWO 2\n")
    code = '#include "mine.h"\nextern "C" __global__ void k(int *o) { static_assert(TWO + N == 5); o[0] = TWO + N; }'
    assert compile_source(code, (f"-I{tmp_path}", "-DN=3")).startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("header", "use"),
    [
        ("cuda_runtime.h", "make_float2(1, 2).x"),
        ("cuda_fp16.h", "__half2float(__float2half(1.0f))"),
        ("cuda_bf16.h", "__bfloat162float(__float2bfloat16(1.0f))"),
        ("cooperative_groups.h", "cooperative_groups::this_thread_block().size()"),
        ("math_constants.h", "CUDART_PI_F"),
        ("cuda/std/cstdint", "cuda::std::uint32_t(3)"),
        ("stdint.h", "uint32_t(3) + int64_t(4)"),
        ("cstdint", "std::uint8_t(3)"),
        ("stddef.h", "size_t(3) + ptrdiff_t(4)"),
        ("cfloat", "FLT_MAX"),
        ("climits", "INT_MAX"),
        ("math.h", "M_PI + INFINITY"),
        ("cmath", "std::sqrt(2.0f) + std::abs(-1.0f)"),
        ("algorithm", "std::max(1, 2)"),
        ("limits", "std::numeric_limits<float>::max()"),
        ("cstdio", "1"),
        ("cstdlib", "abs(-1)"),
        ("cstring", "1"),
    ],
)
def test_headers_of_ordinary_cuda_are_found(header: str, use: str) -> None:
    compile_source(f'#include <{header}>\nextern "C" __global__ void k(float *o) {{ o[0] = {use}; }}')


def test_an_assertion_is_compiled_out() -> None:
    compile_source('#include <cassert>\nextern "C" __global__ void k(int *o) { assert(o[0] > 0); o[0] = 1; }')


def test_a_source_includes_what_lies_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "mine.h").write_text("#define TWO 2\n")
    monkeypatch.chdir(tmp_path)
    code = '#include "mine.h"\nextern "C" __global__ void k(int *o) { o[0] = TWO; }'
    compile_source(code, name="folder/kernel.cu")
    compile_source(code, name=str(tmp_path / "folder" / "kernel.cu"))


def test_line_info_does_not_change_the_code() -> None:
    _, program = nvrtc.nvrtcCreateProgram(SAXPY.encode(), b"kernel.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"])
    _, size = nvrtc.nvrtcGetCUBINSize(program)
    plain = b" " * size
    nvrtc.nvrtcGetCUBIN(program, plain)
    assert read_cubin(plain).kernels["saxpy"].code == read_cubin(compile_source(SAXPY)).kernels["saxpy"].code
