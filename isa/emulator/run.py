"""``emulate``: a launch in, a Trace out, the arguments changed as the GPU would change them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access
from isa.emulator.arguments import Arguments
from isa.emulator.batch import Batch, Budget
from isa.emulator.code import Code
from isa.emulator.constants import ConstantBanks, launch_bank
from isa.emulator.hot import HotCode
from isa.emulator.lanes import RegisterFiles
from isa.emulator.limits import check_launch
from isa.emulator.loader import place_symbols
from isa.emulator.memory import Memory
from isa.emulator.needed import needed_for_trace
from isa.errors import LaunchError
from isa.launch import LaunchShape
from isa.program import RESERVED_SHARED_BYTES, Program
from isa.semantics.memory import may_touch_local
from isa.trace.build import build
from isa.trace.model import Trace
from isa.trace.recorder import Recorder

# About a minute of one warp's work.
DEFAULT_MAX_INSTRUCTIONS = 2 * 10**7

# Warps that execute together: enough to make the cost of a NumPy call small, few enough to stay in the cache.
BATCH_WARPS = 256

# Local memory beyond what the compiler counted, in a kernel that makes calls: recursion is not counted. CUDA's default
# is 1024 bytes in all, which its users raise with cudaLimitStackSize.
CALL_STACK_BYTES = 4096


def emulate(
    program: Program,
    launch: LaunchShape,
    args: Sequence[Any],
    *,
    blocks: Iterable[int] | None = None,
    max_instructions: int = DEFAULT_MAX_INSTRUCTIONS,
    symbols: Mapping[str, NDArray[Any]] | None = None,
    outputs: bool = True,
) -> Trace:
    """Run blocks of a launch and record what their warps did.

    Blocks run in batches of up to 256 warps; blocks of one batch are resident together, later ones start when all of
    it has finished.

    Args:
        program: the kernel.
        launch: its grid and block.
        args: one per parameter: a NumPy array (copied to device memory and back), a NumPy scalar, a number that fits
            the parameter's size, or the bytes of a structure.
        blocks: linear block ids to run; all of the grid by default.
        max_instructions: instructions after which the launch is taken for an endless loop; one that several warps
            execute together counts once.
        symbols: arrays for ``__device__`` and ``__constant__`` variables by name: the contents that they start with;
            those of ``__device__`` variables are written back.
        outputs: whether the arrays are to hold what the kernel computes. If not, they stay as they are, and only what
            the trace needs is executed, which is faster; the trace and the errors are the same.

    Raises:
        LaunchError: the launch or its arguments are not possible.
        KernelError: illegal memory access, trap or failed assertion, deadlock, or more than ``max_instructions``.
        UnsupportedInstructionError: the kernel reached an instruction without semantics.
        TraceError: the blocks make more memory accesses than a trace can hold.
    """
    check_launch(program, launch)
    chosen = _chosen_blocks(program, launch, blocks)
    memory = Memory()
    arguments = Arguments(program, args, memory)
    placed = place_symbols(program, memory, symbols or {})
    constants = ConstantBanks({**placed.banks, 0: launch_bank(program, launch, arguments.block)})
    per_batch = max(1, BATCH_WARPS // launch.warps_per_block)
    memory.reserve(
        min(per_batch, len(chosen)),
        launch.warps_per_block,
        RESERVED_SHARED_BYTES + program.static_shared_bytes + launch.dynamic_shared_bytes,
        _local_bytes(program),
    )
    files = RegisterFiles(min(per_batch, len(chosen)) * launch.warps_per_block)
    recorder = Recorder()
    budget = Budget(max_instructions)
    code = Code(program, constants, None if outputs else needed_for_trace(program))
    hot = HotCode(code, files, memory, recorder)
    with np.errstate(all="ignore"):
        for start in range(0, len(chosen), per_batch):
            batch_blocks = chosen[start : start + per_batch]
            if start:
                memory.clear_block_memory()
                files.clear(program.num_regs)
            recorder.begin_batch(len(batch_blocks) * launch.warps_per_block)
            Batch(program, launch, batch_blocks, files, memory, code, hot, recorder, budget, placed.externals).run()
            recorder.end_batch()
    if outputs:
        arguments.write_back()
        placed.write_back(memory)
    hot.clear()
    return build(program, launch, chosen, recorder, ((each.address, each.size) for each in memory.allocations))


def _local_bytes(program: Program) -> int:
    if not any(may_touch_local(instruction) for instruction in program.instructions):
        return 0  # to clear it for every batch takes time
    calls = any(instruction.opcode == "CALL" for instruction in program.instructions)
    return program.local_bytes + access.LOCAL_END - access.STACK_TOP + (CALL_STACK_BYTES if calls else 0)


def _chosen_blocks(program: Program, launch: LaunchShape, blocks: Iterable[int] | None) -> NDArray[np.int64]:
    if blocks is None:
        return np.arange(launch.num_blocks, dtype=np.int64)
    chosen = np.unique(np.fromiter(blocks, np.int64))
    if not len(chosen):
        raise LaunchError(f"{program.name}: no blocks to run")
    if chosen[0] < 0 or chosen[-1] >= launch.num_blocks:
        raise LaunchError(
            f"{program.name}: blocks {chosen[0]} to {chosen[-1]} asked for; the grid has blocks 0 to "
            f"{launch.num_blocks - 1}"
        )
    return chosen
