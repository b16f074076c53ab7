"""The machine description: what a simulated SM is made of, frozen, validated, and overridable by path.

A description is a TOML file whose every value stands beside its unit, the microbenchmark that it comes from, and that
one's spread and date,
``latency = { value = 4, unit = "cycles", spread = 0, date = 2026-11-21, source = "latency: latency/FFMA/FFMA.a" }``,
plus two CSV files that it names: ``operations`` (what each SASS operation does to the pipeline) and ``forwarding``
(cycles beyond the writer's latency until a reader of some latency class sees the result).
"""

import csv
import difflib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from isa.errors import MachineError

SCHEMA = 1
VALUE_KEYS = ("value", "unit", "spread", "date", "source")
LARGEST = 10**9
# What becomes of an instruction once it has issued.
UNITS = (
    "none",  # nothing further
    "fixed",  # a pipe with a fixed latency
    "xu",  # queued: special functions, conversions
    "mio",  # queued: shared memory, shuffles, special registers
    "lg",  # queued: local and global memory, through L1TEX
    "adu",  # queued: constants by LDC, uniform special registers, votes across the warp
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


class Measured(_Part, frozen=True):
    """The GPU whose microbenchmarks the values come from; empty for a machine that nobody measured."""

    gpu: str = ""
    driver: str = ""


class Gpu(_Part, frozen=True):
    """The chip around the SM."""

    num_sms: int
    clock_mhz: float


class Limits(_Part, frozen=True):
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


class Launch(_Part, frozen=True):
    """Cycles of the block dispatcher."""

    first_block: int  # from the SM's first active cycle to its first resident warp
    first_instruction: int  # from a warp's launch to its first issue, code and constants there
    warp_interval: int  # between two warps of one block
    block_interval: int  # from a block's last warp to the next block's first
    relaunch: int  # from a block's end to the launch of the next into its slot
    exit_resolving: int  # for which an EXIT is resolved like a branch
    exit: int  # from there to the end of a warp that has nothing to drain
    cold_code: int  # from the first warp's launch until its code is in the SM's cache, where no cache holds it
    dispatch_interval: float  # between two blocks that follow others, wherever they go on the GPU
    overhead_us: float  # of a launch's duration, what no SM is active for


class FrontEnd(_Part, frozen=True):
    """Fetch, decode, branches and constants."""

    line_bytes: int
    buffer_lines: int  # per SMSP, in front of the L0
    buffer_miss: int  # served by the L0
    l0_lines: int  # per SMSP
    l0_miss: int  # served by the SM's instruction cache
    l0_prefetch_lines: int  # stream buffer: lines fetched ahead
    l0_fill_interval: int  # between two lines of one stream
    icache_miss: int  # added when the SM's instruction cache does not hold the line
    icache_prefetch_lines: int  # lines that come along with a miss
    launch_prefetch_lines: int  # lines from the code's start on that a launch brings to the SM's instruction cache
    branch_taken: int  # from a branch's issue to its target's
    landing_busy: int  # cycles behind a warp's landing in which another warp's comes later
    landing_wait: int  # by so much
    branch_line_end: int  # added when the target is the last instruction of its line
    branch_started: int  # cycles until a branch begins to be resolved
    branch_resolved: int  # cycles until the target of a taken branch is known
    branch_diverged: int  # the same of a branch that some lanes take, where the others go first
    exit_diverged: int  # the same of an EXIT by which some lanes leave
    branch_switched: int  # cycles until the other lanes go on when these have to wait for them
    branch_searched: int  # the same where those are not the ones that the last branch left
    constant_line_bytes: int
    constant_miss: int  # added when an operand's or a ULDC's line is touched for the first time in a launch
    ldc_miss: int  # the same for LDC, which has a cache of its own


# The pipes that rules know by name.
NAMED_PIPES = ("fma", "fmaheavy", "fmalite", "fma_both", "fma_wide", "fp64", "uniform", "xu")


class RegisterFile(_Part, frozen=True):
    """Operand reads: two banks, even and odd registers, with one port each."""

    read_window: int  # cycles in which an instruction reads all its operands
    fp64_slot: int  # after one for the FP64 unit, the cycle in which no other vector instruction is dispatched


class Pipe(_Part, frozen=True):
    """A pipe of an SMSP: cycles per warp instruction, and cycles from issue to a reader of its own class."""

    interval: int
    latency: int


class Mio(_Part, frozen=True):
    """The queues of an SMSP before the units that its dispatch port does not feed, and the units all four share."""

    xu_queue_depth: int  # the instruction being executed included
    mio_queue_depth: int
    adu_queue_depth: int
    xu_queue_latency: int  # from issue to the unit, queue and unit empty
    queue_latency: int  # the same for the others; those that send no data are a cycle faster
    conflict_interval: int  # per wavefront, of an SMSP's half of the data stage; per further one, of the latency
    match_latency: int  # of MATCH.ANY for each further value
    data_queue_loads: int  # instructions of the whole SM that wait for the data stage
    data_queue_stores: int  # those of them that bring data


class Barrier(_Part, frozen=True):
    """Block barriers."""

    arrival_interval: int  # between two arrivals that the SM processes
    release: int  # from the last arrival to the next issue of all


class L1(_Part, frozen=True):
    """The data cache: what is left of ``bytes`` when the blocks have their shared memory."""

    bytes: int
    line_bytes: int
    sector_bytes: int
    ways: int
    miss_latency: int  # added by L2, a hit there
    miss_spread: int  # from the fastest to the slowest part of L2
    far_atomic: int  # added where the line's home is the far half of L2
    sector_interval: float  # per sector that comes from L2
    store_packet_interval: float  # per packet to L2: one a sector, and one for each line with a sector written in part
    store_queue_wavefronts: int  # places of the queue in front of it: an instruction, or 128 bytes of a store
    store_queue_lines: int  # lines that gather stores, or requests to L2 that may wait for the port
    overtaken: int  # loads in that queue past which an instruction without tags goes
    overtaken_lines: int  # the same of stores, by their lines
    store_sent: int  # after a line left in which another store to a sector of it leaves its own bytes alone valid in L1
    store_latency: int  # without a store before such a line leaves, until a store no longer holds its warp
    same_address: float  # per lane of an atomic that gets its answer from one bank
    atomic_sectors: int  # of atomics that may have left and wait for L2


class L2(_Part, frozen=True):
    """The cache that all SMs share: two partitions, each near half of the SMs."""

    bytes: int  # that one launch leaves for the next
    read_interval: float  # cycles per sector that all SMs together load
    request_interval: float  # cycles per line of which all SMs together load something, at least
    write_interval: float  # cycles per packet of all SMs' stores
    service: float  # cycles for which a slice is busy with a request, as others that wait there see it
    far_latency: int  # added when only the far partition holds a sector
    fill_sectors: int  # that DRAM brings together
    dirty_bytes: int  # stored, and not yet written back
    atomic_interval: float  # cycles per sector that a slice of L2 works on for a reduction
    returned_atomic_interval: float  # the same for an atomic that returns a value
    float_atomic_interval: float  # per lane of a float addition at one word


class Dram(_Part, frozen=True):
    """What a miss in L2 adds."""

    latency: int  # added to what the line's home in L2 takes
    refresh: int  # cycles for which a channel does nothing else
    refresh_interval: int  # between two of them
    read_interval: float  # cycles per sector, for all SMs together
    service: float  # cycles for which a bank is busy with a request, as others that wait there see it
    write_interval: float
    turnaround: float  # cycles from reading to writing and back


class Operation(_Part, frozen=True):
    """Timing of a SASS operation that is not just "its pipe, a fixed latency": which unit takes it, and for how long.

    Attributes:
        unit: one of UNITS.
        pipe: the pipe it uses, where that is not the one that the opcode table names.
        interval: cycles of the pipe, or of the SMSP's way to a queued unit, per instruction.
        sm_interval: cycles of a unit that the SM's SMSPs share.
        latency: from issue to the first issue that may wait on the write barrier, with nothing in the way; of a branch,
            the least distance to the warp's next instruction, wherever that is.
        read_latency: the same for the read barrier.
        second_pass: cycles for which the instruction keeps the dispatcher beyond its own.
        unforwarded: source operands, from A on, that take their value from the register file alone.
        source: where the row comes from.
    """

    unit: str
    pipe: str = ""
    interval: int | None = None
    sm_interval: int | None = None
    latency: int | None = None
    read_latency: int | None = None
    second_pass: int | None = None
    unforwarded: int | None = None
    source: str = ""


class _Description(_Part, frozen=True, kw_only=True):
    schema: int
    name: str
    measured: Measured = Measured()
    gpu: Gpu
    limits: Limits
    launch: Launch
    frontend: FrontEnd
    register_file: RegisterFile
    pipes: dict[str, Pipe]
    mio: Mio
    barrier: Barrier
    l1: L1
    l2: L2
    dram: Dram
    operations: dict[str, Operation]
    forwarding: dict[str, dict[str, int]]


@dataclass(frozen=True)
class Provenance:
    """Where a value comes from.

    Attributes:
        unit: what it counts.
        source: the microbenchmark: family, programs, launch.
        spread: the greatest less the least figure of the recording, in the value's unit; of a row of a table, the
            largest of its values. None of a value that was set by hand.
        date: of the recording, YYYY-MM-DD; None of a value that was set by hand.
    """

    unit: str
    source: str
    spread: float | None = None
    date: str | None = None


@dataclass(frozen=True)
class Machine:
    """A simulated SM and the GPU around it.

    Values are read as attributes (``machine.limits.warps``, ``machine.pipes["fma"].latency``) or by path
    (``machine.value("pipes.fma.latency")``); :meth:`replace` gives a copy with some of them changed.
    """

    description: _Description = field(repr=False)
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
        leaves = _leaves(msgspec.to_builtins(self.description))
        return {path: value for path, value in leaves if isinstance(value, int | float) and path != "schema"}

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
    """The latency classes of readers that the forwarding table knows. A pair that it leaves blank has no detour."""
    return tuple(dict.fromkeys(reader for row in machine.forwarding.values() for reader in row))


def load(machine: "str | Path | Machine") -> Machine:
    """A machine by name ("h100"), by path of a TOML file, or itself.

    Raises MachineError when there is no such machine or its file is damaged.
    """
    if isinstance(machine, Machine):
        return machine
    path = path_of(machine)
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MachineError(f"{path}: not a TOML file: {error}") from None
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}") from None
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


