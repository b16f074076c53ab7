"""From what a driver sees to the events that listeners hear, and the error for warps that nothing can wake."""

from collections.abc import Sequence
from functools import cached_property

from isa.errors import KernelError
from isa.instruction import INSTRUCTION_BYTES
from isa.trace import Trace
from smsim.listeners import BlockLaunched, Event, Issue, Listener, WarpExited
from smsim.model import Model
from smsim.state.sizes import AT_BARRIER, EMPTY, NUM_SMSPS


class Announcer:
    """Tells the listeners of a run, in the trace's terms.

    Args:
        trace: what runs.
        listeners: called with every event.
    """

    def __init__(self, trace: Trace, listeners: Sequence[Listener]) -> None:
        self._listeners = tuple(listeners)
        self._trace = trace

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._listeners)

    def block_launched(self, cycle: int, number: int) -> None:
        """The trace's block of this number became resident."""
        self._tell(BlockLaunched(cycle, int(self._trace.blocks[number])))

    def issue(self, cycle: int, slot: int, trace_warp: int, pc: int, mask: int, *, reached: int) -> None:
        """The warp in a slot, a warp of the trace, issues the instruction with index ``pc``; when it is dispatched."""
        block, warp = self._warps[trace_warp]
        self._tell(Issue(cycle, slot % NUM_SMSPS, slot, block, warp, pc * INSTRUCTION_BYTES, mask, reached))

    @cached_property
    def _warps(self) -> list[tuple[int, int]]:
        """Of each warp of the trace, its block in the grid and its number in the block."""
        blocks, warps = self._trace.blocks, self._trace.warps
        return list(zip(blocks[warps["block"]].tolist(), warps["warp"].tolist(), strict=True))

    def warp_exited(self, cycle: int, slot: int) -> None:
        """A warp left its slot."""
        self._tell(WarpExited(cycle, slot % NUM_SMSPS, slot))

    def _tell(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)


def check_all_left(trace: Trace, model: Model) -> None:
    """When nothing can happen any more, no warp is left.

    Raises KernelError when warps are left, which nothing can wake.
    """
    waiting = (model.warps["status"] != EMPTY).nonzero()[0]
    if not len(waiting):
        return
    first = model.warps[waiting[0]]
    # A warp at a block barrier already stands at the instruction behind it.
    instruction = trace.program.instructions[int(first["pc"]) - int(first["status"] == AT_BARRIER)]
    raise KernelError(
        f"{trace.program.name}: {len(waiting)} warps wait for ever, the first at SASS address "
        f"{instruction.address:#x} ({instruction.text}): a barrier that not all warps of its block reach"
    )
