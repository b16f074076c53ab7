"""The machine description: loading, refusing, replacing."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from isa.errors import MachineError
from smsim.machine import MACHINES, SHIPPED, Machine, load


@pytest.fixture
def h100() -> Machine:
    return load("h100")


@pytest.fixture
def damaged(tmp_path: Path) -> Callable[..., Path]:
    """A copy of the H100's files with one text replaced in the TOML file, or in the CSV file named."""
    for file in MACHINES.iterdir():
        shutil.copy(file, tmp_path)

    def damage(old: str, new: str, file: str = "h100.toml") -> Path:
        path = tmp_path / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        return tmp_path / "h100.toml"

    return damage


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_machine_loads(name: str) -> None:
    assert load(name).name == name


@pytest.mark.parametrize("name", SHIPPED)
def test_every_value_has_a_source_and_a_unit(name: str) -> None:
    values = list(load(name).values())
    assert len(values) > 100
    assert not [path for path, _, provenance in values if not provenance.source or not provenance.unit]


def test_a_machine_loads_from_a_file_and_from_itself(damaged: Callable[..., Path]) -> None:
    machine = load(damaged('name = "h100"', 'name = "mine"'))
    assert machine.name == "mine"
    assert load(machine) is machine


def test_values_are_attributes_and_paths(h100: Machine) -> None:
    assert h100.value("pipes.fma.latency") == h100.pipes["fma"].latency
    assert h100.value("gpu.clock_mhz") == h100.clock_mhz
    assert h100.value("operations.IMAD.WIDE.second_pass") == h100.operations["IMAD.WIDE"].second_pass
    with pytest.raises(AttributeError):
        _ = h100.no_such_section


def test_replace_changes_a_copy(h100: Machine) -> None:
    before = h100.value("pipes.fma.latency")
    copy = h100.replace({"pipes.fma.latency": "6", "l1.same_address": 3.5}).replace({"operations.MUFU.latency": 40})
    assert (copy.value("pipes.fma.latency"), copy.value("l1.same_address")) == (6, 3.5)
    assert copy.changed == {"pipes.fma.latency": 6, "l1.same_address": 3.5, "operations.MUFU.latency": 40}
    assert h100.value("pipes.fma.latency") == before
    assert not h100.changed


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("pipes.fma.latencies", 6, r"no value 'pipes.fma.latencies'; did you mean .*pipes.fma.latency"),
        ("nothing.like.it", 6, r"no value 'nothing.like.it' \(all: smsim machine\)"),
        ("name", 6, "no value 'name'"),
        ("pipes.fma.latency", "fast", "pipes.fma.latency=fast: not a number"),
        ("pipes.fma.latency", 4.5, "pipes.fma.latency=4.5: it must be a whole number"),
        ("pipes.fma.latency", "nan", "pipes.fma.latency=nan: it must be a whole number"),
        ("l1.same_address", "nan", "l1.same_address is nan"),
        ("pipes.fma.latency", "inf", "pipes.fma.latency=inf: it must be a whole number"),
        ("pipes.fma.latency", -1, "pipes.fma.latency is -1; it must lie in 0"),
        ("pipes.fma.interval", 0, "pipes.fma: interval and latency must be at least 1"),
        ("limits.warps", 300, "limits.warps is 300; it must lie in 1 to 240"),
        ("l1.sector_bytes", 64, "l1.sector_bytes is 64; it must lie in 1 to 62"),
        ("l1.store_queue_lines", 65, "l1.store_queue_lines is 65; it must lie in 1 to 64"),
        ("l1.sector_bytes", 48, "l1.line_bytes is 128; it must be 1 to 32 times l1.sector_bytes, 48"),
        ("mio.mio_queue_depth", 0, "mio.mio_queue_depth is 0; it must lie in 1 to 1024"),
        ("dram.row_sectors", 0, "dram.row_sectors is 0; it must lie in 1 to"),
        ("dram.refresh_interval", 0, "dram.refresh_interval is 0; it must lie in 1 to"),
        ("l1.miss_latency", 10**12, "l1.miss_latency is 1000000000000; it must lie in"),
    ],
)
def test_replace_refuses_what_does_not_fit(h100: Machine, path: str, value: float | str, message: str) -> None:
    with pytest.raises(MachineError, match=message):
        h100.replace({path: value})


def test_forwarding_may_be_negative(h100: Machine) -> None:
    assert h100.replace({"forwarding.fma.alu": -1}).value("forwarding.fma.alu") == -1


