"""The FMA pipe's halves: heavy and lite."""

from smsim.testing import program

FFMA, IMAD, HFMA2 = "FFMA R{d}, R4, R5, R4", "IMAD R{d}, R4, R5, R4", "HFMA2 R{d}, R4, R5, R4"
WIDE = "IMAD.WIDE R{d}, R4, R5, R4"


def row(*texts, stall=1):
    routine = program()
    for number, text in enumerate(texts):
        routine = routine.op(text.format(d=16 + 2 * number), stall)
    return routine.exit()


def test_ffmas_alternate_between_the_halves(run, machine):
    assert run(row(*[FFMA] * 6), machine).gap(0, 5) == 5 * machine.value("pipes.fma.interval") / 2


def test_imad_has_the_heavy_half_only(run, machine):
    probe = run(row(IMAD, IMAD), machine)
    probe.assert_earliest_issue_at(
        1, probe.issued_at(0) + machine.value("pipes.fmaheavy.interval"), reason="math_pipe_throttle"
    )


def test_an_ffma_leaves_the_heavy_half_to_an_imad(run, machine):
    assert run(row(FFMA, IMAD), machine).gap(0, 1) == 1


def test_hfma2_needs_both_halves(run, machine):
    assert run(row(FFMA, HFMA2), machine).gap(0, 1) == machine.value("pipes.fma.interval")
    assert run(row(HFMA2, FFMA), machine).gap(0, 1) == machine.value("pipes.fma_both.interval")


def test_imad_wide_leaves_the_lite_half_to_an_ffma(run, machine):
    assert run(row(WIDE, FFMA), machine).gap(0, 1) == 1


def test_other_pipes_go_on(run, machine):
    assert run(row(IMAD, "MOV R{d}, 0x1"), machine).gap(0, 1) == 1
