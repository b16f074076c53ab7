"""A kernel as the cubin holds it: its instructions, its resources and its constants."""

from dataclasses import dataclass

from isa.instruction import Instruction

# The first kilobyte of every block's shared memory belongs to the system (sm_90): static shared memory starts at this
# address, dynamic shared memory after it, and an SM's shared memory must hold it for each block.
RESERVED_SHARED_BYTES = 1024


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel parameter: byte offset in the parameter block and size in bytes."""

    ordinal: int
    offset: int
    size: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A ``__device__`` or ``__constant__`` variable. ``space`` is "global" or "constant".

    ``initial`` has ``size`` bytes (zeros where the source gives none). A constant lives in bank 3 at ``offset``; a
    global's ``offset`` is within the module's global image.
    """

    name: str
    space: str
    offset: int
    size: int
    initial: bytes


@dataclass(frozen=True, slots=True)
class Relocation:
    """An address that the loader must fill in: ``symbol``'s address plus ``addend``, at ``offset`` of ``section``."""

    section: str
    offset: int
    kind: str
    symbol: str
    addend: int


@dataclass(frozen=True, slots=True)
class Program:
    """One kernel.

    Attributes:
        name: the entry's (mangled) name.
        instructions: the code in address order, the functions it calls included.
        num_regs: 32-bit registers per thread.
        static_shared_bytes: per block, without the RESERVED_SHARED_BYTES.
        local_bytes: stack per thread that the compiler knows of; recursion comes on top.
        num_barriers: block barriers used.
        max_threads: the bound of ``__launch_bounds__`` or 1024.
        parameters: in order.
        parameter_base: where the parameter block starts in constant bank 0 (0x210 on sm_90).
        constant_banks: initial contents by bank number, the launch-dependent part of bank 0 zero.
        symbols: the module's variables that the loader must place.
        relocations: what the loader must patch.
        arch: "sm_90".
        cubin_hash: SHA-256 of the cubin less its debug sections, hexadecimal: two results compare only when it is the
            same.
    """

    name: str
    instructions: tuple[Instruction, ...]
    num_regs: int
    static_shared_bytes: int
    local_bytes: int
    num_barriers: int
    max_threads: int
    parameters: tuple[Parameter, ...]
    parameter_base: int
    constant_banks: dict[int, bytes]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]
    arch: str
    cubin_hash: str
