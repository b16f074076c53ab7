"""The folder for the GPU machine: cubins, operands, and the script that runs them."""

import json
import shutil
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np

from isa.compile import compile_source
from isa.module import Module, load_cubin
from validation.semantics_check.operands import COUNT, division_grid, kind, operand_sets

FAMILIES = ("integer", "bits", "float32", "float64", "half", "convert", "special")
OPTIONS = ("--std=c++17", "--device-int128", "--diag-suppress=177")
# What the patched division stores where FCHK asks for the slow path: a NaN that no arithmetic gives.
SLOW_PATH = 0x7FC0DEAD
_MOV_R0_IMMEDIATE = 0x7802 | SLOW_PATH << 32 | 0x000FCE0000000F00 << 64


def compile_family(family: str) -> bytes:
    """The cubin of a family's kernels."""
    kernels = files("validation.semantics_check") / "kernels"
    with as_file(kernels) as folder:
        source = (folder / f"{family}.cu").read_text()
        return compile_source(source, (*OPTIONS, f"-I{folder}"), f"{family}.cu")


def patched_division(cubin: bytes) -> bytes:
    """The FP32 family's cubin with the division's call of the slow path replaced by a move of ``SLOW_PATH``.

    The kernel then tells what FCHK answered, which its quotients do not: the slow path is right for all operands.
    """
    program = load_cubin(cubin).program("f32_div_rn")
    call = next(i for i in program.instructions if i.opcode == "CALL")
    code = b"".join(i.encoding.to_bytes(16, "little") for i in program.instructions[call.index - 4 : call.index + 1])
    at = cubin.index(code) + 4 * 16
    return cubin[:at] + _MOV_R0_IMMEDIATE.to_bytes(16, "little") + cubin[at + 16 :]


def prepare(folder: Path) -> None:
    """Write the folder; existing files in it are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, dict[str, str]] = {}
    for family in FAMILIES:
        cubin = compile_family(family)
        (folder / f"{family}.cubin").write_bytes(cubin)
        names[family] = {name: kind(name) for name in Module(cubin).names}
        if family == "float32":
            (folder / "division.cubin").write_bytes(patched_division(cubin))
    (folder / "operations.json").write_text(json.dumps({"count": COUNT, "families": names}, indent=1))
    operands: dict[str, Any] = {"division": division_grid(), **operand_sets()}
    np.savez_compressed(folder / "operands.npz", **operands)
    with as_file(files("validation.semantics_check") / "record.py") as script:
        shutil.copy(script, folder / "record.py")
