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
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from smsim.cli import main

CASES = Path(__file__).with_name("cases")
WIDTH = 100


@dataclass(frozen=True)
class Outcome:
    """What a command left behind."""

    code: object
    out: str
    err: str

    @property
    def text(self) -> str:
        """All of it, as ``expected.txt`` has it."""
        return f"exit code {self.code}\n--- stdout\n{_tidy(self.out)}--- stderr\n{_tidy(self.err)}"


def case_folders() -> list[Path]:
    return sorted(path.parent for path in CASES.glob("*/command"))


def run_case(folder: Path) -> str:
    """The text of a case as it comes out now."""
    return run(shlex.split((folder / "command").read_text()), folder).text


def run(arguments: list[str], folder: Path, width: int = WIDTH) -> Outcome:
    """Run ``smsim ARGUMENTS`` in ``folder``, in this process, at a width of so many columns."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    environment = {"COLUMNS": str(width), "NO_COLOR": "1"}
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
    return Outcome(code, out.getvalue(), err.getvalue())


def _tidy(text: str) -> str:
    """Without trailing blanks, and without the word to whoever is first on a machine."""
    lines = (line.rstrip() for line in text.rstrip().splitlines() if "compiling the rules" not in line)
    return "".join(f"{line}\n" for line in lines)


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
