"""What the strategies draw is well formed, and covers what it should."""

from hypothesis import find, given, settings

from isa.control import ControlCode
from isa.encoding import decode_control, encode_control
from isa.trace.history import count_instructions
from smsim.code import build_code
from smsim.description.sections import UNITS
from smsim.machine import Machine, load
from smsim.testing import Launch, program, strategies
from smsim.testing.routine import Op

H100 = load("h100")
quick = settings(deadline=None, derandomize=True, max_examples=30)


@quick
@given(strategies.control_codes())
def test_control_codes_fit_the_encoding(control: ControlCode) -> None:
    assert decode_control(encode_control(0, control)) == control


@quick
@given(strategies.launches())
def test_launches_have_traces(launch: Launch) -> None:
    trace = launch.trace()
    assert len(trace.warps) == launch.warps * launch.blocks
    assert (count_instructions(trace) >= 1).all()
    assert trace.program.instructions[-1].opcode == "EXIT"


@quick
@given(strategies.machines(), strategies.slower())
def test_machines_are_valid_and_slower_ones_slower(machine: Machine, slower: Machine) -> None:
    assert all(machine.value(path) == value for path, value in machine.changed.items())
    assert slower.changed
    assert all(value > H100.value(path) for path, value in slower.changed.items())


def test_every_unit_is_drawn() -> None:
    code = program().then(*(Op(_filled(text)) for texts in strategies.TEMPLATES.values() for text in texts))
    looping = code.op("BAR.SYNC 0x0").loop(1, program().op("NOP")).exit()
    drawn = set(build_code(Launch((looping,)).trace().program, H100).instructions["unit"].tolist())
    assert drawn == set(range(len(UNITS)))


def test_barriers_and_loops_are_drawn() -> None:
    launch = find(strategies.launches(), lambda launch: "BAR.SYNC" in repr(launch) and "Loop(" in repr(launch))
    assert launch.routines


def _filled(template: str) -> str:
    return template.format(**dict.fromkeys("abcdABCD", "R4"))
