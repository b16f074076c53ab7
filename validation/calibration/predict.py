"""Microbenchmarks predicted: the clocks that smsim's warps would have read, beside those that the GPU's warps read.

The program that ran on the GPU is emulated and simulated as it is. A clock read (``CS2R.32 SR_CLOCKLO``) gives the
cycle in which it issues, so that the simulated table of clocks is condensed by the same code as the recorded one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isa.decode import decode
from isa.disassembly import Line
from isa.errors import SmsimError
from isa.module import load_cubin
from isa.operand import RegisterFile
from isa.program import Program
from isa.trace import Trace
from smsim import engines
from smsim.listeners import Event, Issue
from smsim.machine import Machine
from smsim.module import Function
from smsim.part import part_of
from validation.clock import clock_reads
from validation.predict import Emulate

from .program import RECORDS, Experiment, Launch
from .record import condense_words
from .sass import label_indices
from .shell import KERNEL, wrap

# The kinds whose every record is a clock.
CLOCK_KINDS = ("elapsed", "timeline", "first", "spans")
DATA_BYTES = 1 << 24
FIRST_LANE = 1  # of each warp: it stores the records


@dataclass(frozen=True)
class Prediction:
    """A microbenchmark's launch, simulated and recorded, both condensed as its kind asks.

    Attributes:
        name, launch: of the experiment and of the launch.
        predicted: what the simulation gives; None where it could not be simulated.
        recorded: what the GPU gave, one entry per repeat (timelines: one where the repeats agree).
        reason: why there is no prediction.
    """

    name: str
    launch: str
    predicted: Any
    recorded: list[Any]
    reason: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether a repeat on the GPU gave just this, to the cycle; which warp is which does not matter."""
        return any(_as_set(self.predicted) == _as_set(repeat) for repeat in self.recorded)

    @property
    def error(self) -> float:
        """The greatest difference of a clock from the nearest repeat's, in cycles; infinite without a prediction."""
        if self.predicted is None:
            return float("inf")
        predicted = np.array(_as_set(self.predicted))
        return min(float(np.abs(predicted - np.array(_as_set(repeat))).max()) for repeat in self.recorded)


def _as_set(condensed: Any) -> Any:
    """Rows of warps in an order of their own."""
    return sorted(condensed) if isinstance(condensed, list) and isinstance(condensed[0], list) else condensed


def can_predict(experiment: Experiment, launch: Launch) -> bool:
    """Whether all records of the launch are clocks, and none depends on what the runner put into memory."""
    return experiment.kind in CLOCK_KINDS and launch.data == "zero" and launch.carveout < 0


def predict_all(
    experiments: Iterable[Experiment], recording: dict[str, Any], machine: Machine, every: int = 1
) -> Iterator[Prediction]:
    """Simulate every (or every n-th) launch that the recording holds and that :func:`can_predict` takes."""
    wanted = [
        (experiment, launch)
        for experiment in experiments
        for launch in experiment.launches
        if can_predict(experiment, launch)
        and recording["programs"].get(experiment.name, {"launches": {}})["launches"].get(launch.label)
    ]
    of: Experiment | None = None
    for experiment, launch in wanted[::every]:
        recorded = recording["programs"][experiment.name]["launches"][launch.label]
        try:
            if experiment is not of:
                of, program = experiment, program_of(experiment)
            clocks = predicted_clocks(program, experiment, launch, machine)
        except SmsimError as error:
            yield Prediction(experiment.name, launch.label, None, recorded, str(error))
        else:
            predicted = condense_words(experiment.kind, clocks[np.newaxis])[0]
            yield Prediction(experiment.name, launch.label, predicted, recorded)


def program_of(experiment: Experiment) -> Program:
    """An experiment's program, decoded from the text that verify.py compares with nvdisasm's."""
    code = experiment.program()
    labels = label_indices(code)
    instructions = tuple(
        decode(
            KERNEL,
            index,
            _line(instruction.text(0, labels)),
            instruction.encode(index, labels),
            symbols={},
            source=None,
        )
        for index, instruction in enumerate(code)
    )
    return replace(_empty_shell(), instructions=instructions, num_regs=experiment.registers)


@cache
def _empty_shell() -> Program:
    return load_cubin(wrap(b"", 64)).program(KERNEL)


def _line(text: str) -> Line:
    guard, text = text.split(" ", 1) if text.startswith("@") else ("", text)
    opcode, _, operands = text.partition(" ")
    return Line(guard, opcode, operands.replace(" ", ""))


def trace_of(program: Program, launch: Launch, machine: Machine, emulate: Emulate = "all") -> Trace:
    """What a launch of an experiment's program executes, of all blocks or of those of the first SM (``emulate``).

    Raises:
        SmsimError: the program cannot be emulated.
    """
    output = np.zeros(RECORDS * launch.blocks * (launch.threads // 32), np.uint32)
    data = np.zeros(DATA_BYTES, np.uint8)
    arguments = [output, np.uint32(launch.warps), np.uint32(0), data]
    function = Function(program)
    function.max_dynamic_shared_size_bytes = launch.shared
    return function.trace(
        (launch.blocks,),
        (launch.threads,),
        arguments,
        shared_mem=launch.shared,
        machine=machine,
        emulate=emulate,
        outputs=False,
    )


def _without_ncu(machine: Machine) -> Machine:
    """Without ncu a launch finds its constants at hand."""
    return machine.replace({"frontend.constants_behind_code": 0, "frontend.constants_behind_long_code": 0})


def predicted_clocks(program: Program, experiment: Experiment, launch: Launch, machine: Machine) -> NDArray[np.uint32]:
    """The table that the simulated warps would store: uint32, shape (warps that take part, records).

    Raises:
        SmsimError: the program cannot be emulated or simulated.
    """
    warps = launch.threads // 32
    trace = trace_of(program, launch, machine)
    records = {register: place for place, register in enumerate(experiment.records)}
    record_of = {
        instruction.address: records[register.index]
        for instruction in clock_reads(program)
        for register in instruction.writes
        if register.file == RegisterFile.GENERAL and register.index in records
    }
    table = np.zeros((launch.blocks * warps, len(experiment.records)), np.uint32)

    def note(event: Event) -> None:
        if isinstance(event, Issue) and event.address in record_of and event.lanes & FIRST_LANE:
            table[event.block * warps + event.warp, record_of[event.address]] = event.reached

    # The blocks are all of the grid: L2 is theirs alone.
    machine = machine.derived(_without_ncu)
    cache = "cold" if experiment.kind == "first" else "warm"
    engines.run(trace, machine, cache, listeners=[note], part=part_of(trace, range(launch.blocks), machine))
    return table[[w for w in range(len(table)) if launch.warps >> w % warps & 1]]


def summary(predictions: Sequence[Prediction]) -> str:
    """How many launches are exact, how many could not be simulated."""
    exact = sum(prediction.is_exact for prediction in predictions)
    failed = sum(prediction.predicted is None for prediction in predictions)
    text = f"exact to the cycle in {exact} of {len(predictions)} launches"
    return f"{text}, {failed} could not be simulated" if failed else text
