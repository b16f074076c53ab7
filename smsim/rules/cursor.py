"""Walking a warp along its history."""

from smsim.model import Model
from smsim.rules.rule import rule


@rule
def start(m: Model, w: int, trace_warp: int) -> None:
    """Put a warp at the first instruction of its history."""
    warp = m.warps[w]
    warp["trace_warp"] = trace_warp
    warp["access"] = m.traced_warps[trace_warp]["first_access"]
    warp["step"] = m.traced_warps[trace_warp]["first_step"]
    warp["repeat"] = 0
    enter_run(m, w, m.steps[warp["step"]]["first_run"])


@rule
def enter_run(m: Model, w: int, run: int) -> None:
    """Put a warp at the first instruction of a run."""
    warp = m.warps[w]
    warp["run"] = run
    warp["pc"] = m.runs[run]["start"]
    warp["run_end"] = warp["pc"] + m.runs[run]["length"]
    warp["mask"] = m.runs[run]["mask"]
    warp["lanes"] = m.runs[run]["lanes"]


@rule
def advance(m: Model, w: int) -> bool:
    """Move a warp to its next instruction; False when there is none."""
    warp = m.warps[w]
    if warp["pc"] + 1 < warp["run_end"]:
        warp["pc"] += 1
        return True
    step = m.steps[warp["step"]]
    if warp["run"] + 1 < step["end_run"]:
        enter_run(m, w, warp["run"] + 1)
        return True
    if warp["repeat"] + 1 < step["repeats"]:
        warp["repeat"] += 1
        m.sm[0]["looped"] |= warp["leads"]
        enter_run(m, w, step["first_run"])
        return True
    if warp["step"] + 1 < m.traced_warps[warp["trace_warp"]]["end_step"]:
        warp["step"] += 1
        warp["repeat"] = 0
        enter_run(m, w, m.steps[warp["step"]]["first_run"])
        return True
    return False
