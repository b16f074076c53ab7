"""A compiled module and the Programs in it: where a user's CUDA C or cubin enters."""

import re
from collections.abc import Mapping
from functools import cached_property

from isa.compile import compile_source
from isa.cubin import ARCHITECTURE, Cubin, KernelImage, read_cubin
from isa.decode import decode
from isa.disassembly import Line, disassemble
from isa.errors import CubinError, UnsupportedInstructionError
from isa.instruction import INSTRUCTION_BYTES
from isa.program import Program

_MANGLED_PREFIX = re.compile(r"_ZN?(?=\d)")
_LENGTH = re.compile(r"\d+")


class Module:
    """The kernels of one cubin. A kernel is decoded when it is first asked for.

    Attributes:
        cubin: the file's bytes.
        names: the (mangled) names of the kernels.
    """

    def __init__(self, cubin: bytes) -> None:
        """Read ``cubin``.

        Raises:
            CubinError: as ``isa.cubin.read_cubin``.
        """
        self.cubin = cubin
        self._cubin: Cubin = read_cubin(cubin)
        self._decoded: dict[str, Program] = {}
        self.names = tuple(self._cubin.kernels)

    @property
    def programs(self) -> dict[str, Program]:
        """Every kernel by its (mangled) name.

        Raises:
            UnsupportedInstructionError: one of them cannot be decoded; ``program`` loads the others.
        """
        return {name: self.program(name) for name in self.names}

    def program(self, name: str) -> Program:
        """The kernel called ``name``: its mangled name, or its base name when only one kernel has it.

        Raises:
            CubinError: there is no such kernel, or several; the message lists the names.
            UnsupportedInstructionError: it holds an instruction that smsim does not know.
        """
        full_name = self._full_name(name)
        if full_name not in self._decoded:
            self._decoded[full_name] = self._decode(self._cubin.kernels[full_name])
        return self._decoded[full_name]

    def _full_name(self, name: str) -> str:
        if name in self.names:
            return name
        matches = [candidate for candidate in self.names if base_name(candidate) == name]
        if len(matches) == 1:
            return matches[0]
        problem = f"several kernels are called {name!r}" if matches else f"no kernel is called {name!r}"
        raise CubinError(f"{problem}; the module has: {', '.join(matches or self.names)}")

    @cached_property
    def _lines(self) -> Mapping[str, tuple[Line, ...]]:
        return disassemble(self.cubin)

    def _decode(self, image: KernelImage) -> Program:
        if image.cluster:
            size = "x".join(map(str, image.cluster))
            raise UnsupportedInstructionError(
                f"{image.name}: asks for clusters of {size} blocks, which smsim does not run"
            )
        lines = self._lines.get(image.name, ())
        if len(lines) != len(image.code) // INSTRUCTION_BYTES:
            raise CubinError(
                f"{image.name}: nvdisasm lists {len(lines)} instructions for {len(image.code)} bytes of code"
            )
        table = self._cubin.lines
        instructions = tuple(
            decode(
                image.name,
                index,
                line,
                image.encoding(index),
                symbols=image.functions,
                source=table.find(image.name, index * INSTRUCTION_BYTES),
            )
            for index, line in enumerate(lines)
        )
        return Program(
            name=image.name,
            instructions=instructions,
            num_regs=image.num_regs,
            static_shared_bytes=image.static_shared_bytes,
            local_bytes=image.local_bytes,
            num_barriers=image.num_barriers,
            max_threads=image.max_threads,
            parameters=image.parameters,
            parameter_base=image.parameter_base,
            constant_banks=image.constant_banks,
            symbols=self._cubin.symbols,
            relocations=image.relocations,
            arch=ARCHITECTURE,
            cubin_hash=self._cubin.sha256,
        )


def load_source(code: str, options: tuple[str, ...] = (), name: str = "kernel.cu", *, anew: bool = False) -> Module:
    """Compile CUDA C and load it. Arguments and errors as ``isa.compile.compile_source``."""
    return Module(compile_source(code, options, name, anew=anew))


def load_cubin(data: bytes) -> Module:
    """Load a cubin.

    Raises:
        CubinError: as ``isa.cubin.read_cubin``.
    """
    return Module(data)


def base_name(name: str) -> str:
    """The name that the source gives a mangled kernel, without namespaces, template arguments and parameters.

    "tk" of ``_Z2tkILi3EEvPf``, "hidden" of ``_ZN5inner6hiddenEPi``; a name that is not mangled stays.
    """
    prefix = _MANGLED_PREFIX.match(name)
    if prefix is None:
        return name
    base, position = "", prefix.end()
    while length := _LENGTH.match(name, position):
        position = length.end() + int(length[0])
        base = name[length.end() : position]
        if prefix[0] == "_Z":  # only _ZN...E holds several names
            break
    return base
