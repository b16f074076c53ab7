from collections import Counter

import pytest

import kernels
from kernels.generated import suite
from kernels.generated.declarations import needs
from kernels.generated.program import Compute, walk
from kernels.generated.validity import problems
from tests.unit.kernels.generated.running import compiled, outputs

LEAST = {"registers": 60, "shared": 40, "memory": 40, "divergence": 15, "mixed": 15}
SAMPLE = suite.names()[::17]


def test_the_suite_is_what_was_measured():
    recorded = suite.SHA256_FILE.read_text(encoding="utf-8").strip()
    assert suite.suite_sha256() == recorded, (
        "the grammar draws other programs from the suite's seeds than those that were measured: take the change back, "
        f"or measure the generated suite again and write the new digest to {suite.SHA256_FILE.name}"
    )


def test_there_are_enough_launches_of_each_profile():
    counts = Counter(entry.profile for entry in suite.entries().values() for _ in entry.shapes)
    assert all(counts[profile] >= least for profile, least in LEAST.items())


def test_blocks_of_all_sizes_and_grids_of_several_blocks_are_there():
    shapes = [shape for entry in suite.entries().values() for shape in entry.shapes]
    warps = Counter(shape.threads // 32 for shape in shapes if shape.blocks == 1)
    assert set(warps) == set(range(1, 33))
    assert max(warps.values()) <= 12
    assert Counter(shape.blocks for shape in shapes if shape.blocks > 1).keys() == {132, 264, 1024}


def test_kernels_are_found_by_name_beside_the_written_ones():
    kernel = kernels.get("random_memory_017")
    assert (kernel.name, kernel.entry, kernel.family) == ("random_memory_017", "random_memory_017", "random_memory")
    assert f"{kernel.entry}(" in kernel.code
    assert kernel.default.expected(kernel.default.arguments()) == {}
    assert not set(kernels.generated.names()) & set(kernels.names())
    with pytest.raises(kernels.UnknownKernelError, match="did you mean random_memory_017"):
        kernels.get("random_memory_17")


@pytest.mark.parametrize("name", suite.names())
def test_every_program_is_valid(name: str):
    program = suite.entries()[name].program()
    assert problems(program) == []
    assert [launch.name for launch in suite.get(name).launches] == [shape.name for shape in program.shapes]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_compiler_keeps_the_work_in_registers(name: str):
    program = suite.entries()[name].program()
    code = compiled(program)
    assert code.num_regs < 255
    assert code.num_regs * program.threads <= 65_536
    if "local" not in needs(program):
        assert not [i for i in code.instructions if i.opcode in ("STL", "LDL")]
    asked = sum(isinstance(statement, Compute) for statement in walk(program.body))
    assert len(code.instructions) > asked


@pytest.mark.parametrize("name", SAMPLE[:4])
def test_a_program_computes_the_same_again(name: str):
    program = suite.entries()[name].program()
    first = outputs(program)
    assert outputs(program) == first
    assert any(first[-1])
