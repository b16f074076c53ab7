"""Register-file reads by operand slot, and what the reuse cache spares."""

import pytest

from isa.instruction import Instruction
from smsim.operand_reads import ReuseCache, operand_reads
from smsim.testing import Launch, program

EVEN, ODD, BOTH = 1, 2, 3


def decode(text: str, reuse: tuple[int, ...] = ()) -> Instruction:
    return Launch((program().op(text, reuse=reuse).exit(),)).trace().program.instructions[0]


@pytest.mark.parametrize(
    ("text", "banks"),
    [
        ("FFMA R0, R4, R5, R6", [EVEN, ODD, EVEN]),
        ("FFMA R1, R3, R5, R7", [ODD, ODD, ODD]),
        ("FFMA R0, R4, R4, R4", [EVEN, 0, 0]),
        ("FFMA R0, R4, R5, R4", [EVEN, ODD, 0]),
        ("FFMA R0, R4, RZ, R6", [EVEN, 0, EVEN]),
        ("FADD R0, -R4, |R5|", [EVEN, ODD, 0]),
        ("FFMA R0, R4, c[0x0][0x210], R6", [EVEN, 0, EVEN]),
        ("FMUL R0, R5, 2", [ODD, 0, 0]),
        ("IADD3 R0, R4, UR5, R7", [EVEN, 0, ODD]),
        ("DFMA R0, R4, R6, R8", [BOTH, BOTH, BOTH]),
        ("DADD R0, R4, R4", [BOTH, 0, 0]),
        ("MOV R0, 0x1", [0, 0, 0]),
    ],
)
def test_banks_by_slot(text: str, banks: list[int]) -> None:
    assert operand_reads(decode(text)) == banks


def test_a_predicate_takes_no_slot() -> None:
    assert operand_reads(decode("ISETP.GE.AND P0, PT, R4, R5, P1"))[:2] == [EVEN, ODD]


def left(*code: tuple[str, tuple[int, ...]]) -> list[int]:
    """The reads that are left of the last instruction."""
    cache = ReuseCache()
    reads: list[int] = []
    for text, reuse in code:
        instruction = decode(text, reuse)
        reads = cache.read(instruction, operand_reads(instruction))
    return reads


def test_a_kept_operand_is_not_read_again() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R4, R7, R6", ())) == [0, ODD, EVEN]


def test_another_register_in_the_slot_is_read() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R8, R5, R6", ())) == [EVEN, ODD, EVEN]


def test_the_slot_counts_not_the_register() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R8, R4, R6", ()))[1] == EVEN


def test_all_slots_may_be_kept() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0, 1, 2)), ("FFMA R1, R4, R5, R6", ())) == [0, 0, 0]


def test_the_next_kept_operands_replace_those_before() -> None:
    code = [("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R4, R5, R6", (1,)), ("FFMA R2, R4, R5, R6", ())]
    assert left(*code) == [EVEN, 0, EVEN]
