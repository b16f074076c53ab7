"""SASS as text: nvdisasm's JSON, one entry per instruction of each function section."""

import json
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from isa.cache import remembered
from isa.compile import packaged_file
from isa.errors import CubinError

_PACKAGE = "nvidia-cuda-nvdisasm"


@dataclass(frozen=True, slots=True)
class Line:
    """One disassembled instruction: guard ("@!P0" or ""), opcode with modifiers, operands without spaces."""

    guard: str
    opcode: str
    operands: str

    @property
    def text(self) -> str:
        """As nvdisasm prints it, without the semicolon."""
        operands = ", ".join(operand.strip() for operand in self.operands.split(","))
        return " ".join(part for part in (self.guard, self.opcode, operands) if part)


@lru_cache(maxsize=16)
def disassemble(cubin: bytes) -> Mapping[str, tuple[Line, ...]]:
    """Disassemble a cubin: function section's name (without ".text.") to its instructions in address order.

    Raises:
        CubinError: nvdisasm refused the file; the message is its own.
    """
    # nvdisasm takes half a second to start, whatever the cubin.
    key = f"{_PACKAGE} {version(_PACKAGE)}\n".encode() + cubin
    answer = remembered("disassembly", key, lambda: _run(cubin))
    functions: list[dict[str, Any]] = json.loads(answer)[1]
    return {
        function["function-name"]: tuple(_line(entry) for entry in function["sass-instructions"])
        for function in functions
    }


def _run(cubin: bytes) -> bytes:
    """nvdisasm's JSON."""
    with tempfile.TemporaryDirectory(prefix="smsim-") as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        result = subprocess.run([_program(), "-json", "-ndf", str(path)], capture_output=True, check=False)
    if result.returncode != 0:
        message = result.stderr.decode(errors="replace").replace(str(path), "the cubin").strip()
        raise CubinError(f"nvdisasm could not read the cubin: {message or f'it ended with status {result.returncode}'}")
    return result.stdout


def _line(entry: dict[str, Any]) -> Line:
    guard, opcode, operands = entry.get("predicate", ""), entry["opcode"], entry.get("operands", "")
    if guard.endswith("PR"):
        # nvdisasm's JSON moves the predicate file, the second operand of P2R and UP2UR, to the guard's field.
        destination, _, rest = operands.partition(",")
        file = "UPR" if guard.endswith("UPR") else "PR"
        return Line(guard.removesuffix(file).strip(), opcode, f"{destination},{file},{rest}")
    return Line(guard, opcode, operands)


@cache
def _program() -> Path:
    return packaged_file(_PACKAGE, "bin/nvdisasm")
