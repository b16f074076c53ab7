"""Sectors of which L2 has what was stored to them, a part."""

import pytest

from smsim import engines
from smsim.part import Part
from smsim.state.l2 import L2_WAYS
from smsim.testing import Launch, program, strided

LDG, STG = "LDG.E.STRONG.GPU R8, desc[UR4][R4.64]", "STG.E desc[UR4][R4.64], R8"  # the load bypasses L1
LINE, SECTOR, WORD = 128, 32, 4
READ, WRITTEN = "dram__bytes_read.sum", "dram__bytes_write.sum"


@pytest.fixture
def machine(machine):
    """A load brings a sector alone."""
    return machine.replace({"l2.fill_sectors": 1})


def stored(*words):
    """A warp stores some words of memory, in turn, and waits until L2 has them."""
    code = program()
    for word in words:
        code = code.op(STG, addresses=strided(0, WORD * word, [0]))
    return code.op("NANOSLEEP 0x800", stall=1)


def moved(run, machine, code, cache="cold"):
    """Bytes that DRAM reads and writes."""
    memory = run(code.exit(), machine, cache=cache).counts.memory
    return memory[READ], memory[WRITTEN]


def test_what_is_stored_is_not_read(run, machine):
    assert moved(run, machine, stored(0, 9, 18)) == (0, 0)


@pytest.mark.parametrize("word", [0, 1])
def test_a_load_has_the_rest_of_its_sector_read(run, machine, word):
    code = stored(0).op(LDG, write=0, addresses=strided(0, WORD * word, [0])).mov(20, 1, wait=[0])
    assert moved(run, machine, code) == (SECTOR, 0)


def test_stores_complete_a_sector(run, machine):
    code = stored(*range(SECTOR // WORD)).op(LDG, write=0, addresses=strided(0, 0, [0])).mov(20, 1, wait=[0])
    assert moved(run, machine, code) == (0, 0)


def test_what_was_loaded_before_is_whole(run, machine):
    code = program().op(LDG, write=0, addresses=strided(0, 0, [0])).mov(8, 1, wait=[0])
    code = code.op(STG, addresses=strided(0, 0, [0])).op("NANOSLEEP 0x800", stall=1)
    assert moved(run, machine, code.op(LDG, write=0, addresses=strided(0, 0, [0])).mov(20, 1, wait=[0])) == (SECTOR, 0)


def in_one_set(machine, lines, **changes):
    """What DRAM reads and writes, in sectors, for a word each of so many lines, L2 being a single set."""
    code = stored(*range(0, lines * LINE // WORD, LINE // WORD)).exit()
    memory = engines.run(Launch((code,)).trace(), machine.replace(changes), "cold", part=Part(l2_sets=1)).memory
    return memory[READ] / SECTOR, memory[WRITTEN] / SECTOR


@pytest.mark.parametrize("ways", [1, 4, 8])
def test_of_too_many_lines_the_rest_is_read(machine, ways):
    held = machine.value("l2.bytes") * ways // L2_WAYS
    assert in_one_set(machine, 12, **{"l2.partial_bytes": held}) == (12 - ways, 0)


def test_what_is_written_back_was_read_before(machine):
    all_of_it = machine.value("l2.bytes")
    held = {"l2.partial_bytes": all_of_it, "l2.dirty_bytes": all_of_it // 4}
    read, written = in_one_set(machine, 16, **held)
    assert read == written > 0
