"""What a command is to run: a launch of the catalogue, or a user's file with the launch from the options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import kernels as catalogue
from isa.errors import CubinError, LaunchError
from isa.launch import Dim3
from isa.module import Module, load_source
from smsim.arguments import parse_arguments
from smsim.module import Function, load_file

FILE_SUFFIXES = (".cu", ".cuh", ".cubin", ".c", ".cc", ".cpp", ".ptx", ".o")


TRACE_SUFFIX = ".trace"


@dataclass(frozen=True)
class FileLaunch:
    """The options that say which kernel of a file is launched and how; ``None`` or empty where the user gave none."""

    kernel: str | None
    options: tuple[str, ...]
    grid: Dim3 | None
    block: Dim3 | None
    arguments: tuple[str, ...]
    shared_mem: int | None

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were used."""
        used = {
            "--kernel": self.kernel is not None,
            "-I, -D and --option": bool(self.options),
            "--grid": self.grid is not None,
            "--block": self.block is not None,
            "--arg": bool(self.arguments),
            "--shared-mem": self.shared_mem is not None,
        }
        return tuple(option for option, present in used.items() if present)


@dataclass(frozen=True)
class Job:
    """A kernel and its launch.

    Attributes:
        source: the file it was compiled from, or the cubin.
        module: what ``function`` was loaded from.
        title: what a catalogue kernel is; empty for a file.
        expected: what the arrays must hold afterwards, by argument index, where that is known.
    """

    source: Path
    module: Module
    function: Function
    grid: Dim3
    block: Dim3
    arguments: list[Any]
    shared_mem: int
    title: str = ""
    expected: Mapping[int, catalogue.Expected] = field(default_factory=dict)


def is_trace(target: str) -> bool:
    """Whether the target names a saved trace."""
    return Path(target).suffix == TRACE_SUFFIX


def is_file(target: str) -> bool:
    """Whether the target names a file rather than a kernel of the catalogue."""
    path = Path(target)
    looks_so = path.suffix in FILE_SUFFIXES or "/" in target
    return looks_so or (target not in catalogue.names() and path.exists())


def load_kernel(target: str, options: tuple[str, ...], name: str | None) -> tuple[Module, Function]:
    """The kernel ``name`` of a file, its only one, or the catalogue's kernel; and the module it is in.

    Raises:
        LaunchError: no such file or kernel (the message offers those of similar name), several kernels and no name,
            or options that do not go with the catalogue.
        CubinError, CompileError: as :class:`smsim.RawModule`.
    """
    if is_file(target):
        _require_file(Path(target))
        module = load_file(Path(target), options)
        return module, _choose(module, target, name)
    kernel = _catalogue_kernel(target)
    if options or name:
        raise LaunchError(f"{target} is a kernel of the catalogue: --kernel, -I, -D and --option are for files")
    return _load_catalogue(kernel)


def make_job(target: str, launch_name: str | None, launch: FileLaunch) -> Job:
    """Load the kernel and put its launch together.

    Raises:
        LaunchError: an option is missing, or does not go with the target; no launch of that name; a bad argument.
        CubinError, CompileError: as :class:`smsim.RawModule`.
    """
    if is_file(target):
        return _file_job(target, launch_name, launch)
    kernel = _catalogue_kernel(target)
    if launch.given:
        raise LaunchError(
            f"{target} is a kernel of the catalogue: choose one of its launches with --launch (smsim kernels lists "
            f"them); {' and '.join(launch.given)} are for files"
        )
    return _catalogue_job(kernel, launch_name)


def _file_job(target: str, launch_name: str | None, launch: FileLaunch) -> Job:
    if launch_name is not None:
        raise LaunchError("--launch chooses among a catalogue kernel's launches; give --grid and --block for a file")
    module, function = load_kernel(target, launch.options, launch.kernel)
    if launch.grid is None or launch.block is None:
        raise LaunchError(f"{function.name}: give the launch with --grid X[,Y[,Z]] and --block X[,Y[,Z]]")
    arguments = list(parse_arguments(list(launch.arguments)))
    shared_mem = launch.shared_mem or 0
    _allow_shared(function, shared_mem)
    return Job(Path(target), module, function, launch.grid, launch.block, arguments, shared_mem)


def _catalogue_job(kernel: catalogue.Kernel, launch_name: str | None) -> Job:
    try:
        launch = kernel.default if launch_name is None else kernel.launch(launch_name)
    except catalogue.UnknownLaunchError as error:
        raise LaunchError(str(error)) from None
    module, function = _load_catalogue(kernel)
    _allow_shared(function, launch.shared_mem)
    expected = launch.expected(launch.arguments())
    return Job(
        source=kernel.source,
        module=module,
        function=function,
        grid=launch.grid,
        block=launch.block,
        arguments=list(launch.arguments()),
        shared_mem=launch.shared_mem,
        title=f"{kernel.name}, launch {launch.name}: {kernel.description}",
        expected=expected,
    )


def _choose(module: Module, target: str, name: str | None) -> Function:
    if name is not None:
        return Function(module.program(name))
    if not module.names:
        raise CubinError(f"{target} has no kernel: is a function __global__?")
    if len(module.names) > 1:
        names = ", ".join(module.names)
        raise LaunchError(f"{target} has {len(module.names)} kernels; choose one with --kernel: {names}")
    return Function(module.program(module.names[0]))


def _load_catalogue(kernel: catalogue.Kernel) -> tuple[Module, Function]:
    """Compiled under the file's bare name, so that the cubin does not depend on where the project lies."""
    module = load_source(kernel.code, kernel.options, kernel.source.name)
    return module, Function(module.program(kernel.entry))


def _allow_shared(function: Function, size: int) -> None:
    """Ask for more than 48 KB where the launch needs it, as a CUDA program must."""
    function.max_dynamic_shared_size_bytes = max(function.max_dynamic_shared_size_bytes, size)


def _catalogue_kernel(name: str) -> catalogue.Kernel:
    try:
        return catalogue.get(name)
    except catalogue.UnknownKernelError as error:
        raise LaunchError(f"{error} (smsim kernels lists all; a file is named with its suffix)") from None


def _require_file(path: Path) -> None:
    if path.is_file():
        return
    if path.is_dir():
        raise LaunchError(f"{path} is a folder; give a file of CUDA C or a cubin")
    siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, siblings, n=1)
    hint = f"; did you mean {path.with_name(near[0])}?" if near else ""
    raise LaunchError(f"no such file: {path}{hint}")
