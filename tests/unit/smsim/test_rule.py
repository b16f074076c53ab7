"""Machine code of entries, and what is kept of the rules that they call."""

import subprocess
import sys
from functools import reduce
from pathlib import Path

SOURCE = """\
from smsim.rules.rule import apart, entry, rule

@rule
def doubled(x: int) -> int:
    return 2 * x

@rule
def quadrupled(x: int) -> int:
    return doubled(doubled(x))

@entry
def four_times(x: int) -> int:
    return quadrupled(x)

@apart
def summed(x: int) -> int:
    total = 0
    for i in range(x):
        total ^= (x + i) * 3
    return total

@entry
def once(x: int) -> int:
    return summed(x)

@entry
def one_more(x: int) -> int:
    return summed(x) + 1

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


def test_a_rule_that_stays_apart_is_called_where_another_process_compiled_it(tmp_path: Path) -> None:
    (tmp_path / "times.py").write_text(SOURCE)
    alone = int(printed(tmp_path, "times.once(7)"))
    assert alone == reduce(lambda total, i: total ^ (7 + i) * 3, range(7), 0)
    loaded = "sum(times.summed.stats.cache_hits.values())"
    assert printed(tmp_path, f"times.one_more(7), {loaded}") == f"{alone + 1} 1"


def test_machine_code_calls_its_own_rules_where_they_are_loaded_before_it(tmp_path: Path) -> None:
    (tmp_path / "times.py").write_text(SOURCE)
    alone = int(printed(tmp_path, "times.once(7)"))
    # To compile the second entry loads the rule; then comes the machine code of the first.
    assert printed(tmp_path, "times.one_more(7), times.once(7)") == f"{alone + 1} {alone}"
