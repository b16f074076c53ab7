"""``smsim disasm``: SASS with its control codes."""

import json

import typer

from isa.encoding import format_control
from isa.program import Program
from smsim.cli.options import Define, Include, Json, KernelName, Option, Target, compile_options
from smsim.cli.output import step, write
from smsim.views.parts import place


def disasm(
    target: Target,
    *,
    kernel: KernelName = None,
    include: Include = None,
    define: Define = None,
    option: Option = None,
    json_path: Json = None,
) -> None:
    """Show a kernel's SASS with its control codes.

    In CuAssembler's form: wait mask, read barrier, write barrier, yield, stall count.
    """
    from smsim.cli.job import load_kernel

    with step("Compiling"):
        _, function = load_kernel(target, compile_options(include, define, option), kernel)
    program = function.program
    if json_path is None or str(json_path) != "-":
        typer.echo(_listing(program))
    if json_path is not None:
        write(json_path, json.dumps(_document(program), indent=1) + "\n")


def _listing(program: Program) -> str:
    """A line per instruction, never wrapped."""
    lines = [f"{program.name}: {len(program.instructions)} instructions, {program.num_regs} registers"]
    width = max(len(instruction.text) for instruction in program.instructions)
    for instruction in program.instructions:
        control = format_control(instruction.control)
        text = f"[{control}]  /*{instruction.address:04x}*/  {instruction.text:{width}}  {place(instruction.source)}"
        lines.append(text.rstrip())
    return "\n".join(lines)


def _document(program: Program) -> dict[str, object]:
    return {
        "kernel": program.name,
        "arch": program.arch,
        "cubin_hash": program.cubin_hash,
        "num_regs": program.num_regs,
        "instructions": [
            {
                "address": instruction.address,
                "control": format_control(instruction.control),
                "text": instruction.text,
                "pipe": instruction.pipe,
                "file": instruction.source.file if instruction.source else None,
                "line": instruction.source.line if instruction.source else None,
            }
            for instruction in program.instructions
        ],
    }
