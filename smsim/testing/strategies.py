"""Hypothesis strategies: control codes, instructions of every unit, routines, launches, machines and policies.

What they draw is well formed: every warp ends with EXIT, the warps of a block reach the same block barriers unless
they have exited, and accesses have addresses. Control codes are free: a wait on a barrier that nobody sets, or a stall
count that is too short for the results it guards, is legal and the rules must cope with it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import Formatter

from hypothesis import strategies as st

from isa.control import NO_BARRIER, ControlCode
from smsim.machine import Machine, load
from smsim.policies import BY_NAME, Candidate, Policy
from smsim.state import NUM_BARRIERS
from smsim.testing.assemble import Launch
from smsim.testing.routine import ALL_LANES, CONTIGUOUS, LANES, Jump, Loop, Op, Part, Routine, program, strided

# Instructions by unit of the machine description; d, a, b, c stand for any registers, D, A, B, C for the
# first ones of quadruples.
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "fma": ("FFMA {d}, {a}, {b}, {c}", "FADD {d}, {a}, {b}", "FMUL {d}, {a}, 2", "FFMA {d}, {a}, c[0x0][0x210], {c}"),
    "heavy": ("IMAD {d}, {a}, {b}, {c}", "IMAD.WIDE {D}, {a}, {b}, {C}", "VIADD {d}, {a}, 0x1"),
    "half": ("HFMA2 {d}, {a}, {b}, {c}", "HADD2 {d}, {a}, {b}", "HFMA2.MMA {d}, {a}, {b}, {c}"),
    "alu": ("IADD3 {d}, {a}, {b}, {c}", "MOV {d}, {a}", "ISETP.GE.AND P0, PT, {a}, {b}, PT", "SEL {d}, {a}, {b}, P0"),
    "fp64": ("DFMA {D}, {A}, {B}, {C}", "DADD {D}, {A}, {B}"),
    "uniform": ("UIADD3 UR4, UR5, UR6, URZ", "ULDC UR5, c[0x0][0x230]", "R2UR UR6, {a}"),
    "xu": ("MUFU.RCP {d}, {a}", "F2F.F64.F32 {D}, {a}", "POPC {d}, {a}"),
    "mio": (
        "LDS {d}, [{a}]",
        "LDS.128 {D}, [{a}]",
        "STS.64 [{a}], {B}",
        "SHFL.BFLY PT, {d}, {a}, 0x1, 0x1f",
        "S2R {d}, SR_TID.X",
    ),
    "lg": (
        "LDG.E {d}, desc[UR4][{A}.64]",
        "LDG.E.128 {D}, desc[UR4][{A}.64]",
        "STG.E desc[UR4][{A}.64], {b}",
        "LDL {d}, [{a}]",
        "STL.64 [{a}], {B}",
        "ATOMG.E.ADD.STRONG.GPU PT, {D}, desc[UR4][{A}.64], {b}",
    ),
    "adu": ("LDC {D}, c[0x0][0x240]", "S2UR UR5, SR_CTAID.X", "REDUX.SUM UR6, {a}"),
    "none": ("NOP",),
    "membar": ("MEMBAR.SC.CTA",),
    "sleep": ("NANOSLEEP 0x20",),
}
REGISTER_ONLY = ("fma", "heavy", "half", "alu", "fp64", "uniform", "xu", "none")
MEMORY = ("mio", "lg")
QUEUED = ("xu", "mio", "lg", "adu")
SINGLES = tuple(range(4, 12))
QUADRUPLES = (4, 8, 12, 16)
GUARDED = "@!P0 "

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
    return Op(text if lanes == ALL_LANES else GUARDED + text, control, lanes, where, stride)


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
    draw: st.DrawFn, units: Sequence[str] = tuple(TEMPLATES), *, phases: int = 1, max_parts: int = 3
) -> Routine:
    """What a warp does: ``phases`` stretches of code with a block barrier between any two, then EXIT."""
    routine = program()
    for phase in range(phases):
        if phase:
            routine = routine.barrier(stall=draw(st.integers(1, 5)))
        for part in draw(st.lists(parts(units), max_size=max_parts)):
            routine = routine.then(*part)
    return routine.exit(stall=draw(st.integers(1, 5)))


@st.composite
def launches(
    draw: st.DrawFn, units: Sequence[str] = tuple(TEMPLATES), *, max_warps: int = 32, max_blocks: int = 4
) -> Launch:
    """A launch: up to ``max_blocks`` blocks of up to ``max_warps`` warps that run one to three routines.

    The warps of a block meet at up to two block barriers; some exit before one.
    """
    phases = draw(st.integers(1, 3))
    roles = draw(st.integers(1, 3))
    code = [
        draw(routines(units, phases=phases if draw(st.booleans()) else draw(st.integers(1, phases))))
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


# Cycles that may be anything small; sizes of caches and of the chip are left alone.
_CYCLES = (
    "latency",
    "interval",
    "miss",
    "release",
    "second_pass",
    "exit",
    "relaunch",
    "first_instruction",
    "first_block",
)
_LEAST_ONE = ("pipes.",)
_SM_LATENCIES = ("pipes.", "operations.", "mio.")


def cycle_paths(machine: Machine) -> list[str]:
    """The paths of a machine's whole numbers of cycles: latencies, intervals, misses."""
    return [
        path
        for path, value, _ in machine.values()
        if isinstance(value, int) and path.rpartition(".")[2].endswith(_CYCLES) and not path.startswith("forwarding.")
    ]


def depth_paths(machine: Machine) -> list[str]:
    """The paths of a machine's queue depths."""
    return [path for path, _, _ in machine.values() if path.endswith("queue_depth")]


def machines(base: str | Machine = "h100") -> st.SearchStrategy[Machine]:
    """``base`` with some latencies, intervals and queue depths replaced."""
    machine = load(base)
    paths = {least: [path for path in cycle_paths(machine) if path.startswith(_LEAST_ONE) == least] for least in (0, 1)}
    changes = [
        *(st.tuples(st.sampled_from(paths[least]), st.integers(least, 40)) for least in (0, 1)),
        st.tuples(st.sampled_from(depth_paths(machine)), st.integers(1, 12)),
    ]
    return st.lists(st.one_of(changes), max_size=8).map(lambda chosen: machine.replace(dict(chosen)))


@st.composite
def slower(draw: st.DrawFn, base: str | Machine = "h100") -> Machine:
    """``base`` with one to four of its pipes', operations' and queues' latencies raised."""
    machine = load(base)
    latencies = [path for path in cycle_paths(machine) if path.endswith("latency") and path.startswith(_SM_LATENCIES)]
    raised = draw(st.lists(st.sampled_from(latencies), min_size=1, max_size=4, unique=True))
    return machine.replace({path: machine.value(path) + draw(st.integers(1, 20)) for path in raised})


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
