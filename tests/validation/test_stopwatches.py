"""Families of stopwatches predicted: what pieces of code take, to the cycle."""

from statistics import mean

import numpy as np
import pytest

from smsim import engines
from smsim.listeners import Event, Issue
from smsim.machine import Machine, load
from smsim.module import Function
from validation.calibration.bundle import family
from validation.calibration.predict import DATA_BYTES, program_of
from validation.calibration.program import RECORDS, Experiment
from validation.calibration.recordings import Recordings
from validation.clock import clock_reads

EVERY = 12  # programs
RANDOM_EXACT = 0.96
MISSED = 100  # cycles


def stopwatches(experiment: Experiment, machine: Machine) -> list[int]:
    """The cycles between each two clock reads, in the last pass through the region."""
    program = program_of(experiment)
    clocks = {instruction.address for instruction in clock_reads(program)}
    reads: list[int] = []

    def note(event: Event) -> None:
        if isinstance(event, Issue) and event.address in clocks:
            reads.append(event.reached)

    arguments = [np.zeros(RECORDS, np.uint32), np.uint32(1), np.uint32(0), np.zeros(DATA_BYTES, np.uint8)]
    function = Function(program)
    function.max_dynamic_shared_size_bytes = shared = experiment.launches[0].shared
    trace = function.trace((1,), (32,), arguments, shared_mem=shared, machine=machine, emulate="all")
    engines.run(trace, machine, "warm", listeners=[note])
    last = reads[-2 * len(experiment.records) :]
    return [end - start for start, end in zip(last[::2], last[1::2], strict=True)]


def differences(name: str, kind: str = "", every: int = 1) -> list[list[int]]:
    """Recorded less predicted cycles of some programs' pieces."""
    machine, recorded = load("h100"), Recordings().recording(name)["programs"]
    found = []
    for experiment in [one for one in family(name) if one.name.startswith(f"{name}/{kind}")][::every]:
        measured = recorded[experiment.name]["launches"]["1"][0][0]
        found.append([a - b for a, b in zip(measured, stopwatches(experiment, machine), strict=True)])
    return found


def test_pairs_by_slots_and_banks() -> None:
    assert not any(map(any, differences("ports", "pairs", EVERY)))


def test_random_rows() -> None:
    found = [cycles for program in differences("ports", "random", EVERY) for cycles in program]
    assert found.count(0) >= RANDOM_EXACT * len(found)


def test_operands_marked_for_reuse() -> None:
    """Where the one that marks them got them by forwarding they are read again, and only there."""
    assert not any(map(any, differences("reused", every=3)))


def test_instructions_without_lanes() -> None:
    """The second half of each program."""
    assert not any(any(program[len(program) // 2 :]) for program in differences("without_lanes"))


@pytest.mark.parametrize("sequence", ["A", "L A L", "L R L"])
def test_pages_whose_home_is_far(sequence: str) -> None:
    """Which ones they are is drawn from the address here; how many and how much later is as on the H100."""
    (experiment,) = [one for one in family("homes") if one.name == f"homes/{sequence}"]
    recorded = Recordings().recording("homes")["programs"][experiment.name]["launches"]["1"][0][0]
    here = stopwatches(experiment, load("h100"))
    assert mean(here) == pytest.approx(mean(recorded), rel=0.02)
    between = (min(recorded) + max(recorded)) / 2
    far = sum(cycles > between for cycles in here)
    assert far == pytest.approx(sum(cycles > between for cycles in recorded), abs=1)  # of 48


def test_which_lines_of_a_set_l1_gives_up() -> None:
    """A load that misses where it hits on the H100, or the other way round, is 200 cycles and more off."""
    assert not any(abs(cycles) > MISSED for program in differences("tags") for cycles in program)
