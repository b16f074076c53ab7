"""Register-file reads by operand slot, and what the reuse cache spares."""

import pytest

from isa.instruction import Instruction
from smsim.operand_reads import Read, ReuseCache, operand_reads, source_registers
from smsim.testing import Launch, program

A, B, C = 1, 2, 4


def decode(text: str, reuse: tuple[int, ...] = ()) -> Instruction:
    return Launch((program().op(text, reuse=reuse).exit(),)).trace().program.instructions[0]


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("FFMA R0, R4, R5, R6", {4: A, 5: B, 6: C}),
        ("FFMA R0, R4, R4, R4", {4: A | B | C}),
        ("FFMA R0, R4, R5, R4", {4: A | C, 5: B}),
        ("FFMA R0, R4, RZ, R6", {4: A, 6: C}),
        ("FADD R0, -R4, |R5|", {4: A, 5: C}),
        ("FMUL R0, R4, R5", {4: A, 5: B}),
        ("FFMA R0, R4, c[0x0][0x210], R6", {4: A, 6: C}),
        ("FMUL R0, R5, 2", {5: A}),
        ("IADD3 R0, R4, UR5, R7", {4: A, 7: C}),
        ("DFMA R0, R4, R6, R8", {4: A, 5: A, 6: B, 7: B, 8: C, 9: C}),
        ("DADD R0, R4, R4", {4: A | C, 5: A | C}),
        ("MOV R0, R4", {4: B}),
        ("MOV R0, 0x1", {}),
        ("ISETP.GE.AND P0, PT, R4, R5, P1", {4: A, 5: B}),
    ],
)
def test_reads_by_slot(text: str, slots: dict[int, int]) -> None:
    assert operand_reads(decode(text)) == [Read(register, mask, False) for register, mask in slots.items()]


def test_two_packed_immediates_take_one_slot() -> None:
    """As ptxas writes x * (0.5, 0.5) + y."""
    assert source_registers(decode("HFMA2 R0, R4, 0.5, 0.5, R5"))[2] == {5}


def test_the_pair_of_a_wide_multiplication_is_read_by_itself() -> None:
    reads = [Read(4, A | B, False), Read(4, C, False), Read(5, C, True)]
    assert operand_reads(decode("IMAD.WIDE R0, R4, R4, R4")) == reads


def left(*code: tuple[str, tuple[int, ...]]) -> list[int]:
    """The registers that are still read by the last instruction."""
    cache = ReuseCache()
    reads: list[Read] = []
    for text, reuse in code:
        instruction = decode(text, reuse)
        reads = cache.read(instruction, operand_reads(instruction))
    return [read.register for read in reads]


def test_a_kept_operand_is_not_read_again() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R4, R7, R6", ())) == [7, 6]


def test_another_register_in_the_slot_is_read() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R8, R5, R6", ())) == [8, 5, 6]


def test_the_slot_counts_not_the_register() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FFMA R1, R8, R4, R6", ())) == [8, 4, 6]


def test_all_slots_may_be_kept() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0, 1, 2)), ("FFMA R1, R4, R5, R6", ())) == []


def test_the_next_read_into_the_slot_replaces_what_was_kept() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FMUL R1, R8, R5", ()), ("FMUL R2, R4, R5", ())) == [4, 5]


def test_what_was_kept_stays_beside_a_register_of_the_other_bank() -> None:
    assert left(("FFMA R0, R4, R5, R6", (0,)), ("FMUL R1, R9, R5", ()), ("FMUL R2, R4, R5", ())) == [5]
