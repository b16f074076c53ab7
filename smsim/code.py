"""A program as the timing rules see it: one record per instruction, plus the registers it reads and writes.

This is where an instruction meets the machine's operation table. An instruction that the table does not know stops
here with its name and address.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isa.control_flow import branch_target
from isa.errors import UnsupportedInstructionError
from isa.instruction import INSTRUCTION_BYTES, Instruction
from isa.operand import RZ, URZ, Constant, Immediate, Register, RegisterFile, SpecialRegister
from isa.program import Program
from isa.trace.recorded import ATOMICS, CONSTANT_LOADS, names_lanes, records_access
from smsim.accesses import CONSTANT_BANK_BYTES
from smsim.description.sections import UNITS, Operation
from smsim.fields import Fields
from smsim.machine import Machine, forwarding_readers
from smsim.operand_path import XU_READS, set_operand_path, xu_reads
from smsim.operand_reads import SLOTS, source_registers
from smsim.params import forwarding_table
from smsim.port_reads import PortReads
from smsim.shared_service import set_shared_service
from smsim.state.sizes import (
    ADU_QUEUE,
    EVICT_FIRST,
    EVICT_LAST,
    EVICT_UNCHANGED,
    FENCE_BARRIER,
    FIRST_PIPE,
    LG_GATE,
    MIO_QUEUE,
    NORMAL,
    NOT_KEPT,
    NUM_BANKS,
    NUM_BARRIERS,
    NUM_GATES,
    PREDICATES,
    UNIFORM_PREDICATES,
    XU_QUEUE,
)

NONE, FIXED, XU, MIO, LG, ADU, BRANCH, BARRIER, MEMBAR, SLEEP, EXIT = range(len(UNITS))
# In ``leads_to``: an EXIT that is always taken comes first, and the front end's way is over.
ENDS_HERE = -2
_QUEUES = {
    "xu": XU_QUEUE,
    "mio": MIO_QUEUE,
    "lg": MIO_QUEUE,
    "adu": ADU_QUEUE,
    "membar": MIO_QUEUE,
    "barrier": ADU_QUEUE,
}

# Half words: a loop's records stay in the cache.
INSTRUCTION = np.dtype(
    [
        ("stall", np.int32),  # 1 at least, 2 where it yields
        ("interval", np.int32),
        ("latency", np.int32),
        ("reach", np.int32),  # latency to the reader that a fixed-latency result reaches last
        ("unit", np.int32),
        ("pipe", np.int32),
        ("gate", np.int32),  # where it goes in: its queue, its pipe, the dispatcher
        ("queue", np.int32),  # for queued units; -1 for the others
        ("queue_latency", np.int32),  # from issue to leaving it, queue and unit empty
        ("entry_kind", np.int32),  # INDEXED or PLAIN
        ("sends_nothing", np.bool_),  # on that way but an address
        ("sends_lanes", np.bool_),  # its lanes' data to the LSU, through a port that the ADU's take, too
        ("path", np.int32),  # cycles on the way from there to the unit that reading registers takes
        ("wait_mask", np.int32),
        ("write_barrier", np.int32),
        ("read_barrier", np.int32),
        ("second_pass", np.int32),  # cycles for which it keeps the dispatcher beyond its own
        ("writer_class", np.int32),  # row of the forwarding table; -1 for what is not fixed
        ("reader_class", np.int32),  # its column
        ("reads_from", np.int32),  # into ``registers``
        ("writes_from", np.int32),
        ("registers_end", np.int32),
        ("unforwarded_end", np.int32),  # behind the writes: what it reads from the register file alone
        # Reads in each bank of the register file; the second time when the reuse cache holds what the code left in it.
        ("latches", np.int16, (2, NUM_BANKS, SLOTS)),  # those of operands that it fills, bit mask, 0 for no read
        ("read_results", np.int16, (2, NUM_BANKS, SLOTS)),  # the places of their registers in a warp's results
        ("reads", np.int32, (2, NUM_BANKS)),  # how many there are
        ("spared", np.int16, NUM_BANKS),  # those that the reuse cache need not fill, bit mask
        ("kept", np.int16, NUM_BANKS),  # those that it keeps for what comes behind, bit mask
        ("keeps", np.bool_),  # any
        ("late_register", np.int16),  # one that only the second pass reads; -1 for none
        ("latched", np.int16, NUM_BANKS),  # all latches that hold one of its operands, bit mask
        ("written_after", np.int16, NUM_BANKS),  # cycles until a result is written to the bank, -1 for none
        ("result_words", np.int16),  # registers that come through the MIO or L1TEX
        ("result_bank", np.int16),  # the bank of the first
        ("xu_reads", np.int16, XU_READS),  # the banks of the registers that the XU reads in turn, -1 for none
        ("line", np.int32),  # instruction cache line
        ("constant_line", np.int32),  # of the immediate constant cache; -1 for none
        ("yields", np.bool_),
        ("acts", np.bool_),  # does more than to occupy a pipe and to write registers
        ("records_access", np.bool_),
        ("is_lg", np.bool_),  # an access to global or local memory, whether or not a lane takes part
        ("is_store", np.bool_),
        ("is_atomic", np.bool_),
        ("is_copy", np.bool_),  # asynchronous
        ("ends_group", np.bool_),  # of copies
        ("awaits_groups", np.bool_),
        ("is_fence", np.bool_),
        ("flushes", np.bool_),  # a fence within the GPU
        ("fences_block", np.bool_),  # a fence within the block
        ("passes_l1", np.bool_),  # a load that asks L2 for what L1 has, too
        ("l1_hint", np.int32),  # which of its set's lines L1 gives up before and behind what it touches
        ("takes_stage", np.bool_),  # it has the data stage alone, for the cycles of its `sm_interval`
        ("sends_data", np.bool_),  # to shared memory
        ("shared_service", np.int32),  # how shared memory serves it
        ("shared_passes", np.int32),  # of shared memory for each wavefront
        ("words", np.int32),  # 32-bit words of a lane
        ("empties_l1", np.bool_),
        ("is_float", np.bool_),  # of atomics
        ("is_barrier_arrive", np.bool_),
        ("counts_votes", np.bool_),
        ("meets_barriers", np.bool_),  # BAR and B2R, which the unit of the block barriers serves in turn
        ("passes_row", np.bool_),  # goes past the row in front of the ADU: BAR without votes
        ("held_by_barrier", np.bool_),  # does not issue while the warp's block barrier is not complete
        ("is_ldc", np.bool_),
        ("is_indexed", np.bool_),  # which constants it takes is in the trace
        ("is_awaited", np.bool_),  # the interlock remembers its results: :mod:`smsim.interlock`
        ("awaits_results", np.bool_),
        ("awaits_operands", np.bool_),  # results, barriers or constants
        ("fills_barriers", np.bool_),  # may find as many producers on a barrier that it raises as that counts
        ("awaits_file", np.bool_),
        ("is_match", np.bool_),  # takes longer the more values its lanes hold
        ("names_lanes", np.bool_),  # a WARPSYNC that takes longer the more masks its lanes hold
        ("joins", np.bool_),  # waits for other lanes, which may go on instead
        ("leaves", np.bool_),  # takes lanes out of those that meet, which all go on
        ("jumps", np.bool_),  # a branch that is taken even where its target is the next instruction
        ("leads_to", np.int32),  # target of the first branch from here on in its line that is always taken; -1: none,
        # ENDS_HERE: an EXIT comes first
        ("leads_at", np.int32),  # that branch's place in its line
        ("unexecuted", np.int32),  # the record that stands for it where no lane executes it; -1: it does nothing
        ("read_latency", np.int32),
        ("sm_interval", np.int32),
        ("immediate", np.int64),  # DEPBAR's count, NANOSLEEP's nanoseconds
    ],
    align=True,
)

_SLOT_BASE = {
    RegisterFile.GENERAL: 0,
    RegisterFile.UNIFORM: 256,
    RegisterFile.PREDICATE: PREDICATES,
    RegisterFile.UNIFORM_PREDICATE: UNIFORM_PREDICATES,
    RegisterFile.CONVERGENCE: 336,
}
# Uniform moves and votes wait at a block barrier as all that is not a fixed-latency instruction does.
_HELD = frozenset(["umov", "uldc", "voteu"])
_FENCES = frozenset(["MEMBAR", "CGAERRBAR"])
_TRAP = "BPT"  # a launch that executes it has no trace
_STORES = frozenset(["STG", "ST", "STL", "RED", "REDG"])
_FLOATS = frozenset(["F16x2", "F32", "F64", "BF16_V2"])
_JOINS = frozenset(["BSYNC", "WARPSYNC", "YIELD"])
_GENERIC_LOADS = frozenset(["LD", "LDG"])
_BEYOND_SM = frozenset(["GPU", "SYS"])  # scopes of what has to be the same in all SMs
_HINTS = {"EF": EVICT_FIRST, "EL": EVICT_LAST, "EU": EVICT_UNCHANGED, "LU": NOT_KEPT, "NA": NOT_KEPT}
_PAST_L1 = frozenset(["BYPASS"])  # what asynchronous copies say


class Code(NamedTuple):
    """The program's records (dtype INSTRUCTION) and their registers, as slot numbers: reads, writes, unforwarded.

    ``places``: of each of those its place in a warp's results, which has one for each register in use.
    """

    instructions: np.ndarray
    registers: NDArray[np.int64]
    places: NDArray[np.int64]


# An instruction's fields as numbers of Python, which are set far sooner than those of a record.
_NOTHING: Fields = {name: np.zeros((), INSTRUCTION)[name].tolist() for name in INSTRUCTION.names or ()}
_REMEMBERED = 1 << 16  # instructions whose records need not be made again: programs repeat most of theirs
_FIXED = Operation(unit="fixed", source="its pipe and latency class")


@dataclass(frozen=True)
class _Operations:
    """The operation table, indexed by opcode."""

    by_opcode: dict[str, list[tuple[tuple[str, ...], Operation]]]
    fixed: frozenset[str]  # latency classes whose results come after a fixed time

    @classmethod
    def of(cls, machine: Machine) -> "_Operations":
        by_opcode: dict[str, list[tuple[tuple[str, ...], Operation]]] = {}
        for name, operation in machine.operations.items():
            opcode, modifiers = _split(name)
            by_opcode.setdefault(opcode, []).append((modifiers, operation))
        for rows in by_opcode.values():
            rows.sort(key=lambda row: -len(row[0]))
        return cls(by_opcode, frozenset(machine.forwarding))

    def find(self, instruction: Instruction) -> Operation | None:
        """The row whose modifiers are all present, and names most of them; else a pipe's fixed latency.

        Their order counts: F2F.F32.F64 takes longer than F2F.F64.F32. A special register is one: S2R.TID. A CALL whose
        target is in registers takes as long as another jump to there: kernels that call through pointers.
        """
        opcode = "BRX" if instruction.opcode == "CALL" and instruction.reads else instruction.opcode
        special = [one.name.partition(".")[0] for one in instruction.operands if isinstance(one, SpecialRegister)]
        for modifiers, operation in self.by_opcode.get(opcode, ()):
            present = iter([*instruction.modifiers, *special])
            if all(modifier in present for modifier in modifiers):
                return operation
        return _FIXED if instruction.latency_class in self.fixed else None


def _split(name: str) -> tuple[str, tuple[str, ...]]:
    """An operation's name as opcode and modifiers: "MUFU.RCP"; "HFMA2.MMA" is an opcode of its own."""
    if name == "HFMA2.MMA" or name.startswith("HFMA2.MMA."):
        opcode, rest = "HFMA2.MMA", name[len("HFMA2.MMA") :].strip(".")
    else:
        opcode, _, rest = name.partition(".")
    return opcode, tuple(rest.split(".")) if rest else ()


