"""Golden tests of the command line: a folder per case, with its input files, the command, and the text expected.

``command`` holds the arguments after ``smsim``; ``expected.txt`` the exit code, stdout and stderr. The command runs in
the case's folder at a width of 100 columns.
"""

import contextlib
import io
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from smsim.cli import main

CASES = Path(__file__).with_name("cases")
WIDTH = 100


def case_folders() -> list[Path]:
    return sorted(path.parent for path in CASES.glob("*/command"))


def run_case(folder: Path) -> str:
    """The text of a case as it comes out now."""
    return run(shlex.split((folder / "command").read_text()), folder)


def run(arguments: list[str], folder: Path) -> str:
    """Exit code, stdout and stderr of ``smsim ARGUMENTS`` in ``folder``."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    environment = {"COLUMNS": str(WIDTH), "NO_COLOR": "1"}
    with (
        _inside(folder),
        patch.dict(os.environ, environment),
        patch.object(sys, "argv", ["smsim", *arguments]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code or 0
    parts = [f"exit code {code}", "--- stdout", _tidy(out), "--- stderr", _tidy(err)]
    return "\n".join(part for part in parts if part) + "\n"


def _tidy(stream: io.StringIO) -> str:
    return "\n".join(line.rstrip() for line in stream.getvalue().rstrip().splitlines())


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
