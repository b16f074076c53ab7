"""The scheduling bits of the 128-bit encoding, and their text in CuAssembler's form.

Bits, Volta to Hopper: 105-108 stall count, 109 yield (0 = yield), 110-112 write barrier (7 = none), 113-115 read
barrier (7 = none), 116-121 wait mask, 122-124 reuse. The text ``B0-----:R-:W1:-:S04`` shows wait mask, read barrier,
write barrier, yield and stall count; the reuse bits are printed with the operands (``R4.reuse``), not here.
"""

import re
from dataclasses import replace

from isa.control import NO_BARRIER, ControlCode

NUM_BARRIERS = 6
MAX_STALL = 15

_STALL = 105
_YIELD = 109
_WRITE_BARRIER = 110
_READ_BARRIER = 113
_WAIT_MASK = 116
_REUSE = 122
_CONTROL_BITS = 20
_CONTROL_MASK = ((1 << _CONTROL_BITS) - 1) << _STALL

_TEXT = re.compile(r"B([0-5-]{6}):R([0-5-]):W([0-5-]):([Y-]):S(\d\d)")


def decode_control(encoding: int) -> ControlCode:
    """The control code in a 128-bit ``encoding``."""
    return ControlCode(
        stall=encoding >> _STALL & 0xF,
        yield_=not encoding >> _YIELD & 1,
        write_barrier=encoding >> _WRITE_BARRIER & 7,
        read_barrier=encoding >> _READ_BARRIER & 7,
        wait_mask=encoding >> _WAIT_MASK & 0x3F,
        reuse=encoding >> _REUSE & 7,
    )


def encode_control(encoding: int, control: ControlCode) -> int:
    """``encoding`` with its scheduling bits replaced by ``control``; every other bit stays.

    Raises:
        ValueError: a field of ``control`` does not fit its bits.
    """
    fields = (
        ("stall", control.stall, _STALL, 4),
        ("write_barrier", control.write_barrier, _WRITE_BARRIER, 3),
        ("read_barrier", control.read_barrier, _READ_BARRIER, 3),
        ("wait_mask", control.wait_mask, _WAIT_MASK, 6),
        ("reuse", control.reuse, _REUSE, 3),
    )
    bits = int(not control.yield_) << _YIELD
    for name, value, position, width in fields:
        if not 0 <= value < 1 << width:
            raise ValueError(f"{name} = {value} does not fit {width} bits")
        bits |= value << position
    return encoding & ~_CONTROL_MASK | bits


def format_control(control: ControlCode) -> str:
    """CuAssembler's text, e.g. ``B0-----:R-:W1:-:S04``; the reuse bits are not part of it."""
    mask = "".join(str(i) if control.wait_mask >> i & 1 else "-" for i in range(NUM_BARRIERS))
    read = "-" if control.read_barrier == NO_BARRIER else str(control.read_barrier)
    write = "-" if control.write_barrier == NO_BARRIER else str(control.write_barrier)
    return f"B{mask}:R{read}:W{write}:{'Y' if control.yield_ else '-'}:S{control.stall:02d}"


def parse_control(text: str, reuse: int = 0) -> ControlCode:
    """Read CuAssembler's text back; ``reuse`` fills the field that the text does not have.

    Raises:
        ValueError: the text has another form, or a digit of the wait mask stands in another's place.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise ValueError(f"not a control code: {text!r}; expected a text like B0-----:R-:W1:-:S04")
    mask, read, write, yield_, stall = match.groups()
    control = ControlCode(
        stall=int(stall),
        yield_=yield_ == "Y",
        write_barrier=NO_BARRIER if write == "-" else int(write),
        read_barrier=NO_BARRIER if read == "-" else int(read),
        wait_mask=sum(1 << i for i, digit in enumerate(mask) if digit != "-"),
        reuse=reuse,
    )
    if control.stall > MAX_STALL or format_control(replace(control, reuse=0)) != text:
        raise ValueError(
            f"not a control code: {text!r}; digit i of the mask stands at place i, the stall is at most 15"
        )
    return control
