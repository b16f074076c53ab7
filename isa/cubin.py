"""Cubins: what the ELF file holds of each kernel, before its code is disassembled."""

import hashlib
import io
from dataclasses import dataclass, field
from typing import Any

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from isa.errors import CubinError
from isa.instruction import INSTRUCTION_BYTES
from isa.line_table import LineTable, read_line_table
from isa.nv_info import Attribute, find, read_entries, read_parameters
from isa.program import RESERVED_SHARED_BYTES, Parameter, Relocation, Symbol

ARCHITECTURE = "sm_90"
_SM = 90
_DEFAULT_MAX_THREADS = 1024
_EM_CUDA = "EM_CUDA"
_MODULE_SECTIONS = (".nv.constant3", ".nv.constant4", ".nv.global.init")
# Relocation types met in linked sm_90 cubins; the file says only the number.
_RELOCATION_KINDS = {1: "R_CUDA_32", 2: "R_CUDA_64", 3: "R_CUDA_G32", 4: "R_CUDA_G64"}


@dataclass(frozen=True, slots=True)
class KernelImage:
    """One kernel as the file holds it; the fields with the names of ``isa.program.Program``'s mean the same."""

    name: str
    code: bytes
    functions: dict[str, int]  # function symbols of the code section, with their address in it
    cluster: tuple[int, ...]  # blocks per cluster (x, y, z) that the kernel asks for, () for none
    num_regs: int
    static_shared_bytes: int
    local_bytes: int
    num_barriers: int
    max_threads: int
    parameters: tuple[Parameter, ...]
    parameter_base: int
    constant_banks: dict[int, bytes]
    relocations: tuple[Relocation, ...]

    def encoding(self, index: int) -> int:
        """The 128 bits of instruction ``index``."""
        start = index * INSTRUCTION_BYTES
        return int.from_bytes(self.code[start : start + INSTRUCTION_BYTES], "little")


@dataclass(frozen=True, slots=True)
class Cubin:
    """A cubin's kernels by name, its variables and its line table."""

    sha256: str
    kernels: dict[str, KernelImage]
    symbols: tuple[Symbol, ...]
    lines: LineTable = field(repr=False)


def read_cubin(data: bytes) -> Cubin:
    """Read a linked sm_90 cubin.

    Raises:
        CubinError: not an ELF file, damaged, of another architecture, relocatable, or without kernels.
    """
    try:
        elf = ELFFile(io.BytesIO(data))
        _check_header(elf)
        _check_extent(elf, len(data))
        return _Reader(elf).read()
    except CubinError:
        raise
    except (ELFError, ValueError, KeyError, IndexError, AttributeError, TypeError, UnicodeDecodeError) as error:
        raise CubinError(f"damaged cubin: {error or type(error).__name__}") from error
    except Exception as error:  # construct's own exceptions have no common, public base in pyelftools
        raise CubinError(f"damaged cubin: {error or type(error).__name__}") from error


def _check_header(elf: Any) -> None:
    if elf["e_machine"] != _EM_CUDA:
        raise CubinError(f"not a cubin: an ELF file for {elf['e_machine']}")
    flags = elf["e_flags"]
    # ABI 8 (CUDA 13) keeps the architecture in bits 8-15, ABI 7 in bits 0-7.
    architecture = flags >> 8 & 0xFF if elf["e_ident"]["EI_ABIVERSION"] >= 8 else flags & 0xFF
    if architecture != _SM:
        raise CubinError(
            f"the cubin is for sm_{architecture}; smsim reads {ARCHITECTURE}: compile with -arch={ARCHITECTURE}"
        )
    if elf["e_type"] != "ET_EXEC":
        raise CubinError("the cubin is relocatable (-rdc): link it with nvlink first")


def _check_extent(elf: Any, size: int) -> None:
    """Refuse a file that ends before its headers and sections do."""
    ends = [elf["e_phoff"] + elf["e_phnum"] * elf["e_phentsize"], elf["e_shoff"] + elf["e_shnum"] * elf["e_shentsize"]]
    for section in elf.iter_sections():
        if section["sh_type"] != "SHT_NOBITS":
            ends.append(section["sh_offset"] + section["sh_size"])
    if max(ends) > size:
        raise CubinError(f"damaged cubin: {max(ends)} bytes according to its headers, {size} in the file")


