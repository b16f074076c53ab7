"""What ptxas takes the fixed latencies to be, read from the stall counts of many kernels.

The distance that ptxas keeps between a fixed-latency writer and a reader of its result is one that it holds to be
enough; the least one over many kernels is its latency of their two classes, or more where no kernel needed the least.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

import kernels
from isa.control_flow import basic_blocks
from isa.dependencies import Hazard, find_dependencies
from isa.instruction import Instruction
from isa.module import Module, load_source
from isa.operand import Register
from isa.program import Program
from isa.reschedule import reader_class
from kernels.generated.profiles import PROFILES
from kernels.generated.program import Shape
from kernels.generated.seeds import from_name, seed_name
from kernels.kernel import Kernel
from validation.semantics_check.prepare import FAMILIES, compile_family

Pair = tuple[str, str, str]  # register file, latency classes of writer and reader
HORIZON = 24  # cycles; longer than any fixed latency
VARIABLE = ("decoupled", "decoupled_agu", "branch")  # scoreboard barriers guard what these write
SEEDS = range(30)  # of each profile of the generator
WIDE = "imad_wide"


def corpus() -> Iterator[Program]:
    """The catalogue, the kernels of the semantics check, and what the generator draws: some 750 kernels."""
    for name in kernels.names():
        yield _compiled(kernels.get(name))
    for family in FAMILIES:
        module = Module(compile_family(family))
        yield from (module.program(name) for name in module.names)
    for profile in PROFILES:
        for seed in SEEDS:
            kernel = from_name(seed_name(profile, seed, Shape(1, 128)))
            assert kernel is not None
            yield _compiled(kernel)


def mine(programs: Iterable[Program]) -> dict[Pair, Counter[int]]:
    """By file and classes, how often the stall counts keep which distance inside a block between a write and a read.

    Left out are the halves of 64-bit operands that IMAD.WIDE and IMAD.HI deliver early and read late: the low word of
    the result, the high word of the addend.
    """
    distances: dict[Pair, Counter[int]] = {}
    for program in programs:
        for dependency in find_dependencies(program, basic_blocks(program), HORIZON):
            first, second = program.instructions[dependency.first], program.instructions[dependency.second]
            if dependency.hazard is not Hazard.RAW or not dependency.inside or first.latency_class in VARIABLE:
                continue
            if _is_early_half(first, dependency.register) or _is_late_half(second, dependency.register):
                continue
            reader = reader_class(second, dependency.register)
            pair = (dependency.register.file.value, first.latency_class, reader)
            distances.setdefault(pair, Counter())[dependency.distance] += 1
    return distances


def _compiled(kernel: Kernel) -> Program:
    return load_source(kernel.code, kernel.options, kernel.source.name).program(kernel.entry)


def _is_early_half(writer: Instruction, register: Register) -> bool:
    return writer.latency_class == WIDE and _names(writer.operands[0], register, 0)


def _is_late_half(reader: Instruction, register: Register) -> bool:
    return reader.latency_class == WIDE and any(_names(operand, register, 1) for operand in reader.operands[2:])


def _names(operand: object, register: Register, word: int) -> bool:
    """Whether the register is the given word of a 64-bit register operand."""
    return isinstance(operand, Register) and operand.file is register.file and operand.index + word == register.index
