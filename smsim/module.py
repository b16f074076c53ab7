"""RawModule and RawKernel in CuPy's shape, so that a program swaps one name.

What differs from CuPy: arguments are NumPy arrays and scalars, there are no streams, and a call returns a Result. Where
CuPy's launch would fail (a block too large, too much shared memory), so does this one.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator import DEFAULT_MAX_INSTRUCTIONS
from isa.emulator import emulate as run_blocks
from isa.errors import CubinError, LaunchError
from isa.launch import Dim3, LaunchShape
from isa.module import Module, load_cubin, load_source
from isa.program import Program
from isa.trace import Trace
from smsim.dispatch import SMs, first_sm, sms_worth_simulating, telling_blocks, traced_blocks, worth_tracing_all
from smsim.listeners import Listener
from smsim.machine import Machine, load
from smsim.policies import Policy
from smsim.result import Result
from smsim.simulation import simulate

ELF_MAGIC = b"\x7fELF"
DEFAULT_SHARED_BYTES = 48 * 1024  # what a launch may use unless the kernel asks for more (CUDA C Programming Guide)
MAX_SHARED_BYTES = 227 * 1024  # per block on sm_90 (CUDA C Programming Guide, compute capabilities)

Shape = int | Sequence[int]


class RawModule:
    """A compiled module: CUDA C through NVRTC for sm_90, or a cubin.

    Args:
        code: CUDA C.
        path: a cubin, or a file of CUDA C; exactly one of ``code`` and ``path`` is given.
        options: for NVRTC, e.g. ``("--std=c++17", "-Iinclude")``.
        backend: accepted for CuPy's sake; the compiler is always NVRTC.

    Raises:
        CompileError: the compiler's log, with the lines of the source.
        CubinError: the file cannot be read as a cubin for sm_90.
    """

    def __init__(
        self,
        *,
        code: str | None = None,
        path: str | Path | None = None,
        options: tuple[str, ...] = (),
        backend: str = "nvrtc",
    ) -> None:
        if (code is None) == (path is None):
            raise CubinError("give either code or path to RawModule")
        self._module: Module = load_source(code, options) if code is not None else load_file(Path(str(path)), options)
        self._variables: dict[str, NDArray[np.uint8]] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The (mangled) names of the kernels."""
        return self._module.names

    @property
    def cubin(self) -> bytes:
        """The machine code, to run the very same on a GPU."""
        return self._module.cubin

    def get_function(self, name: str) -> "Function":
        """The kernel ``name``, mangled or, when only one fits, its plain C++ name.

        Raises:
            CubinError: no such kernel, or several; the message lists the kernels.
        """
        program = self._module.program(name)
        return Function(program, self._variables_of(program))

    def get_global(self, name: str) -> NDArray[np.uint8]:
        """The bytes of a ``__device__`` or ``__constant__`` variable, to be read and written between launches.

        ``module.get_global("table").view(np.float32)[:] = values`` does what ``cudaMemcpyToSymbol`` does.

        Raises:
            CubinError: no such variable; the message lists the variables.
        """
        programs = self._module.programs.values()
        variables = self._variables_of(next(iter(programs))) if programs else {}
        if name not in variables:
            known = ", ".join(variables) or "none"
            raise CubinError(f"no variable is called {name!r}; the module has: {known}")
        return variables[name]

    def _variables_of(self, program: Program) -> dict[str, NDArray[np.uint8]]:
        """The module's variables, which its kernels share and which live as long as it does."""
        if self._variables is None:
            self._variables = initial_variables(program)
        return self._variables


