"""Machine code of entries, and what is kept of the rules that they call."""

import subprocess
import sys
from pathlib import Path

SOURCE = """\
from smsim.rules.rule import entry, rule

@rule
def doubled(x: int) -> int:
    return 2 * x

@rule
def quadrupled(x: int) -> int:
    return doubled(doubled(x))

@entry
def four_times(x: int) -> int:
    return quadrupled(x)

@entry
def eight_times(x: int) -> int:
    return doubled(quadrupled(x))
"""


def printed(folder: Path, call: str) -> str:
    """What a call prints in a process of its own."""
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); import times; print({call})"
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def test_an_entry_calls_rules_that_another_process_compiled(tmp_path: Path) -> None:
    (tmp_path / "times.py").write_text(SOURCE)
    assert printed(tmp_path, "times.four_times(3)") == "12"
    loaded = "sum(times.quadrupled.stats.cache_hits.values())"
    assert printed(tmp_path, f"times.eight_times(3), {loaded}") == "24 1"
