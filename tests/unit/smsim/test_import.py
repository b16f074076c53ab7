import subprocess
import sys

import pytest

import smsim


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = "import sys, smsim; print(*(name for name in ('numba', 'simpy', 'cuda', 'numpy') if name in sys.modules))"
    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == ""


def test_every_public_name_can_be_had() -> None:
    for name in smsim.__all__:
        assert getattr(smsim, name) is not None
    assert set(dir(smsim)) == set(smsim.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="RawModul'"):
        smsim.RawModul  # noqa: B018
