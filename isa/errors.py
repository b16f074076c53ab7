"""Errors that a user's input can cause: each says what, where and what to do, and none needs a traceback."""


class SmsimError(Exception):
    """Anything that smsim refuses or that a user's kernel did wrong."""


class CompileError(SmsimError):
    """NVRTC rejected the source; the message is the compiler's log, with the user's lines."""


class CubinError(SmsimError):
    """The file is not a cubin that smsim can read (damaged, another architecture, no such kernel)."""


class UnsupportedInstructionError(SmsimError):
    """An opcode or modifier without semantics or timing; names the kernel, the SASS address and the text."""


class LaunchError(SmsimError):
    """The launch cannot run: block too large, too much shared memory, wrong arguments."""


class KernelError(SmsimError):
    """The kernel did something illegal while it ran; names the kernel, the SASS address and the source line."""


class TraceError(SmsimError):
    """The trace file is damaged or of another version."""


class MachineError(SmsimError):
    """The machine description is wrong: unknown path, bad value, damaged file."""
