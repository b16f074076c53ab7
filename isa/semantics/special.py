"""Special registers: who a thread is, which lanes are below it, what time it is."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from isa.emulator import access
from isa.emulator.batch import Batch
from isa.emulator.lanes import CYCLES_PER_INSTRUCTION, WARP_SIZE, Lanes
from isa.instruction import Instruction
from isa.operand import Register, RegisterFile, SpecialRegister
from isa.semantics.operands import Modifiers, operands_of, write_register, write_register64
from isa.semantics.registry import Constants, Execute, semantics, unsupported

Values = NDArray[np.uint64]

NUM_SMS = 132
_LANES = np.arange(WARP_SIZE, dtype=np.uint64)[None, :]

_CLOCKS = {"CLOCKLO": 0, "CLOCKHI": 32, "GLOBALTIMERLO": 0, "GLOBALTIMERHI": 32, "CLOCK": 0, "GLOBALTIMER": 0}

# 1.98 GHz, the H100's highest SM clock, as nanoseconds per 1000 cycles.
_NS_PER_KILOCYCLE = 505


def _thread(batch: Batch) -> Values:
    warp = np.arange(batch.warps, dtype=np.uint64)[:, None] % batch.warps_per_block
    return warp * WARP_SIZE + _LANES


def _block(batch: Batch) -> Values:
    return np.repeat(batch.blocks, batch.warps_per_block)[:, None].astype(np.uint64)


def _warp(batch: Batch) -> Values:
    return np.arange(batch.warps, dtype=np.uint64)[:, None] % batch.warps_per_block


def _lane_mask(relation: Callable[[Values, Values], NDArray[np.bool_]]) -> Callable[[Batch], Values]:
    masks = np.packbits(relation(_LANES, _LANES.T), axis=1, bitorder="little").view(np.uint32)[:, 0].astype(np.uint64)
    return lambda batch: np.broadcast_to(masks, (batch.warps, WARP_SIZE))


def _fixed(value: int) -> Callable[[Batch], Values]:
    return lambda batch: np.full((batch.warps, 1), value, np.uint64)


# Values, (warps, 32) or (warps, 1), that stay the same while a batch runs; VIRTID is the warp's number times 256.
_VALUES: dict[str, Callable[[Batch], Values]] = {
    "TID.X": lambda batch: _thread(batch) % batch.launch.block[0],
    "TID.Y": lambda batch: _thread(batch) // batch.launch.block[0] % batch.launch.block[1],
    "TID.Z": lambda batch: _thread(batch) // (batch.launch.block[0] * batch.launch.block[1]),
    "CTAID.X": lambda batch: _block(batch) % batch.launch.grid[0],
    "CTAID.Y": lambda batch: _block(batch) // batch.launch.grid[0] % batch.launch.grid[1],
    "CTAID.Z": lambda batch: _block(batch) // (batch.launch.grid[0] * batch.launch.grid[1]),
    "LANEID": lambda batch: np.broadcast_to(_LANES, (batch.warps, WARP_SIZE)),
    "EQMASK": _lane_mask(np.equal),
    "LTMASK": _lane_mask(np.less),
    "LEMASK": _lane_mask(np.less_equal),
    "GTMASK": _lane_mask(np.greater),
    "GEMASK": _lane_mask(np.greater_equal),
    "VIRTID": lambda batch: _warp(batch) * np.uint64(256),
    "VIRTUALSMID": lambda batch: _block(batch) % NUM_SMS,
    "SMID": lambda batch: _block(batch) % NUM_SMS,
    "CgaCtaId": _fixed(0),
    "CgaSize": _fixed(1),
    "SWINHI": _fixed(access.SHARED_WINDOW >> 32),
    "SWINLO": _fixed(0),
    "Z": _fixed(0),
}


@semantics("S2R", "S2UR", "CS2R")
def _s2r(ins: Instruction, constants: Constants) -> Execute:
    del constants
    modifiers = Modifiers(ins)
    wide = ins.opcode == "CS2R" and not modifiers.take("32")
    modifiers.end()
    destination, source = operands_of(ins, 2)
    if not isinstance(source, SpecialRegister) or not isinstance(destination, Register):
        raise unsupported(ins, f"operand {source} where a special register is known")
    name = source.name
    read = _clock_reader(ins, name) if name in _CLOCKS else _value_reader(ins, name)
    if wide:
        write64 = write_register64(ins, destination)
        return lambda lanes: write64(lanes, read(lanes))
    write = write_register(ins, destination)
    if destination.file is RegisterFile.UNIFORM:
        return lambda lanes: write(lanes, read(lanes)[:, :1].astype(np.uint32))
    return lambda lanes: write(lanes, read(lanes).astype(np.uint32))


def _value_reader(ins: Instruction, name: str) -> Callable[[Lanes], Values]:
    compute = _VALUES.get(name)
    if compute is None:
        raise unsupported(ins, f"no semantics for special register SR_{name}")

    def read(lanes: Lanes) -> Values:
        special = lanes.batch.special
        values = special.get(name)
        if values is None:
            values = special[name] = np.ascontiguousarray(compute(lanes.batch), np.uint64)
        return values[lanes.first : lanes.last]

    return read


def _clock_reader(ins: Instruction, name: str) -> Callable[[Lanes], Values]:
    """Time that only goes forward: so many cycles per warp-instruction that the launch has executed."""
    shift, timer, index = _CLOCKS[name], name.startswith("GLOBALTIMER"), ins.index

    def read(lanes: Lanes) -> Values:
        lanes.batch.changes += 1
        cycles = lanes.clock + CYCLES_PER_INSTRUCTION * (index - lanes.start)
        time = cycles * _NS_PER_KILOCYCLE // 1000 if timer else cycles
        return np.full((lanes.count, 1), time >> shift, np.uint64)

    return read
