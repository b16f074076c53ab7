"""When two cubins are the same code."""

import hashlib

from isa.instruction import INSTRUCTION_BYTES
from isa.program import Program


def code_sha256(program: Program) -> str:
    """Digest of a kernel's instructions and constants, hexadecimal.

    A cubin's own digest also covers the line table and the file's layout: the same source compiled under another name
    gives another cubin with the same code.
    """
    digest = hashlib.sha256()
    for instruction in program.instructions:
        digest.update(instruction.encoding.to_bytes(INSTRUCTION_BYTES, "little"))
    for bank, contents in sorted(program.constant_banks.items()):
        digest.update(bank.to_bytes(1, "little") + contents)
    return digest.hexdigest()
