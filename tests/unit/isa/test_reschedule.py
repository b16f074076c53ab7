from collections.abc import Callable
from itertools import pairwise

import pytest

from isa.control_flow import basic_blocks
from isa.dependencies import Dependency, Hazard, find_dependencies
from isa.encoding import decode_control
from isa.module import Module, load_source
from isa.operand import Register, RegisterFile
from isa.program import Program
from isa.reschedule import FixedLatencies, compiler_latencies, reschedule

Corpus = Callable[[str], Module]
CHAIN = """
extern "C" __global__ void chain(float *o, float a, float b) {
    float x = o[threadIdx.x];
#pragma unroll
    for (int k = 0; k < 24; k++) x = x * a + b;
    o[threadIdx.x] = x;
}"""


@pytest.fixture(scope="module")
def chain() -> Program:
    return load_source(CHAIN).program("chain")


def with_fma_latency(cycles: int) -> FixedLatencies:
    raw = {file: dict(table) for file, table in compiler_latencies().raw.items()}
    raw[RegisterFile.GENERAL]["fma", "fma"] = cycles
    return FixedLatencies(raw)


def chain_stalls(program: Program) -> list[int]:
    ffmas = [i for i in program.instructions if i.opcode == "FFMA"]
    return [i.control.stall for i in ffmas[1:-1]]


def total_stalls(program: Program) -> int:
    return sum(instruction.control.stall for instruction in program.instructions)


def test_the_compilers_own_latencies_change_nothing(corpus: Corpus, source_name: str) -> None:
    for program in corpus(source_name).programs.values():
        assert reschedule(program, compiler_latencies()) == program


def test_the_compiler_keeps_4_cycles_in_an_ffma_chain(chain: Program) -> None:
    assert set(chain_stalls(chain)) == {4}


@pytest.mark.parametrize("cycles", [1, 2, 3, 6, 15])
def test_a_chain_gets_the_latency_asked_for(chain: Program, cycles: int) -> None:
    assert set(chain_stalls(reschedule(chain, with_fma_latency(cycles)))) == {cycles}


def test_a_stall_count_ends_at_15(chain: Program) -> None:
    assert set(chain_stalls(reschedule(chain, with_fma_latency(40)))) == {15}


def test_the_encoding_follows(chain: Program) -> None:
    for before, after in zip(chain.instructions, reschedule(chain, with_fma_latency(2)).instructions, strict=True):
        assert decode_control(after.encoding) == after.control
        assert (before.encoding ^ after.encoding) >> 105 < 16  # only the stall count's bits
        assert (before.encoding ^ after.encoding) & ((1 << 105) - 1) == 0


def test_lower_latencies_never_make_a_program_longer(corpus: Corpus, source_name: str) -> None:
    for program in corpus(source_name).programs.values():
        totals = [total_stalls(reschedule(program, scaled(cycles))) for cycles in (1, 2, 4, 15)]
        assert totals == sorted(totals)
        assert totals[-1] <= total_stalls(program)


def test_every_dependency_keeps_the_distance_that_it_needs(corpus: Corpus, source_name: str) -> None:
    """On every way; where the compiler kept less than its latency, less by as much as the latency changed."""
    latencies = scaled(3)
    for program in corpus(source_name).programs.values():
        blocks = basic_blocks(program)
        kept = {key(d): d.distance for d in find_dependencies(program, blocks, 16)}
        for dependency in find_dependencies(reschedule(program, latencies), blocks, 16):
            first, second = (program.instructions[i] for i in (dependency.first, dependency.second))
            place = (first, second, dependency.register, Hazard.RAW)
            needed, assumed = latencies.distance(*place), compiler_latencies().distance(*place)
            if dependency.hazard is Hazard.RAW and needed is not None and assumed is not None:
                short = max(assumed - kept.get(key(dependency), assumed), 0)
                assert dependency.distance >= needed - short, (first.text, second.text)


def test_waiting_on_a_barrier_keeps_2_cycles(corpus: Corpus, source_name: str) -> None:
    for program in corpus(source_name).programs.values():
        after = reschedule(program, scaled(1)).instructions
        for setter, waiter in pairwise(after):
            barriers = {setter.control.write_barrier, setter.control.read_barrier}
            if any(waiter.control.wait_mask >> barrier & 1 for barrier in barriers):
                before = program.instructions[setter.index].control.stall
                assert setter.control.stall >= min(before, 2)


def test_branches_keep_their_stall_counts(corpus: Corpus) -> None:
    for program in corpus("control").programs.values():
        for before, after in zip(program.instructions, reschedule(program, scaled(1)).instructions, strict=True):
            if before.latency_class == "branch":
                assert after.control.stall >= before.control.stall


def scaled(longest: int) -> FixedLatencies:
    """The compiler's latencies, none above ``longest``."""
    return FixedLatencies(
        {
            file: {pair: min(cycles, longest) for pair, cycles in table.items()}
            for file, table in compiler_latencies().raw.items()
        }
    )


def key(dependency: Dependency) -> tuple[int, int, Register, Hazard]:
    return dependency.first, dependency.second, dependency.register, dependency.hazard