class _Describer:
    """The records of instructions on a machine, each without its place in a program: each once."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._operations = _Operations.of(machine)
        self._pipes = {name: index for index, name in enumerate(machine.pipes)}
        self._writers = {name: index for index, name in enumerate(machine.forwarding)}
        self._readers = {name: index for index, name in enumerate(forwarding_readers(machine))}
        forwarding = forwarding_table(machine)
        self._detours = forwarding.max(axis=1, initial=0)
        self._to_file = forwarding[:, self._readers["register_file"]]
        self._described: dict[tuple[str, int], _Described | None] = {}

    def describe(self, instruction: Instruction) -> "_Described | None":
        """An instruction's record as far as its text and encoding say, None without timing."""
        key = instruction.text, instruction.encoding
        if key not in self._described:
            if len(self._described) >= _REMEMBERED:
                self._described.clear()
            self._described[key] = self._describe(instruction)
        return self._described[key]

    def _describe(self, instruction: Instruction) -> "_Described | None":
        machine = self._machine
        operation = self._operations.find(instruction)
        if operation is None and instruction.opcode == _TRAP:
            operation = machine.operations["NOP"]
        pipe_name = (operation.pipe if operation else "") or instruction.pipe
        if operation is None or pipe_name not in self._pipes:
            return None
        pipe = machine.pipes[pipe_name]
        record = {**_NOTHING, "late_register": -1}
        _set_control(record, instruction, operation)
        _set_kind(record, instruction)
        set_shared_service(record, instruction)
        record["unit"] = UNITS.index(operation.unit)
        record["pipe"] = self._pipes[pipe_name]
        record["queue"] = _QUEUES.get(operation.unit, -1)
        record["is_lg"] = record["unit"] == LG
        record["sm_interval"] = _sm_interval(operation, machine)
        record["second_pass"] = operation.second_pass or 0
        writer = record["writer_class"] = self._writers.get(instruction.latency_class, -1)
        record["reader_class"] = self._readers.get(instruction.latency_class, -1)
        record["interval"] = pipe.interval if operation.interval is None else operation.interval
        record["gate"] = _gate(record, pipe_name == "uniform" and record["interval"] == 1)
        record["latency"] = _latency(
            operation, machine.barrier.release if operation.unit == "barrier" else pipe.latency
        )
        record["reach"] = record["latency"] + (self._detours[writer] if writer >= 0 else 0)
        record["read_latency"] = operation.read_latency or 0
        if operation.unit in _QUEUES:
            set_operand_path(record, instruction, machine.mio, operation.unit)
        record["held_by_barrier"] = (
            operation.unit != "fixed" or pipe_name == "cbu" or instruction.latency_class in _HELD
        )
        record["constant_line"] = _constant_line(instruction, machine)
        record["immediate"] = _immediate(instruction)
        reads_ports = operation.unit in ("fixed", "xu")
        if reads_ports:
            if operation.unit == "xu":
                record["xu_reads"] = xu_reads(instruction)
            _set_writes(record, instruction, self._to_file[writer] if writer >= 0 else 0)
        else:
            _set_results(record, instruction)
        record["acts"] = (
            operation.unit != "fixed" or min(record["write_barrier"], record["read_barrier"]) < NUM_BARRIERS
        )
        return _Described(record, reads_ports, pipe_name == "fp64", _named_registers(instruction, operation))