def test_an_unknown_machine_is_named() -> None:
    with pytest.raises(MachineError, match=r"no machine 'h10': not one of .*did you mean 'h100'\?"):
        load("h10")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[gpu]", "[gpu", "not a TOML file"),
        ("schema = 1", "schema = 99", "schema is 99; this version of smsim reads schema 1"),
        ("schema = 1\n", "", "schema is None"),
        ("[limits]", "[limit]", r"Object (missing required field `limits`|contains unknown field `limit`)"),
        ("first_block = {", "first_blok = {", r"h100.toml: .*launch"),
        ("num_sms = { value = 132,", 'num_sms = { value = 132, sauce = "",', "gpu.num_sms: unknown key 'sauce'"),
        ('"SMs", spread = 0,', '"SMs", spread = "x",', "gpu.num_sms: 'x' is not a number"),
        (
            '"SMs", spread = 0,',
            '"SMs",',
            "gpu.num_sms: no spread; a value is written { value, unit, spread, date, source }",
        ),
        ('"SMs", spread = 0, date = 2026-11-21,', '"SMs", spread = 0, date = "today",', "'today' is not a date"),
        ("warp_interval = { value = 2,", 'warp_interval = { dat = "", value = 2,', "launch.warp_interval: unknown key"),
        ("num_sms = { value = 132", 'num_sms = { value = "many"', "gpu.num_sms: 'many' is not a number"),
        ("num_sms = { value = 132", "num_sms = { value = 0", "gpu.num_sms is 0; it must lie in 1 to"),
        ('operations = "h100_operations.csv"', 'operations = "none.csv"', "none.csv: No such file"),
        ('operations = "h100_operations.csv"', "operations = 5", "key 'operations' must name a CSV file"),
        ("[pipes.xu]", "[pipes.yu]", "pipes.xu is missing"),
    ],
)
def test_a_damaged_file_is_refused(damaged: Callable[..., Path], old: str, new: str, message: str) -> None:
    with pytest.raises(MachineError, match=message):
        load(damaged(old, new))


def test_a_value_needs_a_source(damaged: Callable[..., Path]) -> None:
    path = damaged("[gpu]", "[gpu]")
    path.write_text(re.sub(r'(num_sms = .*source = )"[^"]*"', r'\1" "', path.read_text()))
    with pytest.raises(MachineError, match=r"h100.toml: gpu.num_sms: no source; a value is written"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\nMUFU,xu", "\nMUFU,yu", "operations.MUFU.unit is 'yu'; the units are none, fixed, xu"),
        ("\nHADD2,fixed,fma_both", "\nHADD2,fixed,fmaboth", "operations.HADD2.pipe is 'fmaboth'; the pipes are fma"),
        ("\nPOPC,", "\nMUFU,", r"h100_operations.csv, line \d+: MUFU stands there twice"),
        ("\nMUFU,xu,,8", "\nMUFU,xu,,eight", r"h100_operations.csv, line \d+: .*'eight'"),
        (
            "throughput: throughput/POPC; variable: variable/POPC/write; variable: variable/POPC/read",
            "",
            r"h100_operations.csv, line \d+: POPC has no source",
        ),
        ("operation,", "opcode,", "h100_operations.csv: the table has no column 'operation'"),
    ],
)
def test_a_damaged_operation_table_is_refused(damaged: Callable[..., Path], old: str, new: str, message: str) -> None:
    with pytest.raises(MachineError, match=message):
        load(damaged(old, new, "h100_operations.csv"))


@pytest.mark.parametrize("commas", ["", ",,,"])
def test_a_row_with_too_few_or_too_many_columns_is_refused(damaged: Callable[..., Path], commas: str) -> None:
    with pytest.raises(MachineError, match=r"h100_operations.csv, line \d+: not as many columns as the first line has"):
        load(damaged("\nMUFU,xu,,8,,17,14,,", f"\nMUFU,xu,,8,,17,14{commas}", "h100_operations.csv"))


def test_a_table_that_is_not_text_is_refused(damaged: Callable[..., Path]) -> None:
    path = damaged("schema", "schema")
    (path.parent / "h100_forwarding.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(MachineError, match=r"h100_forwarding.csv: not a CSV file"):
        load(path)


def test_an_empty_forwarding_table_is_refused(damaged: Callable[..., Path]) -> None:
    path = damaged("schema", "schema")
    (path.parent / "h100_forwarding.csv").write_text("writer,fma,source\n")
    with pytest.raises(MachineError, match=r"h100_forwarding.csv: the table has no rows"):
        load(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\nfma,0", "\nfma,zero", r"h100_forwarding.csv, line 2: .*'zero'"),
        ("\nalu,", "\nfma,", r"h100_forwarding.csv, line \d+: fma stands there twice"),
        (",0,2026-11-21,", ",0,,", r"h100_forwarding.csv, line 2: fma has no date"),
        (",0,2026-11-21,", ",,2026-11-21,", r"h100_forwarding.csv, line 2: fma has no spread"),
        (",0,2026-11-21,", ",0,21 November,", r"h100_forwarding.csv, line 2: Invalid isoformat string"),
        ("writer,", "from,", "h100_forwarding.csv: the table has no column 'writer'"),
    ],
)
def test_a_damaged_forwarding_table_is_refused(damaged: Callable[..., Path], old: str, new: str, message: str) -> None:
    with pytest.raises(MachineError, match=message):
        load(damaged(old, new, "h100_forwarding.csv"))
