"""Each kernel's SASS holds what its description claims: the compiler is free to fold, merge and reorder."""

import pytest

from tests.catalogue_programs import program_of
from tests.unit.kernels.sass import chain_length, counts, general_sources, longest_loop, loops

CHAIN_OPCODES = {
    "ffma": ("FFMA",),
    "fadd": ("FADD",),
    "fmul": ("FMUL",),
    "imad": ("IMAD",),
    "iadd3": ("IADD3",),
    "dfma": ("DFMA",),
    "hfma2": ("HFMA2",),
    "hfma2_mixed": ("HFMA2", "HFMA2.MMA"),
    "mufu": ("MUFU",),
}
LOOP_OVERHEAD = 3  # counter, comparison, branch


@pytest.mark.parametrize("ilp", [1, 4, 16])
@pytest.mark.parametrize("operation", CHAIN_OPCODES)
def test_a_chain_kernel_is_that_many_chains_of_that_instruction(operation: str, ilp: int):
    (body,) = loops(program_of(f"chain_{operation}_ilp{ilp}"))
    (comparison,) = [i for i in body if i.opcode == "ISETP"]
    overhead = [i for i in body if i.opcode in ("ISETP", "BRA") or i.writes & comparison.reads]
    chain = [i for i in body if i not in overhead]
    assert len(overhead) == LOOP_OVERHEAD
    assert set(counts(chain)) == set(CHAIN_OPCODES[operation])
    assert len(chain) == 128
    assert chain_length(chain, frozenset(CHAIN_OPCODES[operation])) == 128 // ilp


@pytest.mark.parametrize("name", ["chain_ffma_ilp4", "chain_dfma_ilp1", "pipeline", "banks_spread"])
def test_a_timed_kernel_reads_the_clock_twice(name: str):
    assert counts(program_of(name).instructions)["CS2R"] >= 2


@pytest.mark.parametrize(("name", "accumulators"), [("dot_ilp1", 1), ("dot_ilp4", 4), ("dot_serial", 1)])
def test_dot_has_that_many_accumulators(name: str, accumulators: int):
    body = longest_loop(name)
    assert counts(body)["FFMA"] == accumulators * chain_length(body, frozenset({"FFMA"}))


@pytest.mark.parametrize(("name", "accumulators"), [("sum_reduction_ilp1", 1), ("sum_reduction_ilp4", 4)])
def test_sum_reduction_has_that_many_accumulators(name: str, accumulators: int):
    body = longest_loop(name)
    assert counts(body)["FADD"] == accumulators * chain_length(body, frozenset({"FADD"}))
    assert {"SHFL", "BAR"} <= set(counts(program_of(name).instructions))


@pytest.mark.parametrize(
    ("name", "wide"), [("scale_scalar", False), ("scale_float4", True), ("scale_float4_fma", True)]
)
def test_vector_accesses_are_128_bits_wide(name: str, wide: bool):
    accesses = [i for i in program_of(name).instructions if i.opcode in ("LDG", "STG")]
    assert len(accesses) == 2
    assert all(("128" in i.modifiers) == wide for i in accesses)


def test_the_naive_matmul_keeps_its_inner_loop():
    inner = min(loops(program_of("matmul_naive")), key=len)
    assert counts(inner)["FFMA"] == 1
    assert counts(inner)["LDS"] == 2


def test_the_unrolled_matmul_has_four_accumulators():
    (body,) = loops(program_of("matmul_unrolled"))
    assert counts(body)["FFMA"] == 16
    assert chain_length(body, frozenset({"FFMA"})) == 4


@pytest.mark.parametrize(
    ("name", "fused"), [("multiply_add_fused", True), ("multiply_add_separate", False), ("multiply_add_stored", False)]
)
def test_multiply_and_add_are_fused_or_not(name: str, fused: bool):
    present = set(counts(program_of(name).instructions))
    assert present & {"FFMA", "FMUL", "FADD"} == ({"FFMA"} if fused else {"FMUL", "FADD"})


