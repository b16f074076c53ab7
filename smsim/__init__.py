"""A cycle-level simulator of an H100 SM: CUDA C in, cycles and warp stalls out.

The names below are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isa.errors import SmsimError
    from isa.trace import Trace
    from smsim.machine import Machine, load
    from smsim.module import Function, RawKernel, RawModule
    from smsim.reasons import Reason
    from smsim.result import Result
    from smsim.simulation import simulate

    load_machine = load

__all__ = [
    "Function",
    "Machine",
    "RawKernel",
    "RawModule",
    "Reason",
    "Result",
    "SmsimError",
    "Trace",
    "load_machine",
    "simulate",
]

_HOMES = {
    "Function": ("smsim.module", "Function"),
    "Machine": ("smsim.machine", "Machine"),
    "RawKernel": ("smsim.module", "RawKernel"),
    "RawModule": ("smsim.module", "RawModule"),
    "Reason": ("smsim.reasons", "Reason"),
    "Result": ("smsim.result", "Result"),
    "SmsimError": ("isa.errors", "SmsimError"),
    "Trace": ("isa.trace", "Trace"),
    "load_machine": ("smsim.machine", "load"),
    "simulate": ("smsim.simulation", "simulate"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'smsim' has no attribute {name!r}")
    home, attribute = _HOMES[name]
    value = getattr(import_module(home), attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
