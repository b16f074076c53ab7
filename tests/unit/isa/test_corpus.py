"""Everything that the compiler emits for the corpus decodes, and says what nvdisasm's text and analysis say."""

import math
import subprocess
from collections.abc import Callable
from pathlib import Path

from isa.compile import packaged_file
from isa.instruction import Instruction
from isa.module import Module
from isa.operand import (
    PT,
    RZ,
    URZ,
    Address,
    Constant,
    Immediate,
    Label,
    Operand,
    Register,
    RegisterFile,
    SpecialRegister,
)
from tests.unit.isa import life_ranges

Corpus = Callable[[str], Module]
ZERO_NAMES = {
    RegisterFile.GENERAL: (RZ, "RZ"),
    RegisterFile.UNIFORM: (URZ, "URZ"),
    RegisterFile.PREDICATE: (PT, "PT"),
    RegisterFile.UNIFORM_PREDICATE: (PT, "UPT"),
    RegisterFile.CONVERGENCE: (-1, ""),
}


def instructions(module: Module) -> list[Instruction]:
    return [instruction for program in module.programs.values() for instruction in program.instructions]


def test_operands_format_back_to_the_text(corpus: Corpus, source_name: str) -> None:
    for instruction in instructions(corpus(source_name)):
        guard = [f"@{format_operand(instruction.guard)}"] if instruction.guard else []
        name = [".".join((instruction.opcode, *instruction.modifiers))]
        *head, _ = [*guard, *name, ""]
        prefix, _, operands = instruction.text.partition(name[0])
        assert [*prefix.split(), *name] == head
        texts = [text.strip().replace(".reuse", "") for text in operands.split(",")] if operands else []
        assert len(texts) == len(instruction.operands)
        for text, operand in zip(texts, instruction.operands, strict=True):
            assert_same(text, operand, instruction)


def assert_same(text: str, operand: Operand, instruction: Instruction) -> None:
    if isinstance(operand, Immediate) and isinstance(operand.value, float):
        value = float(text.replace("QNAN", "nan"))
        assert value == operand.value or (math.isnan(value) and math.isnan(operand.value))
    elif isinstance(operand, Label):
        base = instruction.address + 16 if instruction.opcode == "BRX" else 0
        assert not text.lstrip("-").startswith("0x") or int(text, 16) + base == operand.address
    else:
        assert format_operand(operand) == text


def format_operand(operand: Operand) -> str:
    if isinstance(operand, Register):
        zero, zero_name = ZERO_NAMES[operand.file]
        return decorate(zero_name if operand.index == zero else f"{operand.file.value}{operand.index}", operand)
    if isinstance(operand, Constant):
        bank = format_operand(operand.bank) if isinstance(operand.bank, Register) else hex(operand.bank)
        prefix = "cx" if isinstance(operand.bank, Register) else "c"
        return decorate(f"{prefix}[{bank}][{join([operand.register], operand.offset)}]", operand)
    if isinstance(operand, Address):
        descriptor = f"desc[{format_operand(operand.descriptor)}]" if operand.descriptor else ""
        return f"{descriptor}[{join([operand.register, operand.uniform], operand.offset)}]"
    if isinstance(operand, SpecialRegister):
        if operand.name in ("PR", "UPR") or operand.name.startswith("SB"):
            return operand.name
        return "SRZ" if operand.name == "Z" else f"SR_{operand.name}"
    assert isinstance(operand, Immediate)
    assert isinstance(operand.value, int)
    return hex(operand.value)


def join(registers: list[Register | None], offset: int) -> str:
    parts = [format_operand(register) for register in registers if register]
    return "+".join([*parts, hex(offset)] if offset or not parts else parts)


def decorate(core: str, operand: Register | Constant) -> str:
    predicate = isinstance(operand, Register) and "P" in operand.file.value
    sign = "-" if operand.negate else ("!" if predicate else "~") if operand.invert else ""
    bar = "|" if operand.absolute else ""
    return f"{sign}{bar}{core}{bar}{'.' + operand.selector if operand.selector else ''}"


def test_encodings_agree_with_the_text(corpus: Corpus, source_name: str) -> None:
    for instruction in instructions(corpus(source_name)):
        guard = instruction.guard
        assert instruction.encoding >> 12 & 7 == (guard.index if guard else PT), instruction.text
        assert bool(instruction.encoding >> 15 & 1) == bool(guard and guard.invert)
        assert instruction.control.reuse.bit_count() == instruction.text.count(".reuse"), instruction.text


def test_registers_are_those_of_nvdisasm(corpus: Corpus, source_name: str, tmp_path: Path) -> None:
    module = corpus(source_name)
    cubin = tmp_path / "kernel.cubin"
    cubin.write_bytes(module.cubin)
    command = [packaged_file("nvidia-cuda-nvdisasm", "bin/nvdisasm"), "-c", "-plr", "-lrm", "narrow", cubin]
    listing = life_ranges.parse(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for name, program in module.programs.items():
        for instruction in program.instructions:
            # nvdisasm lists what a callee may touch under CALL, and does not know the predicates of P2R and R2P.
            if instruction.opcode not in ("CALL", "P2R", "R2P", "NOP"):
                reads, writes = listing[name][instruction.address]
                assert life_ranges.plain(instruction.reads) == reads, instruction.text
                assert life_ranges.plain(instruction.writes) == writes, instruction.text


def test_predicate_files_are_moved_by_mask(corpus: Corpus) -> None:
    moves = [i for i in instructions(corpus("control")) if i.opcode == "P2R" and i.text.endswith("PR, RZ, 0x8")]
    assert moves
    assert all(move.reads == {Register(RegisterFile.PREDICATE, 3)} for move in moves)


def test_the_table_knows_the_pipe_and_class_of_all(corpus: Corpus, source_name: str) -> None:
    pipes = {"fma", "fmaheavy", "alu", "fp16", "fp64", "xu", "lsu", "uniform", "adu", "cbu"}
    for instruction in instructions(corpus(source_name)):
        assert instruction.pipe in pipes
        assert instruction.latency_class