class _Reader:
    """Walks one file; the sections and symbols are read once."""

    def __init__(self, elf: Any) -> None:
        self.sections = list(elf.iter_sections())
        self.by_name = {section.name: section for section in self.sections}
        table = self.by_name.get(".symtab")
        if table is None:
            raise CubinError("damaged cubin: no symbol table")
        self.symbols = list(table.iter_symbols())
        info = self.by_name.get(".nv.info")
        self.info = read_entries(info.data()) if info else []

    def read(self) -> Cubin:
        names = [section.name.removeprefix(".text.") for section in self.sections if section.name.startswith(".text.")]
        if not names:
            raise CubinError("the cubin holds no kernel")
        kernels = {name: self._kernel(name) for name in names}
        lines = read_line_table(self._data(".debug_line"), self._code_relocations(".rela.debug_line"))
        return Cubin(self._hash(), kernels, self._variables(), lines)

    def _hash(self) -> str:
        """Over what a GPU loads: debug sections name files and folders, which differ from machine to machine."""
        digest = hashlib.sha256()
        for section in self.sections:
            name = section.name.removeprefix(".rela")
            if not name.startswith((".debug", ".nv_debug")):
                digest.update(f"{section.name} {section['sh_size']} {section['sh_info']}\n".encode())
                digest.update(b"" if section["sh_type"] == "SHT_NOBITS" else section.data())
        return digest.hexdigest()

    def _data(self, name: str) -> bytes:
        section = self.by_name.get(name)
        return b"" if section is None else bytes(section.data())

    def _kernel(self, name: str) -> KernelImage:
        section = self.by_name[f".text.{name}"]
        code = bytes(section.data())
        if len(code) != section["sh_size"] or not code or len(code) % INSTRUCTION_BYTES:
            raise CubinError(f"damaged cubin: the code of {name} is cut off")
        entries = read_entries(self._data(f".nv.info.{name}"))
        threads = find(entries, Attribute.REQNTID) or find(entries, Attribute.MAX_THREADS)
        x, y, z = threads.words() if threads else (_DEFAULT_MAX_THREADS, 1, 1)
        barriers = find(entries, Attribute.NUM_BARRIERS)
        bank = find(entries, Attribute.PARAM_CBANK)
        shared = self.by_name.get(f".nv.shared.{name}")
        cluster = find(entries, Attribute.CTA_PER_CLUSTER)
        index = self._symbol_index(name)
        return KernelImage(
            name=name,
            code=code,
            functions=self._functions(self.sections.index(section)),
            cluster=cluster.words() if cluster else (),
            num_regs=self._of_function(Attribute.REGCOUNT, index),
            static_shared_bytes=max(shared["sh_size"] - RESERVED_SHARED_BYTES, 0) if shared else 0,
            local_bytes=self._of_function(Attribute.MIN_STACK_SIZE, index),
            num_barriers=barriers.data[0] if barriers else 0,
            max_threads=min(x * y * z, _DEFAULT_MAX_THREADS),
            parameters=read_parameters(entries),
            parameter_base=bank.words()[1] & 0xFFFF if bank else 0,
            constant_banks=self._constant_banks(name),
            relocations=self._relocations(name),
        )

    def _symbol_index(self, name: str) -> int:
        for index, symbol in enumerate(self.symbols):
            if symbol.name == name and symbol["st_info"]["type"] == "STT_FUNC":
                return index
        raise CubinError(f"damaged cubin: no symbol for kernel {name}")

    def _of_function(self, attribute: Attribute, symbol: int) -> int:
        """A value that ``.nv.info`` lists per function: (symbol, value) pairs."""
        for entry in self.info:
            if entry.attribute == attribute and entry.words()[0] == symbol:
                return entry.words()[1]
        return 0

    def _functions(self, section: int) -> dict[str, int]:
        return {
            symbol.name: symbol["st_value"]
            for symbol in self.symbols
            if symbol["st_shndx"] == section and symbol["st_info"]["type"] == "STT_FUNC"
        }

    def _constant_banks(self, kernel: str) -> dict[int, bytes]:
        banks = {}
        for section in self.sections:
            head, _, owner = section.name.removeprefix(".nv.constant").partition(".")
            if section.name.startswith(".nv.constant") and head.isdigit() and owner in ("", kernel):
                banks[int(head)] = bytes(section.data())
        return banks

    def _code_relocations(self, name: str) -> dict[int, str]:
        """Offset in the relocated section -> the function whose address belongs there."""
        section = self.by_name.get(name)
        return {} if section is None else {r["r_offset"]: self._symbol_of(r) for r in section.iter_relocations()}

    def _symbol_of(self, relocation: Any) -> str:
        return str(self.symbols[relocation["r_info_sym"]].name)

    def _relocations(self, kernel: str) -> tuple[Relocation, ...]:
        result = []
        for target in (*_MODULE_SECTIONS, *(f".nv.constant{bank}.{kernel}" for bank in range(5)), f".text.{kernel}"):
            section = self.by_name.get(f".rela{target}")
            for entry in section.iter_relocations() if section else ():
                number = entry["r_info_type"]
                kind = _RELOCATION_KINDS.get(number, f"R_CUDA_{number}")
                result.append(Relocation(target, entry["r_offset"], kind, self._symbol_of(entry), entry["r_addend"]))
        return tuple(result)

    def _variables(self) -> tuple[Symbol, ...]:
        """Constants, and globals with their place in the image: initialised ones first, then the others."""
        result = []
        initialised = self._data(".nv.global.init")
        others = self.by_name.get(".nv.global")
        alignment = max(others["sh_addralign"], 1) if others else 1
        start_of_others = -(-len(initialised) // alignment) * alignment
        spaces = {
            ".nv.constant3": ("constant", self._data(".nv.constant3"), 0),
            ".nv.global.init": ("global", initialised, 0),
            ".nv.global": ("global", b"", start_of_others),
        }
        for symbol in self.symbols:
            index = symbol["st_shndx"]
            if symbol["st_info"]["type"] != "STT_OBJECT" or not isinstance(index, int):
                continue
            space = spaces.get(self.sections[index].name)
            if space is not None:
                kind, contents, start = space
                offset, size = symbol["st_value"], symbol["st_size"]
                initial = contents[offset : offset + size].ljust(size, b"\0")
                result.append(Symbol(symbol.name, kind, start + offset, size, initial))
        return tuple(result)
