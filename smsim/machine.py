"""The machine: what a simulated SM is made of, frozen, validated, and overridable by path.

A machine is a TOML file whose every value stands beside its unit, the microbenchmark that it comes from, and that
one's spread and date,
``latency = { value = 4, unit = "cycles", spread = 0, date = 2026-11-21, source = "latency: latency/FFMA/FFMA.a" }``,
plus two CSV files that it names: ``operations`` (what each SASS operation does to the pipeline) and ``forwarding``
(cycles beyond the writer's latency until a reader of some latency class sees the result).
"""

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from isa.errors import MachineError
from smsim.description import files, values
from smsim.description.checks import validated
from smsim.description.files import Provenance
from smsim.description.sections import Description

T = TypeVar("T")

MACHINES = Path(__file__).parent / "machines"
SHIPPED = tuple(sorted(path.stem for path in MACHINES.glob("*.toml")))


@dataclass(frozen=True)
class Machine:
    """A simulated SM and the GPU around it.

    Values are read as attributes (``machine.limits.warps``, ``machine.pipes["fma"].latency``) or by path
    (``machine.value("pipes.fma.latency")``); :meth:`replace` gives a copy with some of them changed.
    """

    description: Description = field(repr=False)
    provenance: Mapping[str, Provenance] = field(repr=False)
    changed: Mapping[str, float] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in Description.__struct_fields__:
            raise AttributeError(name)
        return getattr(self.description, name)

    @property
    def clock_mhz(self) -> float:
        """SM clock in MHz, for turning cycles into time."""
        return self.description.gpu.clock_mhz

    @property
    def num_sms(self) -> int:
        """SMs of the GPU."""
        return self.description.gpu.num_sms

    def values(self) -> Iterator[tuple[str, float, Provenance]]:
        """Every number but the file's schema: its path, value, and unit and source."""
        for path, value in self._numbers.items():
            yield path, value, self.provenance.get(path, Provenance("", ""))

    def value(self, path: str) -> float:
        """The number at ``path``; raises MachineError when there is none."""
        if path not in self._numbers:
            near = difflib.get_close_matches(path, self._numbers, n=3, cutoff=0.5)
            hint = f"; did you mean {' or '.join(near)}?" if near else ""
            raise MachineError(f"machine {self.description.name!r} has no value {path!r}{hint} (all: smsim machine)")
        return self._numbers[path]

    @cached_property
    def _numbers(self) -> dict[str, float]:
        """Every number but the file's schema, by path."""
        leaves = values.leaves(msgspec.to_builtins(self.description))
        return {path: value for path, value in leaves if isinstance(value, int | float) and path != "schema"}

    def derived(self, make: "Callable[[Machine], T]") -> T:
        """What ``make`` makes of the machine, which never changes: made once."""
        if make not in self._derived:
            self._derived[make] = make(self)
        found: T = self._derived[make]
        return found

    @cached_property
    def _derived(self) -> dict[Any, Any]:
        return {}

    def replace(self, changes: Mapping[str, float | str]) -> "Machine":
        """A copy in which the values at the given paths are replaced (text is read as a number).

        Raises MachineError for an unknown path or a value that does not fit.
        """
        tree = msgspec.to_builtins(self.description)
        changed = dict(self.changed)
        for path, given in changes.items():
            old = self.value(path)
            new = values.number(path, given, integral=isinstance(old, int))
            values.put(tree, path, new)
            changed[path] = new
        return Machine(validated(tree, f"machine {self.description.name!r}"), self.provenance, changed)


def forwarding_readers(machine: Machine) -> tuple[str, ...]:
    """The latency classes of readers that the forwarding table knows. A pair that it leaves blank has no detour."""
    return tuple(dict.fromkeys(reader for row in machine.forwarding.values() for reader in row))


def load(machine: "str | Path | Machine") -> Machine:
    """A machine by name ("h100"), by path of a TOML file, or itself.

    Raises MachineError when there is no such machine or its file is damaged.
    """
    if isinstance(machine, Machine):
        return machine
    return _shipped(str(machine)) if str(machine) in SHIPPED else _read(path_of(machine))


@cache
def _shipped(name: str) -> Machine:
    """A machine of the package: its files stay as they are."""
    return _read(path_of(name))


def _read(path: Path) -> Machine:
    tree, provenance = files.read(path)
    return Machine(validated(tree, str(path)), provenance)


def path_of(machine: str | Path) -> Path:
    """The TOML file of a machine by name, or by path.

    Raises MachineError when there is no such machine.
    """
    path = MACHINES / f"{machine}.toml" if str(machine) in SHIPPED else Path(machine)
    if not path.is_file():
        near = difflib.get_close_matches(str(machine), SHIPPED, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise MachineError(f"no machine {str(machine)!r}: not one of {', '.join(SHIPPED)}, and no such file{hint}")
    return path
