"""A trace's streams as the cursor walks them."""

from isa.trace.history import count_instructions, expand
from smsim.history import History, build_history
from smsim.testing import Launch, program


def walk(history: History, warp: int) -> list[tuple[int, int]]:
    """Instruction indices and masks of a warp, by the arrays alone."""
    walked = []
    traced = history.traced_warps[warp]
    for step in history.steps[traced["first_step"] : traced["end_step"]]:
        for _ in range(step["repeats"]):
            for run in history.runs[step["first_run"] : step["end_run"]]:
                walked += [(int(run["start"] + i), int(run["mask"])) for i in range(run["length"])]
    return walked


LOOPING = program().nops(2).loop(3, program().mov(4, 1).op("@P0 MOV R5, 0x1", lanes=0)).jump(2).exit()
STRAIGHT = program().op("LDS R4, [R2]").op("LDS R5, [R2]").barrier().exit()


def test_the_arrays_say_what_the_trace_says() -> None:
    trace = Launch((LOOPING, STRAIGHT), warps=3, blocks=2).trace()
    history = build_history(trace)
    for warp in range(6):
        indices, masks = expand(trace, warp)
        assert walk(history, warp) == list(zip(indices.tolist(), masks.tolist(), strict=True))
    assert count_instructions(trace).tolist() == [2 + 3 * 3 + 1 + 1, 4, 13] * 2


def test_blocks_are_ranges_of_warps() -> None:
    history = build_history(Launch((STRAIGHT,), warps=3, blocks=2).trace())
    assert history.traced_blocks.tolist() == [(0, 3), (3, 6)]


def test_accesses_of_a_warp_start_behind_those_of_the_warps_before() -> None:
    history = build_history(Launch((STRAIGHT,), warps=2).trace())
    assert history.traced_warps["first_access"].tolist() == [0, 3]
