"""What a listener hears: events of a simulation, in the order of cycles."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Issue:
    """A warp issued an instruction.

    ``reached`` is the cycle in which it gets to the dispatcher, the same if nothing held it up on the way: what a read
    of the clock gives. ``address`` is the byte address, ``lanes`` the mask of lanes that execute.
    """

    cycle: int
    smsp: int
    slot: int
    block: int
    warp: int
    address: int
    lanes: int
    reached: int


@dataclass(frozen=True, slots=True)
class BlockLaunched:
    """A block became resident. ``block`` is its linear id in the grid."""

    cycle: int
    block: int


@dataclass(frozen=True, slots=True)
class WarpExited:
    """A warp left its slot, stores drained."""

    cycle: int
    smsp: int
    slot: int


Event = Issue | BlockLaunched | WarpExited
Listener = Callable[[Event], None]
