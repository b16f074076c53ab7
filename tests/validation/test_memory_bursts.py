"""Each rule of L1, stores and atomics beside the burst that shows it: when its last warp is done."""

import pytest

from tests.validation.microbenchmarks import done, predictions

ONE, FOUR, TWO, MANY, ALL = "1", "4x1", "4x2", "4x4", "4x8"
# What the burst shows; family and program; launch; how far the end may be off.
BURSTS = {
    "a warp's passes through the data stage": ("scattered/16 LDG.32, 32 lines, held", ONE, 0.0),
    "four tags a cycle": ("scattered/16 LDG.32, 32 words 132 bytes apart, held", ONE, 0.0),
    "tags of four SMSPs": ("scattered/16 LDG.32, 32 words 132 bytes apart, held", FOUR, 0.0),
    "banks of L1": ("scattered/16 LDG.32, 32 lines, held", ALL, 0.006),
    "wide words": ("scattered/16 LDG.128, 512 bytes, held", ALL, 0.02),
    "passes of stores": ("stored/8 STG.32 and LDG.32 of 32 lines, of the same banks", FOUR, 0.08),
    "passes of wide stores": ("stored/8 STG.128 and LDG.32 of 32 lines, of the same banks", FOUR, 0.09),
    "banks that stores leave alone": ("stored/8 STG.32 and LDG.32 of 8 lines, of other banks", FOUR, 0.04),
    "a load behind its warp's store": ("stored/8 STG.32 and LDG.32 of 8 lines, of other banks", ONE, 0.0),
    "a store behind its warp's load": ("stored/8 LDG.32 of 32 lines, a STG.32 of 1 line behind each", ONE, 0.0),
    "such stores of all warps": ("stored/8 LDG.32 of 32 lines, a STG.32 of 1 line behind each", ALL, 0.085),
    "requests to L2": ("scattered/16 LDG.32, 32 words 132 bytes apart, not held", ALL, 0.03),
    "hits of what is on its way": ("scattered/16 LDG.32, 32 words 132 bytes apart, asked for again", ALL, 0.03),
    "rows of local memory": ("local/32 LDL of 32 rows in turn", ALL, 0.1),
    "local stores go to L2": ("local/32 STL of 32 rows in turn", ALL, 0.02),
    "local stores gather": ("local/32 STL of 8 rows in turn", ONE, 0.0),
    "atomics by sectors": ("atomics/32 ATOMG.ADD, 32 words 16 bytes apart of each warp, other", ALL, 0.02),
    "atomics by words": ("atomics/32 ATOMG.ADD, 32 words 132 bytes apart of each warp, other", ALL, 0.02),
    "answers from one bank": ("atomics/32 ATOMG.ADD, one word of each warp, other", ALL, 0.06),
    "reductions at one word": ("atomics/32 REDG.ADD, one word of each warp, other", ALL, 0.03),
    "some lanes at one word": ("collisions/32 REDG.ADD, one of 64 words each, of all warps", ALL, 0.02),
    "single words among others": ("collisions/32 REDG.ADD, one of 512 words each, of each warp", ALL, 0.04),
    "answers of several words": ("collisions/32 ATOMG.ADD, 8 lanes a word, of each warp", ALL, 0.06),
    "a warp's reductions in the data stage": (
        "reducing/4 LDG.32 of 32 lines, REDG.ADD of 32 words 16 bytes apart between",
        ONE,
        0.0,
    ),
    "reductions in the data stage": ("reducing/4 LDG.32 of 32 lines, REDG.ADD of 8 lines between", MANY, 0.03),
    "reductions at one word in the data stage": (
        "reducing/4 LDG.32 of 8 lines, REDG.ADD of one word between",
        MANY,
        0.12,
    ),
    "reductions in the tag stage": ("reducing/4 LDG.32 of 32 banks, REDG.ADD of 32 words between", MANY, 0.01),
    "atomics in the data stage": ("reducing/4 LDG.32 of 8 lines, ATOMG.ADD of 32 lines between", MANY, 0.08),
    "packets that wait for a slice": ("collisions/32 REDG.ADD, 8 lanes a word, of all warps", TWO, 0.02),
    "packets of all warps in a slice": ("collisions/32 REDG.ADD, 8 lanes a word, of all warps", ALL, 0.035),
    "loads behind stores": ("behind/4 STG.32 of 1 lines, LDG.32", ALL, 0.025),
    "loads behind stores of 8 lines": ("behind/16 STG.32 of 8 lines, LDG.32", FOUR, 0.01),
    "stores that gather too late": ("merging/16 STG.32 side by side, 64 bytes a lane", ALL, 0.04),
}


@pytest.mark.parametrize(
    ("program", "launch", "tolerance"),
    BURSTS.values(),
    ids=BURSTS,
)
def test_a_burst_is_done_when_the_gpus_is(program: str, launch: str, tolerance: float) -> None:
    (found,) = predictions([program], [launch])
    recorded = done(found)
    assert found.predicted[-1] == pytest.approx(recorded, rel=tolerance, abs=1), found.reason


@pytest.mark.parametrize("bytes_a_lane", [(2, 8), (4, 16)])
@pytest.mark.parametrize("place", ["each", "all"])
def test_stores_leave_before_reductions_behind_them(bytes_a_lane: tuple[int, int], place: str) -> None:
    """So many cycles more do 32 warps take than 16, with lines of stores and reductions one after the other."""
    name = "between/{} STG.32 side by side, {} bytes a lane, REDG.ADD behind {}".format(*bytes_a_lane, place)
    few, many = predictions([name], ["4x4", "4x8"])
    recorded = [done(found) for found in (few, many)]
    more = many.predicted[-1] - few.predicted[-1]
    assert more == pytest.approx(recorded[1] - recorded[0], rel=0.25)
