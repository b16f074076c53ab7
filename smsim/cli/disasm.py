"""``smsim disasm``: SASS with its control codes."""

import json

from rich.table import Table
from rich.text import Text

from isa.encoding import format_control
from isa.program import Program
from smsim.cli.options import Define, Include, Json, KernelName, Option, Target, compile_options
from smsim.cli.output import show, step, write
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
        show(_table(program))
    if json_path is not None:
        write(json_path, json.dumps(_document(program), indent=1) + "\n")


def _table(program: Program) -> Table:
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        show_header=False,
        title=f"{program.name}: {len(program.instructions)} instructions, {program.num_regs} registers",
        title_justify="left",
        title_style="bold",
    )
    for _ in range(4):
        table.add_column(no_wrap=True)
    for instruction in program.instructions:
        control = f"[{format_control(instruction.control)}]"
        address = f"/*{instruction.address:04x}*/"
        table.add_row(Text(control, style="dim"), address, Text(instruction.text), Text(place(instruction.source)))
    return table


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
