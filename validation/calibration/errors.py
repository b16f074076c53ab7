"""What the calibration refuses."""

from isa.errors import SmsimError


class CalibrationError(SmsimError):
    """A recording is missing or damaged, a value has no microbenchmark, or a microbenchmark does not give it."""
