"""The machine description: what a simulated SM is made of, frozen, validated, and overridable by path.

A description is a TOML file whose every value stands beside its unit and source,
``latency = { value = 4, unit = "cycles", source = "..." }``, plus two CSV files that it names: ``operations`` (what each
SASS operation does to the pipeline) and ``forwarding`` (cycles beyond the writer's latency until a reader of some latency class sees the result).
"""

import csv
import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from isa.errors import MachineError

SCHEMA = 1
LARGEST = 10**9
# What becomes of an instruction once it has issued.
UNITS = (
    "none",  # nothing further
    "fixed",  # a pipe with a fixed latency
    "xu",  # queued: special functions, conversions
    "mio",  # queued: shared memory, shuffles, special registers, indexed constants
    "lg",  # queued: local and global memory, through L1TEX
    "branch",
    "barrier",  # block barrier
    "membar",
    "sleep",
    "exit",
)
MACHINES = Path(__file__).parent / "machines"
SHIPPED = tuple(sorted(path.stem for path in MACHINES.glob("*.toml")))


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A section of the description."""


class Gpu(_Part):
    """The chip around the SM."""

    num_sms: int
    clock_mhz: float


class Limits(_Part):
    """What fits on one SM, and the granularity at which it is handed out."""

    warps: int
    blocks: int
    threads: int
    threads_per_block: int
    registers: int
    register_unit: int  # registers per warp are rounded up to this
    shared_bytes: int
    shared_bytes_per_block: int
    shared_reserved_bytes: int  # per block, for the system
    shared_unit: int


class Launch(_Part):
    """Cycles of the block dispatcher."""

    first_instruction: int  # from the launch of a block to its first issue
    warp_interval: int  # between two warps of one block
    block_interval: int  # between two blocks
    relaunch: int  # from a block's end to the launch of the next into its slot
    exit: int  # from EXIT's issue to the end of the warp
    barrier_release: int  # from the last arrival at a block barrier to the others' next issue


class FrontEnd(_Part):
    """Fetch, decode and branches."""

    line_bytes: int
    l0_lines: int  # per SMSP
    l0_miss: int  # served by the SM's instruction cache
    l0_prefetch_lines: int  # stream buffer: lines fetched ahead
    l0_fill_interval: int  # between two lines of one stream
    icache_miss: int  # added when the SM's instruction cache does not hold it
    branch_taken: int  # extra cycles between a taken branch and its target
    branch_not_taken: int
    constant_line_bytes: int
    constant_miss: int


class Pipe(_Part):
    """A pipe that an SMSP's dispatch port feeds: cycles per warp instruction, and from issue to a reader on it."""

    interval: int
    latency: int


class Mio(_Part):
    """The memory input/output queues of an SMSP and the path that the four share."""

    queue_depth: int
    lg_queue_depth: int
    queue_latency: int  # from issue to the head of an empty queue
    lsu_interval: int  # the SM's LSU, between two instructions


class Shared(_Part):
    """Shared memory."""

    wavefront_interval: int


class L1(_Part):
    """The data cache: what is left of ``Limits.shared_bytes`` and ``bytes`` goes to it."""

    bytes: int
    line_bytes: int
    sector_bytes: int
    ways: int
    tag_interval: int  # per line that an instruction touches
    miss_latency: int  # added by L2, a hit there
    sector_interval: int  # at the SM's port to L2, per sector
    store_latency: int  # until a store is known to have left


class Dram(_Part):
    """What a miss in L2 adds."""

    latency: int


class Operation(_Part):
    """Timing of a SASS operation that is not just "a pipe, a fixed latency": which unit takes it, and for how long.

    ``latency`` is from issue (queued units: from leaving the queue) to the first issue that may wait on the write barrier,
    ``read_latency`` the same for the read barrier; both ``None`` for units that have no barrier.
    """

    unit: str
    interval: int | None
    latency: int | None
    read_latency: int | None
    source: str


