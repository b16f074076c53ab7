"""Scheduling policies by name, and the type of one written in Python."""

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isa.errors import MachineError
from smsim.rules.select import GREEDY_THEN_OLDEST, GREEDY_THEN_YOUNGEST, LOOSE_ROUND_ROBIN, OLDEST_FIRST


@dataclass(frozen=True, slots=True)
class Candidate:
    """An eligible warp as a policy sees it.

    Attributes:
        slot: its warp slot on the SM.
        launch_order: smaller is older.
        pc: byte address of its next instruction.
        issued_last: this SMSP issued from it last.
    """

    slot: int
    launch_order: int
    pc: int
    issued_last: bool


# Called with the cycle, the SMSP and its eligible warps (at least one); returns the one to issue from.
Policy = Callable[[int, int, Sequence[Candidate]], Candidate]

DEFAULT = "greedy-then-youngest"
BY_NAME = {
    DEFAULT: GREEDY_THEN_YOUNGEST,
    "greedy-then-oldest": GREEDY_THEN_OLDEST,
    "loose-round-robin": LOOSE_ROUND_ROBIN,
    "oldest-first": OLDEST_FIRST,
}


def policy_number(name: str) -> int:
    """The rules' number of a policy; raises MachineError for an unknown name."""
    if name not in BY_NAME:
        near = difflib.get_close_matches(name, BY_NAME, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise MachineError(f"no scheduling policy {name!r}{hint} (known: {', '.join(BY_NAME)})")
    return BY_NAME[name]