class _Described(NamedTuple):
    """An instruction's record, which is never changed, and what its place in a program has a part in.

    ``registers``: slot numbers of those it reads, of those it writes, and of its first operands, not forwarded.
    """

    record: Fields
    reads_ports: bool
    is_fp64: bool
    registers: tuple[list[int], list[int], list[int]]


def build_code(program: Program, machine: Machine) -> Code:
    """The records of a program on a machine.

    Raises UnsupportedInstructionError for an instruction without timing.
    """
    describer = machine.derived(_Describer)
    port_reads = PortReads()
    rows: list[Fields] = []
    registers: list[int] = []
    for instruction in program.instructions:
        described = describer.describe(instruction)
        if described is None:
            raise UnsupportedInstructionError(
                f"{program.name}, SASS address {instruction.address:#x}: {instruction.text}: machine "
                f"{machine.name!r} has no timing for {instruction.opcode} (pipe {instruction.pipe}, latency class "
                f"{instruction.latency_class}); add a row to its operations table"
            )
        record = described.record.copy()
        rows.append(record)
        if described.reads_ports:
            port_reads.set(record, instruction, described.is_fp64)
        _place_registers(record, described.registers, registers)
    _set_lines(rows, program, max(1, machine.frontend.line_bytes // INSTRUCTION_BYTES))
    return _with_places(_hold_behind_fences(_records(rows)), np.array(registers, np.int64))


def _records(rows: list[Fields]) -> np.ndarray:
    """The records of instructions, dtype INSTRUCTION, field by field."""
    records = np.zeros(len(rows), INSTRUCTION)
    for name in _NOTHING:
        records[name] = [row[name] for row in rows]
    return records


def _latency(operation: Operation, others: int) -> int:
    """An operation's own latency, or that of ``others`` on its unit."""
    return others if operation.latency is None else operation.latency


def _sm_interval(operation: Operation, machine: Machine) -> int:
    """Cycles between two such instructions of the whole SM; between two arrivals at block barriers."""
    return machine.barrier.arrival_interval if operation.unit == "barrier" else operation.sm_interval or 0


def _with_places(records: np.ndarray, registers: NDArray[np.int64]) -> Code:
    """A program in whose records the registers that are read stand with their numbers."""
    used, places = np.unique(registers, return_inverse=True)
    records["read_results"] = np.searchsorted(used, records["read_results"])
    return Code(records, registers, places)


def _hold_behind_fences(records: np.ndarray) -> np.ndarray:
    """Where there are fences, accesses to memory wait for them: at a barrier that no control code names."""
    if records["is_fence"].any():
        held = np.isin(records["unit"], (MIO, LG, BARRIER)) | records["is_fence"] | records["empties_l1"]
        records["wait_mask"][held] |= 1 << FENCE_BARRIER
    return records


def _set_lines(rows: list[Fields], program: Program, line_instructions: int) -> None:
    """Each instruction's line, and where the front end goes on from it if a branch there is always taken."""
    target, place = -1, 0
    for instruction in reversed(program.instructions):
        row = rows[instruction.index]
        row["line"] = instruction.index // line_instructions
        if (instruction.index + 1) % line_instructions == 0:
            target = -1
        if row["unit"] == EXIT and instruction.guard is None:
            target = ENDS_HERE  # what stands behind it is not on the way: microbenchmarks ``endings``
        if row["jumps"]:
            named = branch_target(instruction)
            target = -1 if named is None else named
            place = instruction.index % line_instructions
        row["leads_to"] = target
        row["leads_at"] = place


def _set_control(record: Fields, instruction: Instruction, operation: Operation) -> None:
    """The fields of the control code.

    An ERRBAR as compilers write it, without a stall count, waits for the fence, and the warp then for it.
    """
    control = instruction.control
    record["stall"] = max(control.stall, 2 if control.yield_ else 1)
    record["yields"] = control.yield_
    record["write_barrier"] = control.write_barrier
    record["read_barrier"] = control.read_barrier
    record["wait_mask"] = control.wait_mask
    if instruction.opcode == "ERRBAR" and control.stall == 0:
        record["wait_mask"] |= 1 << FENCE_BARRIER
        record["stall"] = operation.latency or record["stall"]


def _set_kind(record: Fields, instruction: Instruction) -> None:
    """What the rules ask of an opcode."""
    record["records_access"] = records_access(instruction)
    record["is_match"] = instruction.opcode == "MATCH" and "ANY" in instruction.modifiers
    record["names_lanes"] = names_lanes(instruction)
    record["is_ldc"] = instruction.opcode == "LDC"
    record["is_indexed"] = instruction.opcode in CONSTANT_LOADS and _reads_index(instruction)
    record["leaves"] = instruction.opcode == "BREAK"
    record["joins"] = instruction.opcode in _JOINS and "COLLECTIVE" not in instruction.modifiers
    record["jumps"] = instruction.opcode == "BRA" and instruction.guard is None and len(instruction.operands) == 1
    record["is_atomic"] = instruction.opcode in ATOMICS
    record["is_copy"] = instruction.opcode == "LDGSTS"
    passes_l1 = _BEYOND_SM if instruction.opcode in _GENERIC_LOADS else _PAST_L1 if record["is_copy"] else ()
    record["passes_l1"] = not set(passes_l1).isdisjoint(instruction.modifiers)
    record["l1_hint"] = next((hint for name, hint in _HINTS.items() if name in instruction.modifiers), NORMAL)
    record["ends_group"] = instruction.opcode == "LDGDEPBAR"
    record["awaits_groups"] = instruction.opcode == "DEPBAR"
    record["is_fence"] = instruction.opcode in _FENCES
    record["flushes"] = instruction.opcode == "MEMBAR" and "GPU" in instruction.modifiers
    record["fences_block"] = instruction.opcode == "MEMBAR" and "CTA" in instruction.modifiers
    record["is_store"] = instruction.opcode in _STORES
    record["is_float"] = not _FLOATS.isdisjoint(instruction.modifiers)
    record["empties_l1"] = instruction.opcode == "CCTL" and "IVALL" in instruction.modifiers
    record["is_barrier_arrive"] = "ARV" in instruction.modifiers
    record["meets_barriers"] = instruction.opcode in ("BAR", "B2R")
    record["counts_votes"] = instruction.opcode == "BAR" and "RED" in instruction.modifiers
    record["passes_row"] = instruction.opcode == "BAR" and not record["counts_votes"]


def _set_writes(record: Fields, instruction: Instruction, to_file: int) -> None:
    """When results come to the register file, since the instruction went ahead or the XU took it.

    ``to_file``: cycles beyond its latency. The first of two passes gives the lower register.
    """
    written_after = [-1] * NUM_BANKS
    after = record["latency"] - record["queue_latency"] if record["unit"] == XU else record["latency"] + to_file
    results = _general_results(instruction)
    for number, register in enumerate(results):
        is_first = number < len(results) - 1
        written_after[register % NUM_BANKS] = after if is_first else after + record["second_pass"]
    record["written_after"] = written_after


def _set_results(record: Fields, instruction: Instruction) -> None:
    """The registers that an instruction of a queue writes."""
    results = _general_results(instruction)
    record["result_words"] = len(results)
    record["result_bank"] = results[0] % NUM_BANKS if results else 0


def _general_results(instruction: Instruction) -> list[int]:
    """The numbers of the general registers that it writes, in their order."""
    return sorted(one.index for one in instruction.writes if one.file is RegisterFile.GENERAL)


def _named_registers(instruction: Instruction, operation: Operation) -> tuple[list[int], list[int], list[int]]:
    """Those that the instruction reads and writes, then those of its first operands that are not forwarded."""
    unforwarded = operation.unforwarded or 0
    first = source_registers(instruction)[:unforwarded] if unforwarded else []
    return _slots(instruction.reads), _slots(instruction.writes), [slot for one in first for slot in sorted(one)]


def _place_registers(record: Fields, named: tuple[list[int], list[int], list[int]], registers: list[int]) -> None:
    """Put an instruction's registers behind those of the ones before it."""
    reads, writes, unforwarded = named
    record["reads_from"] = len(registers)
    record["writes_from"] = record["reads_from"] + len(reads)
    record["registers_end"] = record["writes_from"] + len(writes)
    record["unforwarded_end"] = record["registers_end"] + len(unforwarded)
    registers += [*reads, *writes, *unforwarded]


def _gate(record: Fields, passes_pipe: bool) -> int:
    """Where an instruction goes in.

    One of the uniform datapath that takes a cycle, UMOV, ULDC and VOTEU, does not wait for the unit of the others:
    microbenchmarks ``alongside``, uniform.
    """
    if record["unit"] == LG:
        return LG_GATE
    if record["queue"] >= 0:
        return int(record["queue"])
    waits = record["unit"] in (FIXED, BRANCH) and not passes_pipe
    return FIRST_PIPE + int(record["pipe"]) if waits else NUM_GATES - 1


def _slots(registers: frozenset[Register]) -> list[int]:
    return sorted({_SLOT_BASE[register.file] + register.index for register in registers})


def _immediate(instruction: Instruction) -> int:
    for operand in instruction.operands:
        if isinstance(operand, Immediate) and isinstance(operand.value, int):
            return operand.value
    return 0


def _reads_index(instruction: Instruction) -> bool:
    """Whether a load of constants takes their bank or offset from a register; RZ is none."""
    return any(register.file in (RegisterFile.GENERAL, RegisterFile.UNIFORM) for register in instruction.reads)


def _is_fixed(operand: Constant) -> bool:
    register = operand.register
    return register is None or register.index == (RZ if register.file == RegisterFile.GENERAL else URZ)


def _constant_line(instruction: Instruction, machine: Machine) -> int:
    """The line of the immediate constant cache that a fixed ``c[bank][offset]`` operand lies in, or -1.

    That of ``c[0x0][RZ]``, the number of a block's threads, is fixed, too.
    """
    for operand in instruction.operands:
        if isinstance(operand, Constant) and isinstance(operand.bank, int) and _is_fixed(operand):
            line_bytes: int = machine.frontend.constant_line_bytes
            return (operand.bank * CONSTANT_BANK_BYTES + operand.offset) // line_bytes
    return -1
