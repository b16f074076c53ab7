"""The calibration's kernels and bundles, as far as they can be checked without a GPU."""

import io
import json
import zipfile

import pytest
from elftools.elf.elffile import ELFFile

from validation.calibration import bundle, verify
from validation.calibration.program import RECORDS, Experiment, clock, sm_warps, smsp_warps
from validation.calibration.sass import assemble, label_indices, op
from validation.calibration.shell import ROOM, wrap


def section(cubin, name):
    return ELFFile(io.BytesIO(cubin)).get_section_by_name(name).data()


def test_the_cubin_holds_our_code_and_nothing_else_that_does_anything():
    experiment = Experiment("x", [clock(8), op("FFMA", 20, 21, 22, 23), clock(9)], [8, 9])
    code = assemble(experiment.program())
    text = section(experiment.cubin(), ".text.shell")
    assert text.startswith(code)
    assert set(verify.disassemble(text[len(code) :])) == {"NOP"}


def test_the_cubin_claims_the_registers_asked_for():
    info = section(wrap(assemble([op("EXIT")]), 128), ".nv.info")
    assert info[info.index(b"\x04\x2f\x08\x00") + 8] == 128


def test_code_that_fits_no_shell_is_refused():
    with pytest.raises(ValueError, match="do not fit"):
        wrap(bytes(16) * (ROOM[-1] + 1), 64)


def test_the_loop_begins_where_it_was_asked_to():
    for align in (1, 8, 16):
        program = Experiment("x", [], [], align=align).program()
        assert label_indices(program)["top"] % align == 0


def test_too_many_records_are_refused():
    with pytest.raises(ValueError, match="65 records, 64 at most"):
        Experiment("x", [], [8] * (RECORDS + 1)).program()


def test_what_comes_before_exit_stands_behind_the_stores_of_the_records():
    program = Experiment("x", [clock(8)], [8], ending=[op("NOP", stall=3)]).program()
    names = [instruction.name for instruction in program]
    assert names[names.index("STG.32") :] == ["STG.32", "NOP", "EXIT", "BRA"]


def test_islands_of_code_begin_and_branches_land_where_they_should():
    programs = {experiment.name: experiment.program() for experiment in bundle.family("fetch")}
    islands = label_indices(programs["fetch/islands, run 1"])
    assert all(islands[f"i{visit}"] % 8 == 0 for visit in range(9))
    for source, target in ((0, 0), (3, 5), (6, 7)):
        program = programs[f"fetch/branch from {source} to {target}"]
        labels = label_indices(program)
        assert {labels[f"on{count}"] % 8 for count in range(14)} == {target}
        sources = {i % 8 for i, step in enumerate(program) if str(step.operands.get("branch", "")).startswith("on")}
        assert sources == {source}


def test_warps_of_one_smsp_are_four_apart():
    launch = smsp_warps(3)
    assert (launch.label, launch.threads, launch.warps) == ("3", 288, 0b100010001)
    assert sm_warps(8).threads == 1024


@pytest.mark.parametrize("name", ["variable", "memory", "blocks", "stores", "rare", "forwarding"])
def test_every_program_of_a_family_disassembles_as_meant(name):
    experiments = bundle.family(name)
    assert len(experiments) > 50
    assert verify.differences(experiment.program() for experiment in experiments) == []


def test_a_bundle_names_a_cubin_for_every_program(tmp_path, monkeypatch):
    few = [Experiment(f"x/{i}", [clock(8), clock(9)], [8, 9], launches=[smsp_warps(1 + i)]) for i in range(3)]
    monkeypatch.setattr(bundle, "family", lambda name: few)
    with zipfile.ZipFile(bundle.write("x", tmp_path)) as archive:
        programs = json.loads(archive.read("manifest.json"))["programs"]
        assert [program["name"] for program in programs] == ["x/0", "x/1", "x/2"]
        assert [program["launches"][0]["threads"] for program in programs] == [32, 160, 288]
        for program, experiment in zip(programs, few, strict=True):
            assert archive.read(program["file"]) == experiment.cubin()