class _Description(_Part):
    schema: int
    name: str
    gpu: Gpu
    limits: Limits
    launch: Launch
    frontend: FrontEnd
    pipes: dict[str, Pipe]
    mio: Mio
    shared: Shared
    l1: L1
    dram: Dram
    operations: dict[str, Operation]
    forwarding: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Provenance:
    """Unit of a value and where it comes from."""

    unit: str
    source: str


@dataclass(frozen=True)
class Machine:
    """A simulated SM and the GPU around it.

    Values are read as attributes (``machine.limits.warps``, ``machine.pipes["fma"].latency``) or by path
    (``machine.value("pipes.fma.latency")``); :meth:`replace` gives a copy with some of them changed.
    """

    description: _Description
    provenance: Mapping[str, Provenance] = field(repr=False)
    changed: Mapping[str, float] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _Description.__struct_fields__:
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
        for path, value in _leaves(msgspec.to_builtins(self.description)):
            if isinstance(value, int | float) and path != "schema":
                yield path, value, self.provenance.get(path, Provenance("", ""))

    def value(self, path: str) -> float:
        """The number at ``path``; raises MachineError when there is none."""
        return _known_paths(self)[_checked(self, path)]

    def replace(self, changes: Mapping[str, float | str]) -> "Machine":
        """A copy in which the values at the given paths are replaced (text is read as a number).

        Raises MachineError for an unknown path or a value that does not fit.
        """
        tree = msgspec.to_builtins(self.description)
        changed = dict(self.changed)
        for path, given in changes.items():
            old = self.value(path)
            new = _number(path, given, integral=isinstance(old, int))
            _set(tree, path, new)
            changed[path] = new
        return Machine(_validated(tree, f"machine {self.description.name!r}"), self.provenance, changed)


def forwarding_readers(machine: Machine) -> tuple[str, ...]:
    """The latency classes of readers that the forwarding table knows, in its order."""
    return tuple(next(iter(machine.forwarding.values()), {}))


def load(machine: "str | Path | Machine") -> Machine:
    """A machine by name ("h100"), by path of a TOML file, or itself.

    Raises MachineError when there is no such machine or its file is damaged.
    """
    if isinstance(machine, Machine):
        return machine
    path = MACHINES / f"{machine}.toml" if str(machine) in SHIPPED else Path(machine)
    if not path.is_file():
        near = difflib.get_close_matches(str(machine), SHIPPED, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise MachineError(f"no machine {str(machine)!r}: not one of {', '.join(SHIPPED)}, and no such file{hint}")
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MachineError(f"{path}: not a TOML file: {error}") from None
    provenance: dict[str, Provenance] = {}
    tree = _strip(document, "", provenance, path)
    if tree.get("schema") != SCHEMA:
        raise MachineError(f"{path}: schema is {tree.get('schema')!r}; this version of smsim reads schema {SCHEMA}")
    for table, read in (("operations", _read_operations), ("forwarding", _read_forwarding)):
        name = tree.get(table)
        if not isinstance(name, str):
            raise MachineError(f"{path}: key {table!r} must name a CSV file beside it")
        tree[table] = read(path.parent / name, provenance)
    return Machine(_validated(tree, str(path)), provenance)


def _strip(node: Any, path: str, provenance: dict[str, Provenance], file: Path) -> Any:
    """The tree with each ``{value, unit, source}`` replaced by its value."""
    if not isinstance(node, dict):
        return node
    if "value" in node:
        unknown = set(node) - {"value", "unit", "source"}
        if unknown or not str(node.get("source", "")).strip():
            problem = f"unknown key {sorted(unknown)[0]!r}" if unknown else "no source"
            raise MachineError(f"{file}: {path}: {problem}; a value is written {{ value, unit, source }}")
        provenance[path] = Provenance(str(node.get("unit", "")), str(node["source"]))
        return node["value"]
    return {key: _strip(child, f"{path}.{key}" if path else key, provenance, file) for key, child in node.items()}


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            yield from enumerate(csv.DictReader(file), start=2)
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}") from None


