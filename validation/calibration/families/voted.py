"""Block barriers that count votes beside what else the ADU does: MATCH, REDUX and LDC before them, between or behind.

Rounds of them by 1 to 32 warps, each with a clock behind all results.
"""

from collections.abc import Iterator

from ..program import SAFE, Experiment, clock, first_warps
from ..sass import RZ, Instruction, op
from .mio import KINDS, prepare
from .rare import RARE

ROUNDS = 8
_CLOCK = 8
_FOUR = 36  # 4 values among the lanes
_RESULT, _COUNTED = 24, 26
BESIDE: dict[str, Instruction] = {
    **{name: KINDS[name](0) for name in ("MATCH.ANY", "REDUX.SUM", "LDC", "SHFL.BFLY", "S2R.TID")},
    "MATCH.ANY of 4": op("MATCH.ANY", _RESULT, _FOUR),
    "MATCH.ALL": RARE["MATCH.ALL"](0),
    "BAR.RED": op("BAR.RED"),
    "B2R": op("B2R", _COUNTED),
    "BAR.SYNC": op("BAR.SYNC"),
}
_AHEAD = ("MATCH.ANY", "MATCH.ANY of 4", "MATCH.ALL", "REDUX.SUM", "LDC", "SHFL.BFLY", "S2R.TID")
_BEFORE_OTHERS = ("MATCH.ANY of 4", "REDUX.SUM")
ROWS = (
    *(f"{name}+BAR.RED+B2R" for name in _AHEAD),
    *(f"{name}+{name}+BAR.RED+B2R" for name in _BEFORE_OTHERS),
    *(f"BAR.RED+{name}+B2R" for name in _BEFORE_OTHERS),
    *(f"BAR.RED+B2R+{name}" for name in _BEFORE_OTHERS),
    *(f"{name}+BAR.RED" for name in _BEFORE_OTHERS),
    *(f"{name}+B2R" for name in _BEFORE_OTHERS),
    *(f"{name}+BAR.SYNC" for name in _BEFORE_OTHERS),
)
LAUNCHES = first_warps((1, 2, 4, 8, 12, 16, 24, 32), shared=16384)


def experiments() -> Iterator[Experiment]:
    """Yield all programs of the family."""
    for row in ROWS:
        yield _rounds(row)


def _rounds(row: str) -> Experiment:
    region: list[Instruction] = [clock(_CLOCK, stall=2)]
    names = row.split("+")
    for i in range(1, ROUNDS + 1):
        for place, name in enumerate(names):
            stays = name.startswith("BAR")
            region.append(BESIDE[name].having(stall=6 if stays else 2, write=7 if stays else place))
        region += [op("BRA", f"on{i}", stall=5), clock(_CLOCK + i, stall=2, wait=0x1F, label=f"on{i}")]
    return Experiment(
        f"voted/{row}",
        [*region, op("NOP", wait=0x3F, stall=SAFE)],
        range(_CLOCK, _CLOCK + ROUNDS + 1),
        [*prepare(), op("LOP3.IMM", _FOUR, 0, 3, RZ, stall=SAFE)],
        LAUNCHES,
        registers=64,
        barriers=1,
        iterations=3,
        sync=True,
        kind="timeline",
    )
