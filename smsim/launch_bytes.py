"""What a launch reads from DRAM, where no cache holds it, besides what its accesses touch."""

import numpy as np

from smsim.machine import Machine
from smsim.model import Model
from smsim.state.sizes import GCC_CONSTANTS


def launch_bytes(models: Model, machine: Machine) -> int:
    """Bytes that a launch with cold caches has read: for all SMs together, once.

    These are the lines of its code that came with the launch or that some SM has missed, the lines of the module's
    constants that some SM has asked L2 for, and what the launch itself is made of.
    Seen on the H100: ``dram__bytes_read.sum`` of kernels that load nothing.

    Args:
        models: the SMs when the launch is over, set up for cold caches.
        machine: their lines, and the rest.
    """
    code = np.count_nonzero((models.fetched >= 0).any(axis=0)) * machine.frontend.line_bytes
    own = (models.constants[:, GCC_CONSTANTS] >= 0).any(axis=0)
    return int(code + np.count_nonzero(own) * machine.frontend.module_constant_bytes + machine.launch.cold_bytes)
