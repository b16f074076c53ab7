"""Every test here runs on every driver, on an H100 whose instructions are always fetched in time."""

from collections.abc import Callable
from functools import partial

import pytest

from smsim import testing
from smsim.engines import ENGINES
from smsim.machine import Machine, load
from smsim.testing import Probe

Run = Callable[..., Probe]


@pytest.fixture(params=[engine for engine in ENGINES if engine != "auto"])
def run(request: pytest.FixtureRequest) -> Run:
    """``smsim.testing.run`` on one of the drivers."""
    return partial(testing.run, engine=request.param)


@pytest.fixture(scope="session")
def h100() -> Machine:
    return load("h100")


@pytest.fixture(scope="session")
def machine(h100: Machine) -> Machine:
    at_once = {
        f"frontend.{name}": 0
        for name in (
            *("l0_miss", "l0_ahead", "l0_second", "l0_followed", "l0_followed_on"),
            *("icc_miss", "icc_fill_interval"),
        )
    }
    return h100.replace({**at_once, "frontend.l0_rate": 8})
