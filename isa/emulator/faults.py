"""Errors of a running kernel: what happened, in which kernel, at which SASS address and source line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isa.emulator import access as kinds
from isa.emulator.splits import Wait, WaitKind
from isa.errors import KernelError
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.program import Program

if TYPE_CHECKING:
    from isa.emulator.batch import Batch
    from isa.emulator.lanes import U64

_MAX_WAITS_SHOWN = 8


def place(program: Program, pc: int) -> str:
    """Kernel, SASS address, source line and text of an instruction."""
    instruction = program.instructions[pc]
    source = f" ({instruction.source.file}:{instruction.source.line})" if instruction.source else ""
    return f"{program.name}: at {pc * INSTRUCTION_BYTES:#06x}{source}: {instruction.text}"


def access(  # noqa: PLR0917
    batch: Batch, ins: Instruction, space: int, width: int, first: int, address: U64, fault: int
) -> KernelError:
    """A lane may not touch what it asks for; ``address`` and ``fault`` as ``access.translate`` has them."""
    code, position = fault >> 32, fault & 0xFFFFFFFF
    row, lane = divmod(position, address.shape[1])
    target = int(address[row, lane])
    what = {
        kinds.MISALIGNED: f"misaligned address {target:#x}: an access of {width} bytes needs a multiple of {width}",
        kinds.OUT_OF_BOUNDS: f"illegal address {target:#x} for an access of {width} bytes",
    }[code]
    return KernelError(
        f"{place(batch.program, ins.index)}: {what}; {batch.memory.where_is(target, space)}; "
        f"{batch.thread_name(first + row, lane)}"
    )


def too_long(program: Program, pc: int, limit: int) -> KernelError:
    """The launch has executed more instructions than it may."""
    return KernelError(
        f"{place(program, pc)}: the launch executed more than {limit} instructions: an endless loop? "
        "If it is only long, run fewer blocks or raise max_instructions (--max-instructions)"
    )


def endless_wait(program: Program, pc: int) -> KernelError:
    """The threads that are left repeat a loop in which nothing changes any more."""
    return KernelError(
        f"{place(program, pc)}: endless loop: nothing changes in it any more, and no other thread is left to change "
        "what it waits for; blocks of one batch only see what blocks of earlier or the same batch have done"
    )


def deadlock(program: Program, waits: list[tuple[int, int, Wait]]) -> KernelError:
    """Every thread that is left waits; ``waits`` are (block, warp, wait)."""
    lines = []
    for block, warp, wait in waits[:_MAX_WAITS_SHOWN]:
        for_what = {
            WaitKind.BLOCK: f"for barrier {wait.register}",
            WaitKind.CONVERGENCE: f"for lanes {wait.needs & ~wait.bits:#010x} to reconverge",
            WaitKind.WARP: f"for lanes {wait.needs & ~wait.bits:#010x} to synchronise",
        }[wait.kind]
        lines.append(f"  block {block} warp {warp} lanes {wait.bits:#010x} wait {for_what}: {place(program, wait.pc)}")
    if len(waits) > _MAX_WAITS_SHOWN:
        lines.append(f"  and {len(waits) - _MAX_WAITS_SHOWN} more")
    return KernelError(
        f"{program.name}: deadlock: all threads that are left wait for each other; is a barrier "
        "(__syncthreads, __syncwarp) not reached by every thread?\n" + "\n".join(lines)
    )
