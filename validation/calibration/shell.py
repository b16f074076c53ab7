"""The cubin around a microbenchmark: compiled once per code size, then given our code and register count."""

import io
from functools import cache

from elftools.elf.elffile import ELFFile

from isa.compile import compile_source

from .sass import INSTRUCTION_BYTES, assemble, op

KERNEL = "shell"
ROOM = (384, 1024, 4096, 12288, 40960)  # instructions that fit, one shell each
STACK_BYTES = 256  # local memory per thread
_REGCOUNT = b"\x04\x2f\x08\x00"  # EIATTR_REGCOUNT: symbol, then the number of registers

_BARRIERS = b"\x02\x4c"  # EIATTR_NUM_BARRIERS: how many block barriers the kernel names

# The loop keeps a stack frame, bar.sync one block barrier; `bar.sync` is also what fills the code section.
_SOURCE = """{constants}extern "C" __global__ void __launch_bounds__(1024) shell(
    unsigned* out, unsigned warps, unsigned spare, unsigned* data) {{
  volatile unsigned local[64];
  for (unsigned i = 0; i < spare; ++i) local[(i * spare) & 63] = i;
  asm volatile("{filler}");
  out[threadIdx.x] = local[spare & 63]{use};
}}
"""


@cache
def _shell(room: int, constant_bytes: int) -> tuple[bytes, int, int]:
    """Compile a shell with at least `room` instructions; return the cubin, its code's offset and size in bytes."""
    table = f'extern "C" __constant__ unsigned table[{constant_bytes // 4}] = {{1}};\n' if constant_bytes else ""
    use = " + table[spare]" if constant_bytes else ""
    cubin = compile_source(_SOURCE.format(constants=table, filler="bar.sync 0;" * room, use=use), name="shell.cu")
    return cubin, *_section(cubin, f".text.{KERNEL}")


def _section(cubin: bytes, name: str) -> tuple[int, int]:
    """Return the offset and the size of a section that every cubin has."""
    section = ELFFile(io.BytesIO(cubin)).get_section_by_name(name)
    assert section is not None, name
    return section["sh_offset"], section["sh_size"]


def wrap(code: bytes, registers: int, constant_bytes: int = 0, barriers: int = 1) -> bytes:
    """Return a cubin whose kernel `shell` consists of the given machine code, padded with NOPs.

    Args:
        code: machine code, at most 40,960 instructions.
        registers: registers per thread that the kernel claims, a multiple of 8, at most 255.
        constant_bytes: bytes of constants of the module's own, c[0x3], at most 65,536.
        barriers: block barriers that the kernel claims, at most 16.

    Raises:
        ValueError: the code does not fit into the largest shell.
    """
    count = len(code) // INSTRUCTION_BYTES
    room = next((size for size in ROOM if size >= count), None)
    if room is None:
        raise ValueError(f"{count} instructions do not fit into the largest shell ({ROOM[-1]})")
    cubin, offset, size = _shell(room, constant_bytes)
    padding = assemble([op("NOP")]) * ((size - len(code)) // INSTRUCTION_BYTES)
    patched = bytearray(cubin)
    patched[offset : offset + size] = code + padding
    start, length = _section(cubin, ".nv.info")
    attribute = cubin.index(_REGCOUNT, start, start + length)
    patched[attribute + 8] = registers
    start, length = _section(cubin, f".nv.info.{KERNEL}")
    patched[cubin.index(_BARRIERS, start, start + length) + 2] = barriers
    return bytes(patched)
