"""A launch on two machines: two predictions side by side, with the measurement where there is one."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isa.errors import LaunchError
from isa.trace.history import count_instructions
from smsim.machine import Machine
from smsim.simulation import simulate
from validation.compare import Figures, measured_figures, predicted_figures, refuse_other
from validation.measurement import Cache, Measurement, recorded_kernels
from validation.predict import Emulate, trace_launch
from validation.selection import matching, recorded


@dataclass(frozen=True)
class ContrastCase:
    """A launch to be simulated on both machines, and what was measured of it, if anything was.

    ``source`` is the folder whose launches.toml lists it; None for a kernel of the catalogue.
    """

    kernel: str
    launch: str
    caches: tuple[Cache, ...]
    measurement: Measurement | None
    source: Path | None = None

    @property
    def name(self) -> str:
        """ "kernel/launch"."""
        return f"{self.kernel}/{self.launch}"


@dataclass(frozen=True)
class Contrast:
    """A case on two machines.

    Attributes:
        case: "kernel/launch"; cache: "warm" or "cold".
        machines: both machines, by :func:`machine_label`.
        predicted: the figures, one per machine, as :class:`~validation.compare.Figures` describes them.
        measured: the figures on the GPU; None when they were not recorded in that cache mode.
    """

    case: str
    cache: Cache
    machines: tuple[str, str]
    predicted: tuple[Figures, Figures]
    measured: Figures | None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: case, cache, predicted [{machine, cycles, time_us, instructions, stalls}, another],
        measured {cycles, ...} or null.
        """
        return {
            "case": self.case,
            "cache": self.cache,
            "predicted": [
                {"machine": machine, **asdict(figures)}
                for machine, figures in zip(self.machines, self.predicted, strict=True)
            ],
            "measured": None if self.measured is None else asdict(self.measured),
        }


def machine_label(machine: Machine) -> str:
    """The machine's name and what was changed in it: "h100, pipes.fma.latency=6"."""
    return ", ".join([machine.name, *(f"{path}={value}" for path, value in machine.changed.items())])


def contrast_case(case: ContrastCase, machines: tuple[Machine, Machine], emulate: Emulate = "sm") -> list[Contrast]:
    """Simulate a launch on both machines in each of the cache modes asked for.

    Raises:
        SmsimError: the launch cannot be simulated, or what was recorded is of another launch or cubin.
    """
    measurement = case.measurement
    seed = 0 if measurement is None else measurement.seed or 0
    traces = [
        trace_launch(case.kernel, case.launch, seed, machine, emulate, source=case.source) for machine in machines
    ]
    contrasts = []
    for cache in case.caches:
        results = [simulate(trace, machine, cache) for trace, machine in zip(traces, machines, strict=True)]
        if measurement is not None:
            refuse_other(results[0], measurement)
        first, second = (
            predicted_figures(result, int(count_instructions(trace).sum()) if emulate == "all" else None)
            for result, trace in zip(results, traces, strict=True)
        )
        contrasts.append(
            Contrast(
                case=case.name,
                cache=cache,
                machines=(machine_label(machines[0]), machine_label(machines[1])),
                predicted=(first, second),
                measured=None
                if measurement is None or cache not in measurement.caches
                else measured_figures(measurement, cache),
            )
        )
    return contrasts


def contrast_cases(
    launches: Iterable[tuple[str, str]],
    patterns: Sequence[str],
    caches: tuple[Cache, ...],
    folder: Path,
    gpu: str,
    *,
    source: Path | None = None,
) -> list[ContrastCase]:
    """Those of the launches (kernel, name) that match one of the patterns (all without patterns), measured or not.

    Raises:
        LaunchError: no launch matches.
        MeasurementError: a measurement file is damaged.
    """
    launches = tuple(launches)
    known = set(recorded_kernels(folder, gpu))
    measured = {
        (kernel, one.launch): one
        for kernel in dict.fromkeys(kernel for kernel, _ in launches)
        if kernel in known
        for one in recorded(kernel, folder, gpu).launches
    }
    cases = [
        ContrastCase(kernel, launch, caches, measured.get((kernel, launch)), source)
        for kernel, launch in launches
        if matching(launch, patterns)
    ]
    if not cases:
        there = ", ".join(f"{kernel}/{launch}" for kernel, launch in launches)
        raise LaunchError(f"no launch matches {', '.join(patterns)}; the launches are {there}")
    return cases
