"""The command line, with a GPU that is none."""

import os
import sys
from pathlib import Path

import pytest

from smsim.cli import main

FAKE_GPU = Path(__file__).with_name("fake_gpu")


@pytest.fixture
def smsim(monkeypatch, tmp_path, capfd):
    """Run a command in an empty folder, with the fake GPU, 140 columns wide; the exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("PYTHONPATH", str(FAKE_GPU))
    monkeypatch.setenv("PATH", f"{FAKE_GPU}{os.pathsep}{os.environ['PATH']}")

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["smsim", *arguments])
        code = 0
        try:
            main()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        captured = capfd.readouterr()
        return code, captured.out, captured.err

    return run
