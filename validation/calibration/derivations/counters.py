"""ncu's counters of catalogue kernels: the family "measurements", programs ``KERNEL/LAUNCH COUNTER``."""

from validation.measurement import CACHES, RECORDED, gpu_folder, load

from ..errors import CalibrationError
from .question import Question


def bytes_per(question: Question) -> list[float]:
    """Bytes of each part: ``bytes`` of a whole, of which the first counter counts the wholes, the second the parts."""
    wholes, parts = (_figures(question, program) for program in question.rule.programs)
    return [question.rule.number("bytes") * whole / part for whole, part in zip(wholes, parts, strict=True)]


def _figures(question: Question, program: str) -> list[float]:
    """A counter's figures, one per run in the rule's cache mode."""
    case, counter = program.split(" ")
    kernel, launch = case.split("/")
    if question.rule.launch not in CACHES:
        raise CalibrationError(f"values.csv: {question.rule.path}: launch must be one of {', '.join(CACHES)}")
    (gpu,) = question.recordings.gpus()
    measurement = load(RECORDED / gpu_folder(gpu) / f"{kernel}.json").launch(launch)
    return [float(figure) for figure in measurement.figures(counter, question.rule.launch)]
