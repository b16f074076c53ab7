"""Check assembled programs against nvdisasm: every instruction must read as it was meant."""

import re
import subprocess
import tempfile
from collections.abc import Iterable

from isa.compile import packaged_file

from .sass import INSTRUCTION_BYTES, Instruction, assemble, label_indices

_LINE = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;")


def disassemble(code: bytes) -> list[str]:
    """Return nvdisasm's text of raw sm_90 machine code, one entry per instruction."""
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        file.write(code)
        file.flush()
        command = [str(packaged_file("nvidia-cuda-nvdisasm", "bin/nvdisasm")), "-b", "SM90", file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"nvdisasm refuses the code: {done.stderr.strip()}")
    return _LINE.findall(done.stdout)


def differences(programs: Iterable[list[Instruction]]) -> list[str]:
    """Return one line per instruction that nvdisasm reads otherwise than it was meant; empty when all is well."""
    wanted: list[str] = []
    code = bytearray()
    for program in programs:
        labels = label_indices(program)
        wanted += [instruction.text(len(code), labels) for instruction in program]
        code += assemble(program)
    found = disassemble(bytes(code))
    if len(found) != len(wanted):
        return [f"{len(wanted)} instructions assembled, {len(found)} disassembled"]
    return [
        f"{i * INSTRUCTION_BYTES:#x}: meant '{a}', reads '{b}'"
        for i, (a, b) in enumerate(zip(wanted, found, strict=True))
        if _plain(a) != _plain(b)
    ]


_ALIAS = re.compile(r"IMAD\.(MOV|SHL|IADD)(\.U32)? |IMAD\.U32 ")  # how nvdisasm writes some uses of IMAD


def _plain(text: str) -> str:
    text = _ALIAS.sub("IMAD ", text.replace(".reuse", ""))
    return re.sub(r"\s+", " ", text).strip()
