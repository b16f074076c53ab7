"""Every value of the machine that the recordings give, by the rules of ``values.csv`` and ``forwarding.toml``."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median

from isa.errors import SmsimError

from . import forwarding, registry
from .derivations import DERIVATIONS, counters
from .derivations.question import Question
from .errors import CalibrationError
from .recordings import Recordings
from .registry import Rule


@dataclass(frozen=True)
class Derived:
    """A value of the machine as the recordings give it.

    Attributes:
        value: the median of the samples, rounded as the rule says.
        low, high: the least and the greatest sample.
        samples: their number.
        date: of the recording.
        rule: how it was derived.
    """

    value: float
    low: float
    high: float
    samples: int
    date: str
    rule: Rule

    @property
    def spread(self) -> float:
        """Greatest less least sample, in the value's unit."""
        return self.high - self.low

    def agrees(self, other: "Derived") -> bool:
        """Whether another derivation of the value rounds to the same, or its value lies within the samples of this."""
        return self.value == other.value or self.low <= other.value <= self.high


@cache
def rules() -> Mapping[str, Rule]:
    """The rules of all values, by path."""
    return {**registry.rules(), **{rule.path: rule for rule in forwarding.rules()}}


class Derivation:
    """Derives values from a folder of recordings, each once."""

    def __init__(self, recordings: Recordings) -> None:
        self.recordings = recordings
        self._derived: dict[str, Derived] = {}

    def derive(self, path: str) -> Derived:
        """One value.

        Raises:
            CalibrationError: it names no microbenchmark, or the recordings do not hold it.
        """
        if path not in self._derived:
            rule = rules().get(path)
            if rule is None:
                raise CalibrationError(f"{path} names no microbenchmark: values.csv has no row for it")
            self._derived[path] = self._answer(rule)
        return self._derived[path]

    def _answer(self, rule: Rule) -> Derived:
        if rule.derivation not in DERIVATIONS:
            raise CalibrationError(f"values.csv: {rule.path}: no derivation {rule.derivation!r}")
        question = Question(rule, self.recordings, lambda path: self.derive(path).value)
        samples = sorted(DERIVATIONS[rule.derivation](question))
        if not samples:
            raise CalibrationError(f"{rule.path}: {rule.source} gives no figure")
        value = round(median(samples), rule.digits)
        measured = rule.family == counters.FAMILY
        date = counters.date(rule, self.recordings) if measured else self.recordings.recording(rule.family)["date"]
        low, high = samples[0], samples[-1]
        return Derived(value if rule.digits else int(value), low, high, len(samples), date, rule)

    def derive_all(self) -> tuple[dict[str, Derived], dict[str, str]]:
        """All values that can be derived, and for each that cannot the reason, by path."""
        derived, underived = {}, {}
        for path in rules():
            try:
                derived[path] = self.derive(path)
            except SmsimError as error:
                underived[path] = str(error)
        return derived, underived
