"""A result built by hand: two SMSPs with a warp each, three instructions."""

import numpy as np
import pytest

from isa.control import ControlCode
from isa.instruction import Instruction, SourceLine
from isa.launch import LaunchShape
from isa.program import Program
from smsim.counts import Counts
from smsim.reasons import Reason
from smsim.result import Result, Setting

TEXTS = (
    ("LDG", "LDG.E R4, desc[UR4][R2.64]", "lsu", 3),
    ("FFMA", "FFMA R9, R4, R5, R6", "fma", 4),
    ("EXIT", "EXIT", "cbu", None),
)


def _instruction(index: int, opcode: str, text: str, pipe: str, line: int | None) -> Instruction:
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
        pipe=pipe,
        latency_class=pipe,
        source=None if line is None else SourceLine("/src/saxpy.cu", line),
    )


@pytest.fixture
def program() -> Program:
    return Program(
        name="saxpy",
        instructions=tuple(_instruction(index, *row) for index, row in enumerate(TEXTS)),
        num_regs=16,
        static_shared_bytes=1024,
        local_bytes=0,
        num_barriers=0,
        max_threads=1024,
        parameters=(),
        parameter_base=0x210,
        constant_banks={0: b"", 3: bytes(20)},
        symbols=(),
        relocations=(),
        arch="sm_90",
        cubin_hash="ab" * 32,
    )


@pytest.fixture
def counts() -> Counts:
    warp_cycles = np.zeros((4, 3, len(Reason)), np.int64)
    warp_cycles[:2, :, Reason.SELECTED] = 1
    warp_cycles[:2, 0, Reason.WAIT] = 9
    warp_cycles[0, 1, Reason.LONG_SCOREBOARD] = 60
    warp_cycles[1, 1, Reason.LONG_SCOREBOARD] = 20
    return Counts(
        cycles=100,
        warp_cycles=warp_cycles,
        thread_instructions=180,
        memory={"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 8},
    )


@pytest.fixture
def result(program: Program, counts: Counts) -> Result:
    setting = Setting(
        machine="h100",
        overrides={"pipes.fma.latency": 6},
        clock_mhz=1000.0,
        max_warps=64,
        cache="warm",
        engine="auto",
        blocks=(0,),
    )
    return Result(program, LaunchShape((132, 1, 1), (64, 1, 1)), setting, counts)
