import pytest

from isa.control import NO_BARRIER, ControlCode
from isa.encoding import decode_control, encode_control, format_control, parse_control

# FFMA of a compiled kernel: wait for barrier 2, stall 4, yield.
FFMA = 0x004FC80000000007000000060F077223


def test_decodes_every_field() -> None:
    assert decode_control(FFMA) == ControlCode(stall=4, yield_=True, wait_mask=0b000100)


def test_each_field_has_its_bits() -> None:
    fields = {
        "stall": 105,
        "write_barrier": 110,
        "read_barrier": 113,
        "wait_mask": 116,
        "reuse": 122,
    }
    base = ControlCode(stall=0, write_barrier=0, read_barrier=0)
    for name, position in fields.items():
        control = ControlCode(**{"stall": 0, "write_barrier": 0, "read_barrier": 0, name: 1})
        assert encode_control(0, control) == encode_control(0, base) | 1 << position
    assert encode_control(0, base) == 1 << 109  # the yield bit is inverted


def test_encoding_leaves_the_other_bits_alone() -> None:
    control = ControlCode(stall=11, write_barrier=3, read_barrier=NO_BARRIER, wait_mask=0b100001, reuse=0b101)
    changed = encode_control(FFMA, control)
    assert decode_control(changed) == control
    assert encode_control(changed, decode_control(FFMA)) == FFMA


@pytest.mark.parametrize("field", ["stall", "write_barrier", "read_barrier", "wait_mask", "reuse"])
def test_a_value_that_does_not_fit_is_refused(field: str) -> None:
    with pytest.raises(ValueError, match=field):
        encode_control(0, ControlCode(**{field: 64}))


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("B------:R-:W-:-:S01", ControlCode()),
        ("B0-----:R-:W1:-:S04", ControlCode(stall=4, write_barrier=1, wait_mask=0b000001)),
        ("B-1---5:R2:W-:Y:S15", ControlCode(stall=15, yield_=True, read_barrier=2, wait_mask=0b100010)),
    ],
)
def test_text_form(text: str, control: ControlCode) -> None:
    assert format_control(control) == text
    assert parse_control(text) == control


@pytest.mark.parametrize(
    "text", ["", "B------:R-:W-:-:S16", "B-0----:R-:W-:-:S01", "B------:R6:W-:-:S01", "B------:R-:W-:-:S1"]
)
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a control code"):
        parse_control(text)
