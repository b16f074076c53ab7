"""CUDA C to an sm_90 cubin, with NVRTC."""

import re
from functools import cache
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path

from isa.cache import remembered
from isa.errors import CompileError
from isa.line_table import SOURCE_ROOT

ARCHITECTURE = "sm_90"

_COMPILER = "nvidia-cuda-nvrtc"

# Package -> a header in its include folder that the source is likely to ask for.
_HEADER_PACKAGES = {
    "nvidia-cuda-runtime": "cuda_fp16.h",
    "nvidia-cuda-crt": "crt/host_defines.h",
    "nvidia-cuda-cccl": "cccl/nv/target",
}

_C_HEADERS = Path(__file__).parent / "headers"

# sm_90 is what the rest of isa decodes, line info is always asked for, and debug code (-G) is not what runs fast.
_OWN_OPTIONS = (
    "--gpu-architecture",
    "-arch",
    "--device-debug",
    "-G",
    "--relocatable-device-code",
    "-rdc",
    "-dc",
    "-dlto",
)

# What every compilation gets anyway.
_ALWAYS = (f"--gpu-architecture={ARCHITECTURE}", f"-arch={ARCHITECTURE}", "-lineinfo", "--generate-line-info")

# What may make the compiler read a file, or tell the time: such code is compiled every time.
_MAY_CHANGE = re.compile("include|import|embed|pch|__DATE__|__TIME")


def compile_source(code: str, options: tuple[str, ...] = (), name: str = "kernel.cu", *, anew: bool = False) -> bytes:
    """Compile CUDA C for sm_90 and return the cubin; what was compiled before comes from disk.

    Args:
        code: the source.
        options: NVRTC options, as ``cupy.RawModule`` takes them: ``("--std=c++17", "-Iinclude", "-DN=4")``.
        name: what the source is called in messages and in the line table.
        anew: compile what was compiled before, too: NVRTC gives now this, now that of two cubins for a few sources.

    Raises:
        CompileError: the compiler rejected the source (the message is its log), or an option is not for the caller
            to set (architecture, device debugging, relocatable code).
    """
    given = [option for option in options if option not in _ALWAYS]
    for option in given:
        if option.split("=", 1)[0] in _OWN_OPTIONS:
            raise CompileError(
                f"{name}: option {option!r} cannot be set: smsim compiles optimised, linked {ARCHITECTURE} code"
            )
    if any(_MAY_CHANGE.search(text) for text in (code, *given)):
        return _compile(code, given, name)
    what = (_COMPILER, version(_COMPILER), _ALWAYS, given, name, code)
    return remembered("cubins", repr(what).encode(), lambda: _compile(code, given, name), anew)


def _compile(code: str, options: list[str], name: str) -> bytes:
    from cuda.bindings import nvrtc  # noqa: PLC0415  (0.15 s and 80 MB: only a process that compiles pays for it)

    # A source includes what lies beside it; the compiler itself sees the source under SOURCE_ROOT.
    folders = [Path(name).parent, *include_paths()]
    arguments = [*options, *(f"-I{folder}" for folder in folders), f"--gpu-architecture={ARCHITECTURE}", "-lineinfo"]
    seen_name = name if Path(name).is_absolute() else f"{SOURCE_ROOT}/{name}"
    _, program = nvrtc.nvrtcCreateProgram(code.encode(), seen_name.encode(), 0, [], [])
    try:
        (status,) = nvrtc.nvrtcCompileProgram(program, len(arguments), [argument.encode() for argument in arguments])
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            _, size = nvrtc.nvrtcGetProgramLogSize(program)
            log = b" " * size
            nvrtc.nvrtcGetProgramLog(program, log)
            text = log.decode(errors="replace").replace(f"{SOURCE_ROOT}/", "").strip("\0 \n")
            raise CompileError(text or f"{name}: NVRTC failed: {status.name}")
        _, size = nvrtc.nvrtcGetCUBINSize(program)
        cubin: bytes = b" " * size
        nvrtc.nvrtcGetCUBIN(program, cubin)
        return cubin
    finally:
        nvrtc.nvrtcDestroyProgram(program)


@cache
def include_paths() -> tuple[Path, ...]:
    """Folders of headers: those of the installed CUDA packages, then the C library's few that NVRTC lacks."""
    folders: list[Path] = []
    for package, header in _HEADER_PACKAGES.items():
        path = packaged_file(package, f"include/{header}")
        folder = path.parents[header.count("/")]
        folders += [folder / "cccl", folder] if header.startswith("cccl") else [folder]
    return (*dict.fromkeys(folders), _C_HEADERS)


def packaged_file(package: str, suffix: str) -> Path:
    """The path of the file of an installed ``package`` that ends in ``suffix``.

    Raises:
        CompileError: the package is not installed or has no such file.
    """
    try:
        for file in files(package) or ():
            if file.as_posix().endswith("/" + suffix):
                return Path(str(file.locate())).resolve()
    except PackageNotFoundError:
        pass
    raise CompileError(f"{suffix} of the package {package} is missing: install smsim with its dependencies")
