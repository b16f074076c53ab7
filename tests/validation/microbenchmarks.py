"""Microbenchmarks on the H100 that is shipped, predicted beside what was recorded of them."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from smsim.machine import load
from validation.calibration import bundle
from validation.calibration.predict import Prediction, predict_all
from validation.calibration.recordings import Recordings


def predictions(names: Collection[str], launches: Collection[str] | None = None) -> Iterator[Prediction]:
    """Each launch of these programs of one family, "family/name", or only the launches with these labels."""
    (family,) = {name.partition("/")[0] for name in names}
    experiments = [
        replace(one, launches=[launch for launch in one.launches if launches is None or launch.label in launches])
        for one in bundle.family(family)
        if one.name in names
    ]
    return predict_all(experiments, Recordings().recording(family), load("h100"))
