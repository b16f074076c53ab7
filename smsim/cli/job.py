"""What a command is to run: a launch of the catalogue, or a user's file with the launch from the options."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import kernels as catalogue
from isa.errors import CubinError, LaunchError
from isa.launch import Dim3
from smsim.arguments import parse_arguments
from smsim.module import Function, RawModule

FILE_SUFFIXES = (".cu", ".cuh", ".cubin", ".c", ".cc", ".cpp", ".ptx", ".o")


@dataclass(frozen=True)
class FileLaunch:
    """The options that say how a kernel of a file is launched; ``None`` where the user gave none."""

    grid: Dim3 | None
    block: Dim3 | None
    arguments: list[str]
    shared_mem: int | None

    @property
    def given(self) -> tuple[str, ...]:
        """The options that were used."""
        used = {
            "--grid": self.grid is not None,
            "--block": self.block is not None,
            "--arg": bool(self.arguments),
            "--shared-mem": self.shared_mem is not None,
        }
        return tuple(option for option, present in used.items() if present)


@dataclass(frozen=True)
class Job:
    """A kernel and its launch; ``expected`` is what the arrays must hold afterwards, where that is known."""

    function: Function
    grid: Dim3
    block: Dim3
    arguments: list[Any]
    shared_mem: int
    expected: Mapping[int, catalogue.Expected] = field(default_factory=dict)


def is_file(target: str) -> bool:
    """Whether the target names a file rather than a kernel of the catalogue."""
    path = Path(target)
    return path.suffix in FILE_SUFFIXES or path.is_file() or "/" in target


def load_module(target: str, options: tuple[str, ...]) -> RawModule:
    """The module of a file, or of a catalogue kernel with its own options.

    Raises:
        LaunchError: no such kernel; the message offers those of similar name.
        CubinError, CompileError: as :class:`RawModule`.
    """
    if is_file(target):
        _require_file(Path(target))
        return RawModule(path=target, options=options)
    kernel = _catalogue_kernel(target)
    if options:
        raise LaunchError(f"{target} is a kernel of the catalogue: it has its own compile options")
    return RawModule(path=kernel.source, options=kernel.options)


def choose_kernel(module: RawModule, target: str, name: str | None) -> Function:
    """The kernel ``name``, the catalogue entry's own, or the only one of the module.

    Raises:
        LaunchError: several kernels and no name.
        CubinError: no kernel of that name.
    """
    if not is_file(target):
        if name is not None:
            raise LaunchError(f"{target} is a kernel of the catalogue: --kernel is for files")
        return module.get_function(_catalogue_kernel(target).entry)
    if name is not None:
        return module.get_function(name)
    if not module.names:
        raise CubinError(f"{target} has no kernel: is a function __global__?")
    if len(module.names) > 1:
        raise LaunchError(
            f"{target} has {len(module.names)} kernels; choose one with --kernel: {', '.join(module.names)}"
        )
    return module.get_function(module.names[0])


def make_job(function: Function, target: str, launch_name: str | None, launch: FileLaunch) -> Job:
    """Put the launch together.

    Raises:
        LaunchError: an option is missing, or does not go with the target; no launch of that name; a bad argument.
    """
    if is_file(target):
        if launch_name is not None:
            raise LaunchError(
                "--launch chooses among a catalogue kernel's launches; give --grid and --block for a file"
            )
        return _file_job(function, launch)
    if launch.given:
        raise LaunchError(
            f"{target} is a kernel of the catalogue: choose one of its launches with --launch (smsim kernels lists "
            f"them); {' and '.join(launch.given)} are for files"
        )
    return _catalogue_job(function, _catalogue_kernel(target), launch_name)


def _file_job(function: Function, launch: FileLaunch) -> Job:
    if launch.grid is None or launch.block is None:
        raise LaunchError(f"{function.name}: give the launch with --grid X[,Y[,Z]] and --block X[,Y[,Z]]")
    shared_mem = launch.shared_mem or 0
    _allow_shared(function, shared_mem)
    return Job(function, launch.grid, launch.block, list(parse_arguments(launch.arguments)), shared_mem)


def _catalogue_job(function: Function, kernel: catalogue.Kernel, launch_name: str | None) -> Job:
    try:
        launch = kernel.default if launch_name is None else kernel.launch(launch_name)
    except catalogue.UnknownLaunchError as error:
        raise LaunchError(str(error)) from None
    arguments = launch.arguments()
    expected = launch.expected(launch.arguments())
    _allow_shared(function, launch.shared_mem)
    return Job(function, launch.grid, launch.block, list(arguments), launch.shared_mem, expected)


def _allow_shared(function: Function, size: int) -> None:
    """Ask for more than 48 KB where the launch needs it, as a CUDA program must."""
    function.max_dynamic_shared_size_bytes = max(function.max_dynamic_shared_size_bytes, size)


def _catalogue_kernel(name: str) -> catalogue.Kernel:
    try:
        return catalogue.get(name)
    except catalogue.UnknownKernelError as error:
        raise LaunchError(f"{error}, and no file of that name (smsim kernels lists the catalogue)") from None


def _require_file(path: Path) -> None:
    if path.is_file():
        return
    if path.is_dir():
        raise LaunchError(f"{path} is a folder; give a file of CUDA C or a cubin")
    siblings = [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []
    near = get_close_matches(path.name, siblings, n=1)
    hint = f"; did you mean {path.with_name(near[0])}?" if near else ""
    raise LaunchError(f"no such file: {path}{hint}")