def _read_operations(path: Path, provenance: dict[str, Provenance]) -> dict[str, dict[str, Any]]:
    operations: dict[str, dict[str, Any]] = {}
    for line, row in _rows(path):
        try:
            name = row.pop("operation")
            numbers = {key: int(row.pop(key)) if row[key] else None for key in ("interval", "latency", "read_latency")}
        except (KeyError, ValueError, TypeError) as error:
            raise MachineError(f"{path}, line {line}: {error}") from None
        if name in operations:
            raise MachineError(f"{path}, line {line}: {name} stands there twice")
        operations[name] = {**row, **numbers}
        for key, value in numbers.items():
            if value is not None:
                provenance[f"operations.{name}.{key}"] = Provenance("cycles", row.get("source", ""))
    return operations


def _read_forwarding(path: Path, provenance: dict[str, Provenance]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for line, row in _rows(path):
        try:
            writer, source = row.pop("writer"), row.pop("source")
            table[writer] = {reader: int(value) for reader, value in row.items()}
        except (KeyError, ValueError, TypeError) as error:
            raise MachineError(f"{path}, line {line}: {error}") from None
        provenance.update({f"forwarding.{writer}.{reader}": Provenance("cycles", source) for reader in table[writer]})
    return table


def _validated(tree: dict[str, Any], where: str) -> _Description:
    try:
        description = msgspec.convert(tree, _Description)
    except msgspec.ValidationError as error:
        raise MachineError(f"{where}: {error}") from None
    for path, value in _leaves(msgspec.to_builtins(description)):
        lowest = -LARGEST if path.startswith("forwarding.") else 0
        if isinstance(value, int | float) and not lowest <= value <= LARGEST:
            raise MachineError(f"{where}: {path} is {value}; it must lie in {lowest} to {LARGEST}")
    for path in _AT_LEAST_ONE:
        node: Any = description
        for key in path.split("."):
            node = getattr(node, key)
        if node < 1:
            raise MachineError(f"{where}: {path} is {node}; it must be at least 1")
    for name, operation in description.operations.items():
        if operation.unit not in UNITS:
            raise MachineError(f"{where}: operations.{name}.unit is {operation.unit!r}; the units are {', '.join(UNITS)}")
    missing = {"fma", "fmaheavy", "fmalite", "xu"} - set(description.pipes)
    if missing:
        raise MachineError(f"{where}: pipes.{min(missing)} is missing")
    for name, pipe in description.pipes.items():
        if pipe.interval < 1 or pipe.latency < 1:
            raise MachineError(f"{where}: pipes.{name}: interval and latency must be at least 1")
    return description


_AT_LEAST_ONE = (
    "gpu.num_sms",
    "gpu.clock_mhz",
    "limits.warps",
    "limits.blocks",
    "limits.register_unit",
    "limits.shared_unit",
    "frontend.line_bytes",
    "frontend.l0_lines",
    "frontend.constant_line_bytes",
    "mio.queue_depth",
    "mio.lg_queue_depth",
    "l1.line_bytes",
    "l1.sector_bytes",
    "l1.ways",
)


def _leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, child in node.items():
            yield from _leaves(child, f"{path}.{key}" if path else key)
    else:
        yield path, node


def _known_paths(machine: Machine) -> dict[str, float]:
    return {path: value for path, value, _ in machine.values()}


def _checked(machine: Machine, path: str) -> str:
    known = _known_paths(machine)
    if path not in known:
        near = difflib.get_close_matches(path, known, n=3, cutoff=0.5)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise MachineError(f"machine {machine.description.name!r} has no value {path!r}{hint} (all: smsim machine)")
    return path


def _number(path: str, given: float | str, *, integral: bool) -> float:
    try:
        number = float(given)
    except ValueError:
        raise MachineError(f"{path}={given}: not a number") from None
    if integral:
        if number != int(number):
            raise MachineError(f"{path}={given}: it must be a whole number")
        return int(number)
    return number


def _set(tree: dict[str, Any], path: str, value: float) -> None:
    """Set a leaf; a key may itself contain dots (an operation's name does)."""
    for key in sorted(tree, key=len, reverse=True):
        if path == key:
            tree[key] = value
            return
        if path.startswith(f"{key}.") and isinstance(tree[key], dict):
            _set(tree[key], path[len(key) + 1 :], value)
            return
    raise MachineError(f"no value {path!r}")