def test_division_is_a_reciprocal_and_corrections():
    assert {"MUFU", "F2I", "IMAD"} <= set(counts(program_of("index_division").instructions))
    assert not {"MUFU", "F2I"} & set(counts(program_of("index_stride").instructions))


def test_the_stencil_is_straight_line_code():
    program = program_of("stencil_unrolled")
    assert not loops(program)
    assert counts(program.instructions)["LDG"] == 16


def test_the_warp_scan_shuffles_and_the_serial_one_does_not():
    assert counts(longest_loop("scan_warp"))["SHFL"] == 6
    body = longest_loop("scan_serial")
    assert "SHFL" not in counts(body)
    assert chain_length(body, frozenset({"FADD"})) == counts(body)["FADD"]


@pytest.mark.parametrize("unroll", [1, 4, 16])
@pytest.mark.parametrize(("stem", "per_element"), [("rsqrt", 1), ("rsqrt_sin", 2)])
def test_rsqrt_is_unrolled_that_many_times(stem: str, per_element: int, unroll: int):
    found = counts(longest_loop(f"{stem}_unroll{unroll}"))
    assert found["MUFU"] == per_element * unroll
    assert found["LDG"] == unroll


def test_the_pipeline_example_is_groups_of_a_chain_and_an_independent_instruction():
    (body,) = loops(program_of("pipeline"))
    arithmetic = [i for i in body if i.opcode in ("FMUL", "FADD")]
    assert len(arithmetic) == 4 * 32
    assert chain_length(arithmetic, frozenset({"FMUL", "FADD"})) == 3 * 32
    for start in range(0, len(arithmetic), 4):
        assert [i.opcode for i in arithmetic[start : start + 4]] == ["FMUL", "FADD", "FADD", "FMUL"]


@pytest.mark.parametrize("ilp", [1, 2, 4, 8])
def test_vec_add_loads_everything_before_it_stores(ilp: int):
    accesses = [i.opcode for i in program_of(f"vec_add_x{ilp}").instructions if i.opcode in ("LDG", "STG")]
    assert accesses == ["LDG"] * 2 * ilp + ["STG"] * ilp


def test_clashing_sources_share_a_bank_and_spread_ones_do_not():
    def share_of_clashes(name: str) -> float:
        (body,) = loops(program_of(name))
        sources = [general_sources(i) for i in body if i.opcode == "FFMA"]
        assert len(sources) == 128
        return sum(len({register % 4 for register in three}) == 1 for three in sources) / len(sources)

    assert share_of_clashes("banks_clashing") > 0.97
    assert share_of_clashes("banks_spread") == 0


def test_the_divergent_branch_has_ten_instructions_on_one_side_and_twenty_on_the_other():
    (body,) = loops(program_of("divergent_10_20"))
    found = counts(body)
    assert (found["FFMA"], found["FMUL"]) == (10, 20)
    assert found["BSSY"] == found["BSYNC"] == 1


def test_the_nested_branches_have_ten_instructions_on_each_side():
    (body,) = loops(program_of("divergent_nested"))
    found = counts(body)
    assert (found["FFMA"], found["FMUL"], found["FADD"]) == (10, 10, 20)
    assert found["BRA"] >= 4


def test_restrict_lets_the_loads_pass_the_stores():
    def loads_behind_a_store(name: str) -> int:
        accesses = [i.opcode for i in program_of(name).instructions if i.opcode in ("LDG", "STG")]
        return accesses[accesses.index("STG") :].count("LDG")

    assert loads_behind_a_store("loads_plain") == 6
    assert loads_behind_a_store("loads_restrict") == 0
    loads = [i for i in program_of("loads_restrict").instructions if i.opcode == "LDG"]
    assert all("CONSTANT" in i.modifiers for i in loads)


def test_the_over_unrolled_kernel_spills():
    program = program_of("spill")
    found = counts(program.instructions)
    assert program.num_regs == 32
    assert program.local_bytes > 0
    assert found["STL"] > 0
    assert found["LDL"] > 0
