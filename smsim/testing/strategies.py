"""Hypothesis strategies: control codes, instructions of every unit, routines, launches, machines and policies.

What they draw is well formed: every warp ends with EXIT, the warps of a block reach the same block barriers unless
they have exited, and accesses have addresses. Control codes are free: a wait on a barrier that nobody sets, or a stall
count that is too short for the results it guards, is legal and the rules must cope with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter

from hypothesis import strategies as st

from isa.control import NO_BARRIER, ControlCode
from smsim.policies import BY_NAME, Candidate, Policy
from smsim.state.sizes import NUM_BARRIERS
from smsim.testing.assemble import Launch
from smsim.testing.machines import machines, slower
from smsim.testing.routine import ALL_LANES, CONTIGUOUS, LANES, Jump, Loop, Op, Part, Routine, program, strided
from smsim.testing.templates import MEMORY, QUEUED, REGISTER_ONLY, TEMPLATES

__all__ = [
    "ARRIVE",
    "MEMORY",
    "QUEUED",
    "REGISTER_ONLY",
    "SYNC",
    "TEMPLATES",
    "AnyPolicy",
    "Shuffled",
    "control_codes",
    "launches",
    "machines",
    "ops",
    "parts",
    "policies",
    "routines",
    "slower",
    "straight",
]

SINGLES = tuple(range(4, 12))
QUADRUPLES = (4, 8, 12, 16)
GUARDED = "@!P0 "
SYNC, ARRIVE = "BAR.SYNC.DEFER_BLOCKING {:#x}", "BAR.ARV {:#x}, 0x400"

barriers_or_none = st.sampled_from((NO_BARRIER,) * 4 + tuple(range(NUM_BARRIERS)))
wait_masks = st.integers(-64, 63).map(lambda mask: max(mask, 0))
registers = {name: st.sampled_from(SINGLES if name.islower() else QUADRUPLES) for name in "abcdABCD"}


def control_codes(*, max_stall: int = 15) -> st.SearchStrategy[ControlCode]:
    """Any control code, with stall counts up to ``max_stall``."""
    return st.builds(
        ControlCode,
        stall=st.integers(0, max_stall),
        yield_=st.booleans(),
        write_barrier=barriers_or_none,
        read_barrier=barriers_or_none,
        wait_mask=wait_masks,
        reuse=st.integers(0, 7),
    )


addresses: st.SearchStrategy[tuple[int | None, ...]] = st.one_of(
    st.builds(
        strided,
        st.sampled_from((0, 4, 8, 16, 128)),
        st.sampled_from((0, 64, 1024)),
        st.sampled_from((range(LANES), range(1), range(0, LANES, 3))),
    ),
    st.binary(min_size=LANES, max_size=LANES).map(lambda drawn: tuple(16 * byte for byte in drawn)),
)
masks = st.sampled_from((ALL_LANES, ALL_LANES, ALL_LANES, 1, 0x0000_FFFF, 0))
warp_strides = st.sampled_from((0, 128, 4096))


@lru_cache
def _templates(units: tuple[str, ...]) -> st.SearchStrategy[tuple[str, tuple[str, ...], bool]]:
    """Templates of the units, the registers that each names, and whether it accesses memory."""
    return st.sampled_from(
        [
            (text, tuple(name for _, name, _, _ in Formatter().parse(text) if name), unit in MEMORY)
            for unit in units
            for text in TEMPLATES[unit]
        ]
    )


@st.composite
def ops(draw: st.DrawFn, units: Sequence[str] = tuple(TEMPLATES), *, max_stall: int = 6) -> Op:
    """An instruction of one of ``units`` (keys of TEMPLATES), sometimes under a guard that is false in some lanes."""
    template, names, accesses = draw(_templates(tuple(units)))
    text = template.format(**{name: f"R{draw(registers[name])}" for name in names})
    lanes = draw(masks)
    where: tuple[int | None, ...] = CONTIGUOUS
    stride = 0
    if accesses:
        where, stride = draw(addresses), draw(warp_strides)
        if lanes and not any(lanes >> lane & 1 for lane in range(LANES) if where[lane] is not None):
            lanes = ALL_LANES
    control = draw(control_codes(max_stall=max_stall))
    if text.startswith("@"):
        lanes = lanes if lanes != ALL_LANES else 1  # not all of them: the warp goes on
    elif lanes != ALL_LANES:
        text = GUARDED + text
    return Op(text, control, lanes, where, stride)


@st.composite
def straight(draw: st.DrawFn, units: Sequence[str] = tuple(TEMPLATES), *, max_size: int = 8) -> tuple[Op, ...]:
    """Up to ``max_size`` instructions in a row."""
    return tuple(draw(st.lists(ops(units), max_size=max_size)))


@st.composite
def parts(draw: st.DrawFn, units: Sequence[str] = tuple(TEMPLATES)) -> tuple[Part, ...]:
    """Straight code, a loop or a jump."""
    kind = draw(st.sampled_from(("straight", "straight", "loop", "jump")))
    branch = draw(control_codes(max_stall=6))
    if kind == "loop":
        return (Loop(draw(straight(units, max_size=5)), draw(st.integers(1, 4)), branch),)
    if kind == "jump":
        return (Jump(draw(st.integers(0, 20)), branch),)
    return draw(straight(units))


@st.composite
def routines(
    draw: st.DrawFn,
    units: Sequence[str] = tuple(TEMPLATES),
    *,
    phases: int = 1,
    max_parts: int = 3,
    barriers: Sequence[str] = (SYNC,),
) -> Routine:
    """What a warp does: ``phases`` stretches of code with a block barrier between any two, then EXIT.

    ``barriers`` are the instructions to draw from, with a place for the number: ``ARRIVE`` does not wait.
    """
    routine = program()
    for phase in range(phases):
        if phase:
            routine = routine.op(draw(st.sampled_from(barriers)).format(phase), stall=draw(st.integers(1, 5)))
        for part in draw(st.lists(parts(units), max_size=max_parts)):
            routine = routine.then(*part)
    return routine.exit(stall=draw(st.integers(1, 5)))


@st.composite
def launches(
    draw: st.DrawFn,
    units: Sequence[str] = tuple(TEMPLATES),
    *,
    max_warps: int = 32,
    max_blocks: int = 4,
    barriers: Sequence[str] = (SYNC,),
) -> Launch:
    """A launch: up to ``max_blocks`` blocks of up to ``max_warps`` warps that run one to three routines.

    The warps of a block meet at up to two block barriers; some exit before one.
    """
    phases = draw(st.integers(1, 3))
    roles = draw(st.integers(1, 3))
    code = [
        draw(routines(units, phases=phases if draw(st.booleans()) else draw(st.integers(1, phases)), barriers=barriers))
        for _ in range(roles)
    ]
    warps = draw(st.one_of(st.integers(1, min(6, max_warps)), st.integers(1, max_warps)))
    return Launch(
        tuple(code),
        warps=warps,
        blocks=draw(st.integers(1, max_blocks)),
        registers=draw(st.sampled_from((16, 32, 64))),
        shared_bytes=draw(st.sampled_from((0, 100_000, 200_000))),
    )


@dataclass(frozen=True)
class Shuffled:
    """A policy that picks as a hash of the cycle and of ``seed`` says: arbitrary, and the same every time."""

    seed: int

    def __call__(self, cycle: int, smsp: int, candidates: Sequence[Candidate]) -> Candidate:
        """One of ``candidates``."""
        return candidates[hash((self.seed, cycle, smsp)) % len(candidates)]


AnyPolicy = str | Policy

policies: st.SearchStrategy[AnyPolicy] = st.one_of(
    st.sampled_from(tuple(BY_NAME)), st.builds(Shuffled, st.integers(0, 1000))
)
