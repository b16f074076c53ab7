"""For tests of the simulator and of what is built on it: a probe harness and Hypothesis strategies.

:mod:`~smsim.testing.routine` writes synthetic code, :mod:`~smsim.testing.assemble` makes traces of it,
:mod:`~smsim.testing.probe` runs it and tells when what issued, :mod:`~smsim.testing.strategies` invents it.
"""

from smsim.testing.assemble import Launch
from smsim.testing.probe import Probe, run
from smsim.testing.routine import Routine, program, strided

__all__ = ["Launch", "Probe", "Routine", "program", "run", "strided"]
