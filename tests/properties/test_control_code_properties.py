"""Control codes survive every way there and back."""

from hypothesis import given
from hypothesis import strategies as st

from isa.control import NO_BARRIER, ControlCode
from isa.encoding import decode_control, encode_control, format_control, parse_control

encodings = st.integers(0, 2**128 - 1)
barriers = st.integers(0, 5) | st.just(NO_BARRIER)
control_codes = st.builds(
    ControlCode,
    stall=st.integers(0, 15),
    yield_=st.booleans(),
    write_barrier=barriers,
    read_barrier=barriers,
    wait_mask=st.integers(0, 63),
    reuse=st.integers(0, 7),
)


@given(encodings)
def test_decoding_and_encoding_gives_back_the_same_bits(encoding: int) -> None:
    assert encode_control(encoding, decode_control(encoding)) == encoding


@given(encodings, control_codes)
def test_encoding_and_decoding_gives_back_the_control_code(encoding: int, control: ControlCode) -> None:
    assert decode_control(encode_control(encoding, control)) == control


@given(encodings, control_codes)
def test_encoding_touches_no_other_bit(encoding: int, control: ControlCode) -> None:
    others = ~(((1 << 20) - 1) << 105)
    assert encode_control(encoding, control) & others == encoding & others


@given(control_codes)
def test_the_text_gives_back_the_control_code(control: ControlCode) -> None:
    assert parse_control(format_control(control), control.reuse) == control
