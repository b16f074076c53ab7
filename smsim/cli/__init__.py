"""The command line: the only place that sees every room."""

import gc
import io
import sys

from isa.errors import SmsimError

# Python's own few hundred make it look for garbage again and again while it imports: a tenth of a short command's time.
OBJECTS_BETWEEN_COLLECTIONS = 50_000


def main() -> None:
    """Run the command in ``sys.argv``.

    Exit codes: 0; 1 when a check failed or the reader of a pipe left; 2 for a bad request, with one message on
    stderr and no traceback; 130 after Ctrl-C.
    """
    _keep_bytecode()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from smsim.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a bar or an ellipsis that the terminal cannot show is no failure
    try:
        app(prog_name="smsim")
    except SmsimError as error:
        print(f"smsim: {error}", file=sys.stderr)
        sys.exit(2)
    except MemoryError as error:
        print(f"smsim: more memory is needed than there is: {error}", file=sys.stderr)
        sys.exit(2)


def _keep_bytecode() -> None:
    """Where Python may write none beside the sources, it goes to the user's folder for caches: it takes seconds."""
    if sys.dont_write_bytecode:
        from platformdirs import user_cache_path

        sys.pycache_prefix = str(user_cache_path("smsim", appauthor=False) / "bytecode")
        sys.dont_write_bytecode = False
