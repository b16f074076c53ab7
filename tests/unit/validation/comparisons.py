"""Results, measurements and comparisons made by hand, for the tests of comparing."""

from dataclasses import replace
from io import StringIO

import numpy as np
from rich.console import Console, RenderableType

from isa.control import ControlCode
from isa.instruction import Instruction, SourceLine
from isa.launch import LaunchShape
from isa.program import Program
from smsim.counts import Counts
from smsim.reasons import Reason
from smsim.result import Result, Setting
from validation.compare import STALLS, Comparison, compare
from validation.identity import code_sha256
from validation.measurement import Measurement, Samples


def _instruction(index: int, opcode: str, text: str, line: int | None) -> Instruction:
    return Instruction(
        index=index,
        opcode=opcode,
        modifiers=(),
        guard=None,
        operands=(),
        destinations=0,
        reads=frozenset(),
        writes=frozenset(),
        control=ControlCode(),
        encoding=0,
        text=text,
        pipe="alu",
        latency_class="alu",
        source=None if line is None else SourceLine("/src/dot.cu", line),
    )


PROGRAM = Program(
    name="dot",
    instructions=(_instruction(0, "FFMA", "FFMA R1, R2, R3, R4", 7), _instruction(1, "EXIT", "EXIT", None)),
    num_regs=16,
    static_shared_bytes=0,
    local_bytes=0,
    num_barriers=0,
    max_threads=1024,
    parameters=(),
    parameter_base=0x210,
    constant_banks={0: b"\0"},
    symbols=(),
    relocations=(),
    arch="sm_90",
    cubin_hash="f" * 64,
)


def result(grid: int = 132, cache: str = "warm") -> Result:
    """200 warp-cycles: 80 selected, and 120 of wait at the FFMA."""
    warp_cycles = np.zeros((4, 2, len(Reason)), np.int64)
    warp_cycles[:, :, Reason.SELECTED] = 10
    warp_cycles[0, 0, Reason.WAIT] = 120
    setting = Setting("h100", {}, 2000.0, 64, cache, "auto", tuple(range(0, grid, 132)))
    launch = LaunchShape((grid, 1, 1), (256, 1, 1))
    return Result(PROGRAM, launch, setting, Counts(cycles=1100, warp_cycles=warp_cycles, thread_instructions=0))


def measurement(grid: int = 132, **changes) -> Measurement:
    """Per block 80 selected, 80 of wait, 40 of barrier; 1000 cycles."""
    counters = dict.fromkeys(STALLS.values(), (0, 0))
    counters[STALLS["selected"]] = (80 * grid, 80 * grid)
    counters[STALLS["wait"]] = (70 * grid, 90 * grid)
    counters[STALLS["barrier"]] = (40 * grid, 40 * grid)
    counters["sm__cycles_active.max"] = (990, 1010)
    counters["smsp__inst_executed.sum"] = (80 * grid, 80 * grid)
    counters["gpu__time_duration.sum"] = (500, 500)
    fields = {
        "launch": f"{grid}x256",
        "function": "dot",
        "grid": (grid, 1, 1),
        "block": (256, 1, 1),
        "dynamic_shared_bytes": 0,
        "seed": 0,
        "arguments_sha256": "",
        "cubin_sha256": "e" * 64,
        "code_sha256": code_sha256(PROGRAM),
        "measured_with": {},
        "status": "ok",
        "runs": ("warm", "warm"),
        "counters": counters,
    }
    return Measurement(**{**fields, **changes})


def sampled(stalls: dict[str, dict[int, int]]) -> Measurement:
    """The measurement with warm samples."""
    return measurement(samples={"warm": Samples(interval_cycles=32, runs=1, stalls=stalls)})


def compared(case: str = "dot/132x256", case_class: str = "dot") -> Comparison:
    """Cycles 10 % too many, stall distance 0.2."""
    return compare(case, case_class, result(), measurement())


def with_error(error: float, case_class: str) -> Comparison:
    """A comparison whose cycles are that far off."""
    one = compared(f"k/{error}", case_class)
    return replace(one, predicted=replace(one.predicted, cycles=one.measured.cycles * (1.0 + error)))


def rendered(renderable: RenderableType) -> str:
    """As printed, 200 columns wide."""
    console = Console(file=StringIO(), width=200)
    console.print(renderable)
    return console.file.getvalue()
