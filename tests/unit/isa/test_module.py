import struct
from collections.abc import Callable

import numpy as np
import pytest

from isa.emulator import emulate
from isa.errors import CubinError, UnsupportedInstructionError
from isa.instruction import SourceLine
from isa.launch import LaunchShape
from isa.module import Module, base_name, load_cubin, load_source
from isa.operand import Address, Immediate, Label, Register, RegisterFile

Corpus = Callable[[str], Module]
WMMA = """
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void multiply(half *a, half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::fill_fragment(sum, 0.0f);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
"""


def test_a_kernel_is_found_by_its_mangled_or_its_plain_name(corpus: Corpus) -> None:
    module = corpus("names")
    assert module.program("plain") is module.program("_Z5plainPfcdsPKv")
    assert module.program("c_name").name == "c_name"
    assert module.program("hidden").name == "_ZN5inner6hiddenEPi"


def test_a_name_that_several_kernels_have_is_refused(corpus: Corpus) -> None:
    with pytest.raises(CubinError, match=r"several kernels are called 'scale'; .*_Z5scaleILi3EfEvPT0_"):
        corpus("names").program("scale")
    assert corpus("names").program("_Z5scaleILi3EfEvPT0_").num_regs > 0


def test_an_unknown_name_lists_what_there_is(corpus: Corpus) -> None:
    with pytest.raises(CubinError, match=r"no kernel is called 'missing'; the module has: .*c_name.*"):
        corpus("names").program("missing")


@pytest.mark.parametrize(
    ("mangled", "base"),
    [("_Z5plainPf", "plain"), ("_Z2tkILi3EEvPf", "tk"), ("saxpy", "saxpy"), ("_ZN5inner6hiddenEPi", "hidden")],
)
def test_base_names(mangled: str, base: str) -> None:
    assert base_name(mangled) == base


def test_programs_are_all_the_kernels(corpus: Corpus) -> None:
    module = corpus("names")
    assert set(module.programs) == set(module.names)
    assert module.programs == load_cubin(module.cubin).programs


def test_a_call_into_the_driver_is_refused_where_it_is_executed() -> None:
    program = load_source(
        'extern "C" __global__ void talks(int *o, int n) { if (n < 0) printf("%d", n); o[threadIdx.x] = n; }'
    ).program("talks")
    out = np.zeros(32, np.int32)
    emulate(program, LaunchShape((1, 1, 1), (32, 1, 1)), [out, np.int32(7)])
    assert (out == 7).all()
    with pytest.raises(UnsupportedInstructionError, match=r"talks.*calls vprintf.*remove the call"):
        emulate(program, LaunchShape((1, 1, 1), (32, 1, 1)), [out, np.int32(-7)])


def test_an_unknown_opcode_names_kernel_address_and_text() -> None:
    with pytest.raises(UnsupportedInstructionError, match=r"multiply, address 0x[0-9a-f]{4}: MOVM\.16.*not supported"):
        load_source(WMMA).program("multiply")


def test_clusters_are_refused() -> None:
    code = 'extern "C" __global__ void __cluster_dims__(2, 1, 1) pair(int *o) { o[0] = 1; }'
    with pytest.raises(UnsupportedInstructionError, match="pair: asks for clusters of 2x1x1 blocks"):
        load_source(code).program("pair")


def test_instructions_know_their_line() -> None:
    code = 'extern "C" __global__ void k(float *o) {\n    o[0] = 1;\n\n    o[1] = o[2] * 3;\n}\n'
    program = load_source(code, name="lines.cu").program("k")
    (multiply,) = [i for i in program.instructions if i.opcode == "FMUL"]
    assert multiply.source == SourceLine("lines.cu", 4)
    first_store = next(i for i in program.instructions if i.opcode == "STG")
    assert first_store.source == SourceLine("lines.cu", 2)


def test_a_wide_access_reads_and_writes_every_register() -> None:
    code = 'extern "C" __global__ void k(int4 *o, const int4 *__restrict__ i) { o[threadIdx.x] = i[threadIdx.x]; }'
    program = load_source(code).program("k")
    (load,) = [i for i in program.instructions if i.opcode == "LDG"]
    (target, address) = load.operands
    assert isinstance(target, Register)
    assert isinstance(address, Address)
    assert load.writes == {Register(RegisterFile.GENERAL, target.index + i) for i in range(4)}
    assert len(load.reads) == 4  # two registers of address, two of descriptor


def test_jump_tables_are_relative_to_the_code(corpus: Corpus) -> None:
    program = corpus("control").program("jump_table")
    jumps = [i for i in program.instructions if i.opcode == "BRX"]
    assert jumps
    assert {jump.operands[-1] for jump in jumps} == {Label(0)}
    table = program.constant_banks[2]
    targets = [int.from_bytes(table[i : i + 4], "little") for i in range(0, len(table), 4)]
    assert all(target % 16 == 0 and target // 16 < len(program.instructions) for target in targets)


def test_calls_name_a_function_of_the_kernel(corpus: Corpus) -> None:
    program = corpus("control").program("calls")
    calls = [i for i in program.instructions if i.opcode == "CALL"]
    assert calls
    for call in calls:
        target = call.operands[-1]
        assert isinstance(target, Label)
        assert 0 < target.address < 16 * len(program.instructions)


@pytest.mark.parametrize("bits", [0x7FFFFFFF, 0xFFC01234])
def test_a_nan_in_the_code_keeps_its_bits(bits: int) -> None:
    code = f'extern "C" __global__ void k(float *o) {{ o[0] = o[1] > 0 ? o[1] : __int_as_float({bits:#x}); }}'
    (select,) = [i for i in load_source(code).program("k").instructions if i.opcode == "FSEL"]
    (value,) = [operand.value for operand in select.operands if isinstance(operand, Immediate)]
    assert struct.unpack("<I", struct.pack("<f", value)) == (bits,)
