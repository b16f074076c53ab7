import struct
from itertools import pairwise
from pathlib import Path

import pytest

from isa.compile import compile_source
from isa.cubin import Cubin, read_cubin
from isa.errors import CubinError
from isa.program import Parameter

CODE = """
__constant__ float table[4] = {1, 2, 3, 4};
__constant__ int zeros[2];
__device__ int counter = 7;
__device__ int scratch[3];
__device__ int *pointer = scratch + 1;
struct Pair { double a; char b; };

extern "C" __global__ void __launch_bounds__(96) rich(float *o, char c, short s, Pair pair, const int *i, int n) {
    __shared__ float tile[100];
    extern __shared__ float more[];
    float stack[40];
    for (int k = 0; k < 40; k++) stack[k] = o[k * n];
    tile[threadIdx.x] = stack[n] + c + s + pair.b;
    more[threadIdx.x] = table[n] + zeros[n & 1] + *pointer + scratch[0];
    __syncthreads();
    o[threadIdx.x] = tile[n] + more[n] + i[n] + pair.a;
    atomicAdd(&counter, 1);
}
extern "C" __global__ void plain(int *o) { o[threadIdx.x] = 1; }
"""
FLAGS = 48  # offsets in the ELF header
MACHINE = 18
TYPE = 16


@pytest.fixture(scope="module")
def data() -> bytes:
    return compile_source(CODE)


@pytest.fixture(scope="module")
def cubin(data: bytes) -> Cubin:
    return read_cubin(data)


def patched(data: bytes, offset: int, form: str, value: int) -> bytes:
    changed = bytearray(data)
    struct.pack_into(form, changed, offset, value)
    return bytes(changed)


def test_parameters_have_their_place(cubin: Cubin) -> None:
    rich = cubin.kernels["rich"]
    assert rich.parameters == (
        Parameter(0, 0, 8),
        Parameter(1, 8, 1),
        Parameter(2, 10, 2),
        Parameter(3, 16, 16),
        Parameter(4, 32, 8),
        Parameter(5, 40, 4),
    )
    assert rich.parameter_base == 0x210
    assert len(rich.constant_banks[0]) == 0x210 + 44


def test_resources(cubin: Cubin) -> None:
    rich, plain = cubin.kernels["rich"], cubin.kernels["plain"]
    assert (rich.static_shared_bytes, plain.static_shared_bytes) == (400, 0)
    assert (rich.local_bytes, plain.local_bytes) == (160, 0)
    assert (rich.num_barriers, plain.num_barriers) == (1, 0)
    assert (rich.max_threads, plain.max_threads) == (96, 1024)
    assert 8 <= plain.num_regs < rich.num_regs <= 255


def test_variables_have_their_initial_values(cubin: Cubin) -> None:
    symbols = {symbol.name: symbol for symbol in cubin.symbols}
    assert symbols["table"].space == "constant"
    assert struct.unpack("<4f", symbols["table"].initial) == (1, 2, 3, 4)
    assert symbols["zeros"].initial == bytes(8)
    assert symbols["counter"].space == "global"
    assert struct.unpack("<i", symbols["counter"].initial) == (7,)
    assert symbols["scratch"].initial == bytes(12)
    bank = cubin.kernels["rich"].constant_banks[3]
    assert bank[symbols["table"].offset :][:16] == symbols["table"].initial


def test_variables_do_not_overlap(cubin: Cubin) -> None:
    places = sorted((s.offset, s.offset + s.size) for s in cubin.symbols if s.space == "global")
    assert all(end <= start for (_, end), (start, _) in pairwise(places))


def test_relocations_name_what_the_loader_must_place(cubin: Cubin) -> None:
    relocations = cubin.kernels["rich"].relocations
    pointers = {r.symbol: r for r in relocations if r.section == ".nv.constant4"}
    assert {"counter", "scratch", "pointer"} <= pointers.keys()
    assert {r.kind for r in pointers.values()} == {"R_CUDA_64"}
    (initial,) = [r for r in relocations if r.section == ".nv.global.init"]
    assert (initial.symbol, initial.addend, initial.kind) == ("scratch", 4, "R_CUDA_G64")


def test_an_encoding_is_16_bytes_of_the_code(cubin: Cubin) -> None:
    plain = cubin.kernels["plain"]
    assert plain.encoding(1).to_bytes(16, "little") == plain.code[16:32]


@pytest.mark.parametrize("data", [b"", b"not an ELF file", b"\x7fELF" + bytes(100)])
def test_what_is_not_a_cubin_is_refused(data: bytes) -> None:
    with pytest.raises(CubinError, match="cubin"):
        read_cubin(data)


def test_an_elf_file_for_another_machine_is_refused(data: bytes) -> None:
    with pytest.raises(CubinError, match="not a cubin: an ELF file for EM_X86_64"):
        read_cubin(patched(data, MACHINE, "<H", 62))


def test_another_architecture_is_refused(data: bytes) -> None:
    (flags,) = struct.unpack_from("<I", data, FLAGS)
    with pytest.raises(CubinError, match="for sm_80; smsim reads sm_90"):
        read_cubin(patched(data, FLAGS, "<I", flags & ~0xFF00 | 80 << 8))


def test_a_relocatable_cubin_is_refused(data: bytes) -> None:
    with pytest.raises(CubinError, match="relocatable"):
        read_cubin(patched(data, TYPE, "<H", 1))


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9, 0.999])
def test_a_cut_file_is_refused(data: bytes, part: float) -> None:
    with pytest.raises(CubinError):
        read_cubin(data[: int(len(data) * part)])


def test_the_hash_does_not_depend_on_where_the_source_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = compile_source(CODE, name="kernel.cu")
    monkeypatch.chdir(tmp_path)
    assert compile_source(CODE, name="kernel.cu") == here
    assert read_cubin(compile_source(CODE, name=str(tmp_path / "kernel.cu"))).sha256 == read_cubin(here).sha256
