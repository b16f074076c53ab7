"""A folder of CUDA C (or cubins) with its launches, which the file ``launches.toml`` in it lists:

    [[launch]]
    file = "saxpy.cu"
    kernel = "saxpy"          # may be left out when the file has one kernel
    grid = [132]              # X, or X and Y, or X, Y and Z
    block = [256]
    args = ["f32[33792]=random", "f32[33792]=zeros", "f32=2", "i32=33792"]
    shared_mem = 0            # bytes of dynamic shared memory; 0 when left out
    options = ["-DUNROLL=4"]  # for NVRTC
    name = "saxpy_unroll4"    # what its measurements are called; the kernel's name when left out
    launch = "132x256_n33792" # the launch's name; its grid and block when left out

Files and arguments read from files (``=@FILE.npy``) are relative to the folder. A name may have several launches.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

from isa.errors import LaunchError
from isa.launch import Dim3, LaunchShape
from isa.module import Module
from smsim.arguments import parse_arguments
from smsim.module import load_file
from validation.measure_on_gpu.job import Argument
from validation.prepare import Prepared, shape_name, user_case

FILE = "launches.toml"


class LaunchEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One launch; the fields are those in the file (see the module's docstring)."""

    file: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    kernel: str = ""
    args: tuple[str, ...] = ()
    shared_mem: int = 0
    options: tuple[str, ...] = ()
    name: str = ""
    launch: str = ""


class _Launches(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    launch: tuple[LaunchEntry, ...]


def read_launches(folder: Path) -> tuple[LaunchEntry, ...]:
    """The launches that the folder's file lists.

    Raises:
        LaunchError: the file is missing or damaged; the message names the place in it.
    """
    path = folder / FILE
    try:
        entries = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), _Launches).launch
    except OSError as error:
        raise LaunchError(f"cannot read {path}, which lists the folder's launches: {error.strerror or error}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise LaunchError(f"{path}: {error}") from None
    if not entries:
        raise LaunchError(f"{path} lists no launch")
    return entries


@dataclass(frozen=True)
class ListedLaunch:
    """A launch that a folder lists, with its file's module; its arguments are made when they are asked for."""

    folder: Path
    number: int
    entry: LaunchEntry
    module: Module

    @property
    def function(self) -> str:
        """The kernel's name as the file has it."""
        if not self.entry.kernel and len(self.module.names) != 1:
            raise self.fault(f"choose one of its kernels with kernel: {', '.join(self.module.names) or 'it has none'}")
        return self.entry.kernel or self.module.names[0]

    @property
    def shape(self) -> LaunchShape:
        """Grid, block and shared memory."""
        try:
            extents = _extent("grid", self.entry.grid), _extent("block", self.entry.block)
        except LaunchError as error:
            raise self.fault(error) from None
        return LaunchShape(*extents, self.entry.shared_mem)

    @property
    def kernel(self) -> str:
        """What its measurements are filed under."""
        return self.entry.name or self.function

    @property
    def launch(self) -> str:
        """The launch's name."""
        return self.entry.launch or shape_name(self.shape)

    @property
    def name(self) -> str:
        """ "kernel/launch"."""
        return f"{self.kernel}/{self.launch}"

    def arguments(self) -> list[Argument]:
        """New arguments, as the file describes them.

        Raises:
            LaunchError: one is wrong; the message names the launch.
        """
        try:
            return parse_arguments([_beside(self.folder, text) for text in self.entry.args])
        except LaunchError as error:
            raise self.fault(error) from None

    def fault(self, error: object) -> LaunchError:
        """An error that says where the launch stands."""
        return LaunchError(f"{self.folder / FILE}, launch {self.number} ({self.entry.file}): {error}")


def listed_launches(folder: Path) -> Iterator[ListedLaunch]:
    """The folder's launches, in their order.

    Raises:
        LaunchError: as :func:`read_launches`; a launch's grid or name is wrong; the message names it.
        CubinError, CompileError: a file cannot be loaded.
    """
    load = cache(load_file)
    seen: set[str] = set()
    for number, entry in enumerate(read_launches(folder), start=1):
        listed = ListedLaunch(folder, number, entry, load(folder / entry.file, entry.options))
        if listed.name in seen:
            raise listed.fault(f"there is already a launch {listed.name}; tell them apart with name or launch")
        seen.add(listed.name)
        yield listed


def folder_cases(folder: Path, *, check: bool = False) -> Iterator[Prepared]:
    """The folder's launches, ready to be measured, with ``check`` as :func:`validation.prepare.user_case` has it.

    Raises:
        LaunchError: as :func:`listed_launches`; a launch's arguments are wrong; the message names it.
        CubinError, CompileError: a file cannot be loaded.
    """
    for listed in listed_launches(folder):
        what = listed.module, listed.function, listed.shape, listed.arguments()
        try:
            yield user_case(*what, name=listed.kernel, launch=listed.launch, check=check)
        except LaunchError as error:
            raise listed.fault(error) from None


def _extent(what: str, extent: tuple[int, ...]) -> Dim3:
    if not 1 <= len(extent) <= 3 or min(extent) < 1:
        raise LaunchError(f"{what} = {list(extent)} is not X, or X and Y, or X, Y and Z, each positive")
    x, y, z = (*extent, 1, 1)[:3]
    return x, y, z


def _beside(folder: Path, text: str) -> str:
    """The argument's text with its file, if it has one, in the folder."""
    head, at, file = text.partition("=@")
    return f"{head}=@{folder / file.strip()}" if at else text
