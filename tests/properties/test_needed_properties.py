"""What a trace needs: nothing less than it takes, for any program; and instructions touch the registers they name."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from hypothesis import HealthCheck, given, settings

from isa.emulator import batch, emulate
from isa.emulator.lanes import Lanes
from isa.instruction import Instruction
from isa.launch import LaunchShape
from isa.operand import PT, RZ, URZ, RegisterFile
from isa.semantics import registry
from kernels.generated.program import Program
from kernels.generated.strategy import programs
from tests.traces import differences
from tests.unit.kernels.generated.running import compiled, first_launch, outputs
from validation.semantics_check import compare
from validation.semantics_check.prepare import FAMILIES

few = settings(
    deadline=None, derandomize=True, database=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow]
)


@few
@given(programs())
def test_a_trace_does_not_depend_on_what_it_does_not_need(program: Program) -> None:
    launch = first_launch(program)
    shape = LaunchShape(launch.grid, launch.block)
    whole, trace = (emulate(compiled(program), shape, launch.arguments(), outputs=outputs) for outputs in (True, False))
    assert differences(whole, trace) == []


_ZEROS = {
    RegisterFile.GENERAL: RZ,
    RegisterFile.UNIFORM: URZ,
    RegisterFile.PREDICATE: PT,
    RegisterFile.UNIFORM_PREDICATE: PT,
}
_WORDS = {"register64": 2, "set_register64": 2, "uniform64": 2, "set_uniform64": 2}
_FILES = {
    "register": RegisterFile.GENERAL,
    "uniform": RegisterFile.UNIFORM,
    "predicate": RegisterFile.PREDICATE,
    "uniform_predicate": RegisterFile.UNIFORM_PREDICATE,
}


class WatchedLanes(Lanes):
    """Lanes that note which registers are read and written: (file, index, whether written)."""

    touched: set[tuple[RegisterFile, int, bool]] = set()  # noqa: RUF012 - of all lanes


def _watched(name: str) -> Callable[..., Any]:
    plain = getattr(Lanes, name)
    file = _FILES[name.removeprefix("set_").removesuffix("64")]

    def access(self: WatchedLanes, index: int, *values: Any) -> Any:
        for word in range(_WORDS.get(name, 1) if index != _ZEROS[file] else 0):
            self.touched.add((file, index + word, name.startswith("set_")))
        return plain(self, index, *values)

    return access


for _name in [*_FILES, *(f"set_{each}" for each in _FILES), *_WORDS]:
    setattr(WatchedLanes, _name, _watched(_name))


@contextmanager
def watching() -> Iterator[None]:
    """Fail when an instruction touches a register that it does not name."""

    def watched(lower: Callable[..., Any]) -> Callable[..., Any]:
        def lowered(instruction: Instruction, constants: registry.Constants) -> Callable[[Any], Any]:
            execute = lower(instruction, constants)
            named = {(each.file, each.index, False) for each in instruction.reads}
            named |= {(each.file, each.index, True) for each in instruction.writes}

            def run(lanes: WatchedLanes) -> Any:
                lanes.touched.clear()
                following = execute(lanes)
                unnamed = {each for each in lanes.touched - named if each[1] != _ZEROS[each[0]]}
                assert not unnamed, f"{instruction.text} touches {unnamed}"
                return following

            return run

        return lowered

    with (
        mock.patch.object(batch, "Lanes", WatchedLanes),
        mock.patch.object(registry, "lower", watched(registry.lower)),
        mock.patch.object(registry, "lower_control", watched(registry.lower_control)),
    ):
        yield


@settings(few, max_examples=10)
@given(programs())
def test_instructions_of_programs_touch_only_registers_that_they_name(program: Program) -> None:
    with watching():
        outputs(program)


def test_instructions_of_the_semantics_check_touch_only_registers_that_they_name() -> None:
    with watching():
        for family in FAMILIES:
            list(compare.emulated(family))