def load_file(path: Path, options: tuple[str, ...] = (), *, anew: bool = False) -> Module:
    """Read a cubin or compile a file of CUDA C; the content decides which it is.

    Headers beside a file of CUDA C are found, as nvcc finds them. ``anew`` as ``isa.compile.compile_source`` has it.

    Raises:
        CubinError, CompileError: as :class:`RawModule`.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CubinError(f"cannot read {path}: {error.strerror or error}") from None
    if data.startswith(ELF_MAGIC) or path.suffix == ".cubin":
        try:
            return load_cubin(data)
        except CubinError as error:
            raise CubinError(f"{path}: {error}") from None
    try:
        return load_source(data.decode(), options, str(path), anew=anew)
    except UnicodeDecodeError as error:
        raise CubinError(f"{path} is neither a cubin nor CUDA C in UTF-8: {error}") from None


def initial_variables(program: Program) -> dict[str, NDArray[np.uint8]]:
    """The ``__device__`` and ``__constant__`` variables of the program's module, as its source initialises them."""
    return {symbol.name: np.frombuffer(symbol.initial, np.uint8).copy() for symbol in program.symbols}


class Function:
    """A kernel that can be run and simulated; its resources under CuPy's names.

    Args:
        program: the kernel.
        variables: the bytes of its module's variables, read and written by each launch; by default its own.
    """

    def __init__(self, program: Program, variables: dict[str, NDArray[np.uint8]] | None = None) -> None:
        self.program = program
        self._variables = initial_variables(program) if variables is None else variables
        self._max_dynamic_shared = DEFAULT_SHARED_BYTES - program.static_shared_bytes

    @property
    def name(self) -> str:
        """The kernel's (mangled) name."""
        return self.program.name

    @property
    def num_regs(self) -> int:
        """Registers per thread."""
        return self.program.num_regs

    @property
    def shared_size_bytes(self) -> int:
        """Static shared memory per block."""
        return self.program.static_shared_bytes

    @property
    def local_size_bytes(self) -> int:
        """Local memory per thread."""
        return self.program.local_bytes

    @property
    def const_size_bytes(self) -> int:
        """The module's ``__constant__`` variables."""
        return len(self.program.constant_banks.get(3, b""))

    @property
    def max_threads_per_block(self) -> int:
        """The bound of ``__launch_bounds__``, or 1024."""
        return self.program.max_threads

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Dynamic shared memory that a launch may ask for; set it to go beyond 48 KB, as on a GPU."""
        return self._max_dynamic_shared

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: int) -> None:
        most = MAX_SHARED_BYTES - self.program.static_shared_bytes
        if not 0 <= size <= most:
            raise LaunchError(f"{self.name}: dynamic shared memory of {size} B; a block may use up to {most} B")
        self._max_dynamic_shared = size

    @property
    def attributes(self) -> dict[str, int]:
        """The resources above in one dictionary."""
        return {
            "const_size_bytes": self.const_size_bytes,
            "local_size_bytes": self.local_size_bytes,
            "max_dynamic_shared_size_bytes": self.max_dynamic_shared_size_bytes,
            "max_threads_per_block": self.max_threads_per_block,
            "num_regs": self.num_regs,
            "shared_size_bytes": self.shared_size_bytes,
        }

    def __call__(
        self,
        grid: Shape,
        block: Shape,
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        max_instructions: int = DEFAULT_MAX_INSTRUCTIONS,
    ) -> Result:
        """Run the whole grid, so that every output is complete, and simulate it on an H100, caches warm."""
        return self.simulate(grid, block, args, shared_mem=shared_mem, emulate="all", max_instructions=max_instructions)

    def simulate(
        self,
        grid: Shape,
        block: Shape,
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        machine: str | Path | Machine = "h100",
        cache: str = "warm",
        engine: str = "auto",
        emulate: str = "sm",
        max_instructions: int = DEFAULT_MAX_INSTRUCTIONS,
        policy: str | Policy | None = None,
        listeners: Sequence[Listener] = (),
        sms: SMs = "auto",
        outputs: bool = True,
    ) -> Result:
        """Run the kernel and simulate all SMs, or of a large grid SM 0.

        Args:
            grid, block: one to three sizes, x first.
            args: one per parameter: NumPy arrays for pointers, read and written in place, and NumPy or Python numbers.
            shared_mem: dynamic shared memory per block in bytes.
            machine, cache, engine, policy, listeners, sms: as :func:`smsim.simulate`.
            emulate: "sm" runs only the blocks of the simulated SMs: faster, but arrays hold their results alone, and a
                kernel whose blocks talk to each other may see what it would not on a GPU. All are run where blocks
                execute differently, or see what others did, and that takes some seconds. "all" runs the whole grid.
            max_instructions: warp instructions after which the launch is taken for an endless loop; one that several
                warps execute together counts once.
            outputs: whether arrays are to hold their results. If not, they stay as they are, and only what the
                simulation depends on is executed, which is faster; the result is the same.

        Raises:
            LaunchError: the launch cannot run: sizes, shared memory, arguments.
            KernelError: the kernel did something illegal; the message names the instruction and the source line.
            UnsupportedInstructionError: an instruction that smsim does not know.
            MachineError: as :func:`smsim.simulate`.
        """
        loaded = load(machine)
        trace = self.trace(
            grid,
            block,
            args,
            shared_mem=shared_mem,
            machine=loaded,
            emulate=emulate,
            sms=sms,
            max_instructions=max_instructions,
            outputs=outputs,
        )
        return simulate(trace, loaded, cache, engine, policy=policy, listeners=listeners, sms=sms)

    def trace(
        self,
        grid: Shape,
        block: Shape,
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        machine: str | Path | Machine = "h100",
        emulate: str = "sm",
        sms: SMs = "auto",
        max_instructions: int = DEFAULT_MAX_INSTRUCTIONS,
        outputs: bool = True,
    ) -> Trace:
        """Run the kernel and keep what its warps executed; arguments and errors as :meth:`simulate`."""
        if emulate not in ("sm", "all"):
            raise LaunchError(f"unknown emulate {emulate!r}; use 'sm' or 'all'")
        launch, loaded = self._launch(grid, block, shared_mem), load(machine)
        run = partial(
            run_blocks, self.program, launch, args, max_instructions=max_instructions, symbols=self._variables
        )
        if emulate == "all":
            return run(blocks=None, outputs=outputs)
        telling: tuple[int, ...] = ()
        auto = sms == "auto"
        if sms == "auto":
            sms = 1
            telling = telling_blocks(self.program, launch, loaded)
            if telling:
                traced = run(blocks=telling, outputs=False)
                sms = sms_worth_simulating(traced, loaded)
        if launch.num_blocks == 1:
            return run(blocks=(0,), outputs=outputs)
        wanted = traced_blocks(launch, loaded, sms)
        if wanted != telling:
            traced = run(blocks=wanted, outputs=False)
        if auto and worth_tracing_all(traced):
            return run(blocks=None, outputs=outputs)
        first = first_sm(traced, loaded, sms)
        if outputs or first > 0:
            traced = run(blocks=traced_blocks(launch, loaded, sms, first), outputs=outputs)
        return traced

    def _launch(self, grid: Shape, block: Shape, shared_mem: int) -> LaunchShape:
        if shared_mem > self._max_dynamic_shared:
            raise LaunchError(
                f"{self.name}: {shared_mem} B of dynamic shared memory, but only {self._max_dynamic_shared} B are "
                f"allowed; set max_dynamic_shared_size_bytes first, as on a GPU"
            )
        return LaunchShape(_dim3("grid", grid), _dim3("block", block), shared_mem)


class RawKernel(Function):
    """A kernel from its source, as ``cupy.RawKernel(code, name, options)``."""

    def __init__(self, code: str, name: str, options: tuple[str, ...] = (), backend: str = "nvrtc") -> None:
        super().__init__(RawModule(code=code, options=options, backend=backend).get_function(name).program)


def _dim3(what: str, shape: Shape) -> Dim3:
    """One to three positive whole numbers as (x, y, z)."""
    sizes = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    if not 1 <= len(sizes) <= 3 or not all(_is_size(size) for size in sizes):
        raise LaunchError(f"the {what} {shape!r} must be one to three positive whole numbers, x first")
    x, y, z = (int(size) for size in (*sizes, 1, 1)[:3])
    return x, y, z


def _is_size(size: Any) -> bool:
    return hasattr(size, "__index__") and not isinstance(size, bool) and int(size) > 0
