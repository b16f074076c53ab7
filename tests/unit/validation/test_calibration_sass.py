"""The calibration's assembler: what it encodes is what nvdisasm reads."""

import pytest

from isa.encoding import decode_control
from validation.calibration import verify
from validation.calibration.sass import PT, RZ, assemble, encodings, op

EXAMPLE = {
    "pd": 1,
    "pn": 2,
    "upd": 1,
    "upn": 2,
    "imm": 0x123,
    "off": 0x10,
    "const": 0x210,
    "branch": "end",
    "sync": "end",
}


def example(name):
    """Return the named instruction with a different register in every field."""
    fields = encodings()[name].fields
    return op(name, *(EXAMPLE.get(field, 8 + 2 * i) for i, field in enumerate(fields)))


def test_every_encoding_reads_as_its_text():
    program = [example(name) for name in encodings()]
    assert verify.differences([[*program, op("NOP", label="end")]]) == []


def test_a_wrong_encoding_is_noticed():
    class Mistaken(type(op("NOP"))):
        def text(self, base, labels):
            return "FADD R1, R2, R3"

    assert verify.differences([[Mistaken("NOP")]]) == ["0x0: meant 'FADD R1, R2, R3', reads 'NOP'"]


def test_bits_that_the_hardware_does_not_know_are_refused():
    with pytest.raises(ValueError, match="nvdisasm refuses the code"):
        verify.disassemble(b"\xff" * 16)


def test_control_fields_land_where_the_decoder_finds_them():
    word = int.from_bytes(assemble([op("FFMA", 1, 2, 3, 4, stall=5, write=1, read=2, wait=0x21, reuse=5)]), "little")
    control = decode_control(word)
    assert (control.stall, control.write_barrier, control.read_barrier) == (5, 1, 2)
    assert (control.wait_mask, control.reuse, control.yield_) == (0x21, 5, False)


@pytest.mark.parametrize(("stall", "yields"), [(0, True), (1, False), (11, False), (12, True), (15, True)])
def test_stalls_that_exist_only_with_the_yield_hint_get_it(stall, yields):
    word = int.from_bytes(assemble([op("NOP", stall=stall)]), "little")
    assert decode_control(word).yield_ is yields


def test_branches_reach_backwards_and_forwards():
    program = [op("NOP", label="a"), op("BRA", "b"), *[op("NOP")] * 300, op("BRA", "a", guard=3), op("EXIT", label="b")]
    text = verify.disassemble(assemble(program))
    assert text[1] == "BRA 0x12f0"
    assert text[302] == "@P3 BRA 0x0"


def test_negated_guards():
    assert verify.disassemble(assemble([op("MOV", 1, RZ, guard=~2)])) == ["@!P2 MOV R1, RZ"]


@pytest.mark.parametrize("operands", [(1, 2), (1, 2, 3, 4, 5)])
def test_wrong_operand_counts_are_refused(operands):
    with pytest.raises(ValueError, match="FFMA takes"):
        op("FFMA", *operands)


def test_predicates_and_registers_print_their_constant_ones():
    assert verify.disassemble(assemble([op("SEL", 1, RZ, 2, PT)])) == ["SEL R1, RZ, R2, PT"]
