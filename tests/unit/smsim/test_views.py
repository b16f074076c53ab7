import io
from dataclasses import replace

from rich.console import Console, RenderableType

from smsim.bottlenecks.bottleneck import Bottleneck
from smsim.reasons import Reason
from smsim.result import Result
from smsim.views.annotate import annotate
from smsim.views.bottlenecks import bottlenecks
from smsim.views.meanings import MEANINGS
from smsim.views.parts import dim3, dominating
from smsim.views.report import report


def render(renderable: RenderableType, width: int = 120) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(renderable)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines())  # type: ignore[attr-defined]


def test_every_reason_has_a_meaning() -> None:
    assert set(MEANINGS) == set(Reason)


def test_the_report_sorts_reasons_by_share(result: Result) -> None:
    text = render(report(result))
    assert "saxpy <<<132; 64>>> on h100, SM 0: 1 of 132 blocks" in text
    assert "with pipes.fma.latency = 6" in text
    assert text.index("long_scoreboard  76.9%") < text.index("wait             17.3%") < text.index("selected ")
    assert "barrier" not in text
    assert "0x0010   FFMA R9, R4, R5, R6" in text


def test_a_narrow_terminal_gets_the_numbers_without_the_meanings(result: Result) -> None:
    narrow = render(report(result), width=80)
    assert "long_scoreboard  76.9%" in narrow
    assert MEANINGS[Reason.LONG_SCOREBOARD] not in narrow
    assert MEANINGS[Reason.LONG_SCOREBOARD] in render(report(result), width=120)


def test_top_limits_the_hottest_instructions(result: Result) -> None:
    assert "LDG.E" not in render(report(result, top=1))
    assert "Hottest" not in render(report(result, top=0))


def test_limits_are_named_with_their_share_of_the_cycles(result: Result) -> None:
    assert "Bound by" not in render(report(result))
    found = (Bottleneck("latency", 80, 2, "waves"), Bottleneck("pipe_fma", 25, 12, "warp instructions"))
    limited = replace(result, find_bottlenecks=lambda: found)
    assert "Bound by latency, 80.0% of the cycles; pipe fma 25.0%\n" in render(report(limited))
    assert "pipe fma      25  25.0%  ████              12 warp instructions" in render(bottlenecks(limited))


def test_the_annotated_listing_shows_each_source_line_once(result: Result) -> None:
    source = ["", "", "float x = a[i];", "y = x * b + c;"]
    text = render(annotate(result, {"/src/saxpy.cu": source}))
    assert text.count("saxpy.cu:3  float x = a[i];") == 1
    assert text.index("saxpy.cu:4  y = x * b + c;") < text.index("FFMA R9")
    assert "long_scoreboard 100%" in text


def test_a_missing_source_file_leaves_the_line_number(result: Result) -> None:
    text = render(annotate(result, {}))
    assert "saxpy.cu:3\n" in text


def test_launch_sizes_leave_out_trailing_ones() -> None:
    assert [dim3(shape) for shape in ((7, 1, 1), (7, 2, 1), (7, 1, 2))] == ["7", "7,2", "7,1,2"]


def test_dominating_reasons_leave_out_selected() -> None:
    assert dominating({"selected": 90, "wait": 1, "barrier": 3}) == "barrier 75%, wait 25%"
    assert dominating({"selected": 90}) == ""
    assert dominating({"wait": 999, "barrier": 1}) == "wait 100%"


def test_markup_in_sass_is_shown_as_it_stands(result: Result) -> None:
    assert "desc[UR4][R2.64]" in render(report(result))