def _strip(node: Any, path: str, provenance: dict[str, Provenance], file: Path) -> Any:
    """The tree with each ``{value, unit, spread, date, source}`` replaced by its value."""
    if not isinstance(node, dict):
        return node
    if "value" in node:
        unknown = sorted(set(node) - set(VALUE_KEYS))
        missing = [key for key in VALUE_KEYS if not str(node.get(key, "")).strip()]
        if unknown or missing:
            problem = f"unknown key {unknown[0]!r}" if unknown else f"no {missing[0]}"
            raise MachineError(f"{file}: {path}: {problem}; a value is written {{ {', '.join(VALUE_KEYS)} }}")
        for key in ("value", "spread"):
            if not isinstance(node[key], int | float):
                raise MachineError(f"{file}: {path}: {node[key]!r} is not a number")
        if not isinstance(node["date"], date):
            raise MachineError(f"{file}: {path}: {node['date']!r} is not a date, written 2026-11-21 without quotes")
        provenance[path] = Provenance(str(node["unit"]), str(node["source"]), node["spread"], str(node["date"]))
        return node["value"]
    return {key: _strip(child, f"{path}.{key}" if path else key, provenance, file) for key, child in node.items()}


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            for line, row in enumerate(csv.DictReader(file), start=2):
                if None in row or None in row.values():
                    raise MachineError(f"{path}, line {line}: not as many columns as the first line has")
                yield line, row
    except OSError as error:
        raise MachineError(f"{path}: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise MachineError(f"{path}: not a CSV file: {error}") from None


def _row_provenance(row: dict[str, str], name: str, *, has_numbers: bool) -> Provenance:
    """Take a table's row's columns ``source``, ``spread`` and ``date`` out of it; numbers need the latter two.

    Raises ValueError when one is missing or damaged.
    """
    spread, day, source = row.pop("spread"), row.pop("date"), row.pop("source")
    needed = {"source": source, **({"spread": spread, "date": day} if has_numbers else {})}
    for key, text in needed.items():
        if not text.strip():
            raise ValueError(f"{name} has no {key}")
    if day:
        date.fromisoformat(day)
    return Provenance("cycles", source, float(spread) if spread else None, day or None)


_NUMBERS = ("interval", "sm_interval", "latency", "read_latency", "second_pass", "unforwarded")


def _read_operations(path: Path, provenance: dict[str, Provenance]) -> dict[str, dict[str, Any]]:
    operations: dict[str, dict[str, Any]] = {}
    for line, row in _rows(path):
        try:
            name = row.pop("operation")
            numbers = {key: int(row.pop(key)) if row[key] else None for key in _NUMBERS}
            has_numbers = any(value is not None for value in numbers.values())
            origin = _row_provenance(row, name, has_numbers=has_numbers)
        except KeyError as error:
            raise MachineError(f"{path}: the table has no column {error}") from None
        except (ValueError, TypeError) as error:
            raise MachineError(f"{path}, line {line}: {error}") from None
        if name in operations:
            raise MachineError(f"{path}, line {line}: {name} stands there twice")
        operations[name] = {**row, **numbers, "source": origin.source}
        for key, value in numbers.items():
            if value is not None:
                provenance[f"operations.{name}.{key}"] = origin
    return operations


def _read_forwarding(path: Path, provenance: dict[str, Provenance]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for line, row in _rows(path):
        try:
            writer = row.pop("writer")
            origin = _row_provenance(row, writer, has_numbers=True)
            numbers = {reader: int(value) for reader, value in row.items() if value}
        except KeyError as error:
            raise MachineError(f"{path}: the table has no column {error}") from None
        except (ValueError, TypeError) as error:
            raise MachineError(f"{path}, line {line}: {error}") from None
        if writer in table:
            raise MachineError(f"{path}, line {line}: {writer} stands there twice")
        table[writer] = numbers
        provenance.update({f"forwarding.{writer}.{reader}": origin for reader in numbers})
    if not table:
        raise MachineError(f"{path}: the table has no rows")
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
    for path, most in _SIZES.items():
        node: Any = description
        for key in path.split("."):
            node = getattr(node, key)
        if not 1 <= node <= most:
            raise MachineError(f"{where}: {path} is {node}; it must lie in 1 to {most}")
    sectors, rest = divmod(description.l1.line_bytes, description.l1.sector_bytes)
    if rest or not 1 <= sectors <= MOST_SECTORS:
        raise MachineError(
            f"{where}: l1.line_bytes is {description.l1.line_bytes}; it must be 1 to {MOST_SECTORS} times "
            f"l1.sector_bytes, {description.l1.sector_bytes}"
        )
    for name, operation in description.operations.items():
        if operation.unit not in UNITS:
            raise MachineError(
                f"{where}: operations.{name}.unit is {operation.unit!r}; the units are {', '.join(UNITS)}"
            )
        if operation.pipe and operation.pipe not in description.pipes:
            known = ", ".join(description.pipes)
            raise MachineError(f"{where}: operations.{name}.pipe is {operation.pipe!r}; the pipes are {known}")
    missing = set(NAMED_PIPES) - set(description.pipes)
    if missing:
        raise MachineError(f"{where}: pipes.{min(missing)} is missing")
    for name, pipe in description.pipes.items():
        if pipe.interval < 1 or pipe.latency < 1:
            raise MachineError(f"{where}: pipes.{name}: interval and latency must be at least 1")
    return description


# Sizes of what is simulated, and the largest that make sense: an SMSP's warps are the bits of one word.
MOST_WAITING = 64  # places of the queue in front of L1, and lines behind it
MOST_ATOMIC_SECTORS = 1024  # of atomics on their way to L2
_SIZES = {
    "register_file.read_window": 1024,
    "gpu.num_sms": LARGEST,
    "gpu.clock_mhz": LARGEST,
    "limits.warps": 240,
    "limits.blocks": 1024,
    "limits.register_unit": LARGEST,
    "limits.shared_unit": LARGEST,
    "frontend.line_bytes": LARGEST,
    "frontend.buffer_lines": 1 << 20,
    "frontend.l0_lines": 1 << 20,
    "frontend.constant_line_bytes": LARGEST,
    "mio.xu_queue_depth": 1024,
    "mio.mio_queue_depth": 1024,
    "mio.data_queue_loads": 32,
    "mio.data_queue_stores": 32,
    "mio.adu_queue_depth": 1024,
    "l1.line_bytes": LARGEST,
    "l1.sector_bytes": 62,  # a number's bits stand for them
    "l1.ways": 1024,
    "l1.store_queue_wavefronts": MOST_WAITING,
    "l1.store_queue_lines": MOST_WAITING,
    "l1.atomic_sectors": MOST_ATOMIC_SECTORS,
    "l1.overtaken": MOST_WAITING,
}
MOST_SECTORS = 32  # of a line of L1


def _leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        for key, child in node.items():
            yield from _leaves(child, f"{path}.{key}" if path else key)
    else:
        yield path, node


def _number(path: str, given: float | str, *, integral: bool) -> float:
    try:
        number = float(given)
    except ValueError:
        raise MachineError(f"{path}={given}: not a number") from None
    if integral:
        if not number.is_integer():
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
