"""Writes the job folder that ``validation.measure_on_gpu`` measures; needs no GPU.

The cubins in it are the ones that smsim simulates.
"""

import hashlib
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isa.errors import LaunchError
from isa.files import make_folder, write_whole
from isa.launch import Dim3, LaunchShape
from isa.module import Module, load_source
from kernels import Expected, Kernel, Launch
from smsim.module import Function
from validation.emulated import NotEmulatedError, emulated
from validation.files import stable_json
from validation.identity import code_sha256
from validation.measure_on_gpu.job import FORMAT, Argument, Case, arguments_sha256, case_to_json

USER_CLASS = "user"
FILE_NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Prepared:
    """A case together with what its job folder must hold: the cubin, and the arrays that the case lists.

    ``unchecked`` says why its outputs will not be compared with the emulator's, where that was asked for.
    """

    case: Case
    cubin: bytes
    arrays: tuple[np.ndarray, ...] = ()
    unchecked: str = ""


def catalogue_cases(
    kernels: Iterable[Kernel], launches: Sequence[str] | None = None, seed: int = 0
) -> Iterable[Prepared]:
    """The launches of catalogue kernels; ``launches`` limits them to those names.

    Raises:
        CompileError: a kernel does not compile.
        UnknownLaunchError: a kernel has no launch of a name in ``launches``.
    """
    for kernel in kernels:
        module = load_source(kernel.code, kernel.options, kernel.source.name)
        chosen = kernel.launches if launches is None else [kernel.launch(name) for name in launches]
        for launch in chosen:
            yield _catalogue_case(kernel, launch, module, seed)


def _catalogue_case(kernel: Kernel, launch: Launch, module: Module, seed: int) -> Prepared:
    outputs = _emulated(kernel, launch, module, seed)
    case = Case(
        case=f"{kernel.name}/{launch.name}",
        kernel=kernel.name,
        launch=launch.name,
        case_class=kernel.family,
        function=kernel.entry,
        cubin_sha256=hashlib.sha256(module.cubin).hexdigest(),
        code_sha256=code_sha256(module.program(kernel.entry)),
        grid=launch.grid,
        block=launch.block,
        dynamic_shared_bytes=launch.shared_mem,
        seed=seed,
        arguments_sha256=arguments_sha256(launch.arguments(seed)),
        expected=_listed({index: Expected(array) for index, array in outputs.items()}),
        clock=kernel.cycles_argument,
    )
    return Prepared(case, module.cubin, tuple(outputs.values()))


def _emulated(kernel: Kernel, launch: Launch, module: Module, seed: int) -> dict[int, np.ndarray]:
    """What the emulator leaves in the outputs of a launch that NumPy has no reference for, by argument index."""
    if not launch.deterministic:
        return {}
    arguments = launch.arguments(seed)
    function = Function(module.program(kernel.entry))
    function.trace(launch.grid, launch.block, arguments, shared_mem=launch.shared_mem, emulate="all")
    return {index: np.asarray(arguments[index]) for index in launch.deterministic}


def _listed(expected: Mapping[int, Expected]) -> tuple[dict[str, Any], ...]:
    """What arguments hold after the launch, as a case lists it."""
    return tuple(
        {
            "argument": index,
            "array": arguments_sha256([each.values]),
            "relative": each.relative,
            "absolute": each.absolute,
        }
        for index, each in expected.items()
    )


def user_case(
    module: Module,
    function: str,
    shape: LaunchShape,
    arguments: Sequence[Argument],
    *,
    name: str = "",
    launch: str = "",
    check: bool = False,
) -> Prepared:
    """One launch of a user's kernel; ``function`` is its mangled name or an unambiguous base name.

    ``name`` and ``launch`` are what its measurement is filed under: the function, and grid and block, when empty. With
    ``check`` the GPU's outputs are compared with the emulator's, where these cannot differ from run to run.

    Raises:
        CubinError: the module has no such kernel.
        LaunchError: the number or the sizes of the arguments are not those of the kernel's parameters; a name that
            cannot be a file's.
    """
    kernel, launch = name or function, launch or shape_name(shape)
    if not FILE_NAME.fullmatch(kernel) or not FILE_NAME.fullmatch(launch):
        raise LaunchError(f"{kernel!r}, launch {launch!r}: a name is of letters, digits and any of _ . -")
    program = module.program(function)
    _check_arguments(program.name, [parameter.size for parameter in program.parameters], arguments)
    arrays = tuple(value for value in arguments if isinstance(value, np.ndarray))
    outputs: dict[int, Expected] = {}
    unchecked = ""
    if check:
        try:
            outputs = emulated(program, shape, arguments)
        except NotEmulatedError as error:
            unchecked = str(error)
    case = Case(
        case=f"{kernel}/{launch}",
        kernel=kernel,
        launch=launch,
        case_class=USER_CLASS,
        function=program.name,
        cubin_sha256=hashlib.sha256(module.cubin).hexdigest(),
        code_sha256=code_sha256(program),
        grid=shape.grid,
        block=shape.block,
        dynamic_shared_bytes=shape.dynamic_shared_bytes,
        seed=None,
        arguments_sha256=arguments_sha256(list(arguments)),
        arguments=tuple(_describe(value) for value in arguments),
        expected=_listed(outputs),
    )
    return Prepared(case, module.cubin, (*arrays, *(each.values for each in outputs.values())), unchecked)


def shape_name(shape: LaunchShape) -> str:
    """A launch's name where none is given: its grid and block, "132x256"."""
    return f"{_extent(shape.grid)}x{_extent(shape.block)}"


def _extent(extent: Dim3) -> str:
    """(132, 1, 1) is "132", (8, 4, 1) is "8.4.1"."""
    return str(extent[0]) if extent[1:] == (1, 1) else ".".join(map(str, extent))


def _check_arguments(kernel: str, sizes: list[int], arguments: Sequence[Argument]) -> None:
    if len(sizes) != len(arguments):
        raise LaunchError(f"kernel {kernel} has {len(sizes)} parameters, {len(arguments)} arguments were given")
    for position, (size, value) in enumerate(zip(sizes, arguments, strict=True)):
        given = 8 if isinstance(value, np.ndarray) else value.nbytes
        if given != size:
            raise LaunchError(f"kernel {kernel}, argument {position}: {given} bytes given, the parameter has {size}")


def _describe(value: Argument) -> dict[str, Any]:
    if isinstance(value, np.ndarray):
        return {"array": arguments_sha256([value])}
    return {"scalar": value.item(), "dtype": value.dtype.name}


def write_job(folder: Path, prepared: Iterable[Prepared]) -> int:
    """Write a job folder; returns the number of cases. job.json comes last: a folder with one is complete."""
    cases = []
    for name in ("cubins", "arrays"):
        make_folder(folder / name)
    for item in prepared:
        _write_once(folder / "cubins" / f"{item.case.cubin_sha256}.cubin", item.cubin)
        for array in item.arrays:
            _write_array(folder / "arrays" / f"{arguments_sha256([array])}.npz", array)
        cases.append(case_to_json(item.case))
    write_whole(folder / "job.json", stable_json({"format": FORMAT, "cases": cases}).encode())
    return len(cases)


def _write_once(path: Path, content: bytes) -> None:
    if not path.exists():
        write_whole(path, content)


def _write_array(path: Path, array: np.ndarray) -> None:
    if not path.exists():
        content = io.BytesIO()
        np.savez_compressed(content, array=array)
        write_whole(path, content.getvalue())
