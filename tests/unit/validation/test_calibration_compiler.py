"""ptxas's latencies, read from its stall counts, beside the measured ones."""

import csv

import pytest

import kernels
from isa.module import load_source
from validation.calibration import compiler, mining
from validation.calibration.errors import CalibrationError
from validation.calibration.recordings import Recordings

SOURCE = """
extern "C" __global__ void chain(float* o, float a, double d) {
  float x = o[threadIdx.x];
  double y = x;
#pragma unroll
  for (int k = 0; k < 8; k++) { x = x * a + a; y = y * d + d; }
  o[threadIdx.x] = x + static_cast<float>(y);
}"""


def test_the_kept_comparison_is_that_of_the_kept_recordings():
    table = compiler.kept_table()
    assert compiler.text(compiler.rows(compiler.mined_in(table), Recordings())) == table


def test_a_chain_shows_the_latency_of_its_class():
    distances = mining.mine([load_source(SOURCE).program("chain")])
    assert min(distances["R", "fma", "fma"]) == 4
    assert min(distances["R", "redirected_fp64", "redirected_fp64"]) == 8


@pytest.mark.parametrize("name", ["dot_ilp4", "matmul_unrolled", "index_division", "chain_dfma_ilp1"])
def test_no_kernel_goes_below_what_was_mined(name):
    kernel = kernels.get(name)
    mined = compiler.mined_in(compiler.kept_table())
    for pair, distances in mining.mine([load_source(kernel.code, kernel.options).program(kernel.entry)]).items():
        assert min(distances) >= mined[pair][0], pair


def test_the_halves_of_wide_operands_are_left_out():
    rows = {row.pair: row for row in compiler.rows(compiler.mined_in(compiler.kept_table()), Recordings())}
    assert rows["R", "imad_wide", "alu"].mined[0] == 5
    assert rows["R", "alu", "imad_wide"].mined[0] == 5


@pytest.mark.parametrize(
    ("kept", "mined", "measured", "disagreement"),
    [
        (4, 4, 4, ""),
        (4, 6, None, ""),
        (None, None, 4, ""),
        (None, 4, 4, ""),
        (5, 4, 4, "ptxas keeps less than isa/compiler_latencies.csv says"),
        (10, 10, 8, "ptxas keeps more than needed"),
        (4, None, 13, "ptxas keeps less than needed"),
    ],
)
def test_what_does_not_fit_is_said(kept, mined, measured, disagreement):
    assert compiler.Row(("R", "a", "b"), kept, (mined, 1), measured).disagreement == disagreement


def test_the_table_says_all_that_is_known():
    rows = list(csv.DictReader(compiler.kept_table().splitlines()))
    assert {row["file"] for row in rows} == {"R", "P", "UR", "UP"}
    (row,) = [row for row in rows if (row["file"], row["writer"], row["reader"]) == ("R", "redirected_fp64", "alu")]
    assert (row["kept"], row["mined"], row["measured"]) == ("10", "10", "8")


def test_a_damaged_table_is_refused():
    with pytest.raises(CalibrationError, match=r"compiler_latencies.csv: damaged: .*smsim calibrate --mine writes it"):
        compiler.mined_in("file,writer,reader,mined,reads\nR,a,b,few,1\n")
