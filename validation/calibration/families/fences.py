"""Fences as the compiler writes them: MEMBAR, ERRBAR, CGAERRBAR and CCTL.IVALL, each taken away in turn.

`fences/row`: between two clocks what is left of them, alone or behind a store; `fences/load`: and a load that hit L1.
"""

from collections.abc import Iterator

from ..program import Experiment, Launch, sm_warps
from ..sass import RZ, Instruction, op
from .operations import GLOBAL, OPERATIONS, setup
from .probes import LAST, Probe, probes

SCOPES = ("CTA", "GPU")
_LAUNCHES = (Launch("1"), sm_warps(1), sm_warps(2))
_ERRBAR = op("ERRBAR", stall=0)  # as compilers write it
_CGAERRBAR = op("CGAERRBAR", stall=6)
_CCTL = op("CCTL.IVALL", stall=2)
PARTS: dict[str, list[Instruction]] = {
    "": [],
    "ERRBAR": [_ERRBAR],
    "CGAERRBAR": [_CGAERRBAR],
    "CCTL": [_CCTL],
    "ERRBAR CGAERRBAR": [_ERRBAR, _CGAERRBAR],
    "ERRBAR CGAERRBAR CCTL": [_ERRBAR, _CGAERRBAR, _CCTL],
}


def experiments() -> Iterator[Experiment]:
    """Yield both programs of the family."""
    yield from probes("fences/row", list(_rows()), setup("STG.32"), _LAUNCHES)
    load = [OPERATIONS["LDG.32"](0).having(write=LAST, stall=2)]
    loads = [(label, [*piece, *load]) for label, piece in _rows()]
    yield from probes("fences/load", loads, setup("STG.32"), _LAUNCHES)


def _rows() -> Iterator[Probe]:
    store = op("STG.32", 4, GLOBAL, 0, RZ, stall=2)
    for scope in SCOPES:
        for count in (0, 1, 2, 4):
            fence = op(f"MEMBAR.{scope}", read=LAST, stall=2)
            yield f"{count} STG, MEMBAR.{scope} until it has read", [*[store] * count, fence]
    yield "ERRBAR stall 15", [op("ERRBAR", stall=15)]
    yield "MEMBAR.GPU ERRBAR stall 15", [op("MEMBAR.GPU", stall=6), op("ERRBAR", stall=15)]
    for label, part in PARTS.items():
        yield f"alone {label}", part
        for scope in SCOPES:
            yield f"MEMBAR.{scope} {label}", [op(f"MEMBAR.{scope}", stall=6), *part]
            yield f"STG MEMBAR.{scope} {label}", [store, op(f"MEMBAR.{scope}", stall=6), *part]
