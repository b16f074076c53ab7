"""Machine code on disk: another process runs it, and inlines it into what is compiled there."""

import os
import subprocess
import sys
from pathlib import Path

FUNCTIONS = """
import sys
import numba
from isa.compiled import has_machine_code, keep_machine_code

def kept(function):
    compiled = numba.njit(function, forceinline=True)
    keep_machine_code(compiled, "digest")
    return compiled

@kept
def double(number):
    return 2 * number

@kept
def more(number):
    return double(number) + 1

print(has_machine_code(double), has_machine_code(more), globals()[sys.argv[1]](20))
"""


def call(folder: Path, function: str) -> str:
    """What a new process says: of which function there is machine code, and the function's answer to 20."""
    file = folder / "functions.py"
    if not file.exists():
        file.write_text(FUNCTIONS, encoding="utf-8")
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(
        [sys.executable, str(file), function], capture_output=True, text=True, check=True, env=environment
    )
    return answer.stdout.strip()


def test_machine_code_of_another_process_is_run_and_inlined(tmp_path: Path) -> None:
    assert call(tmp_path, "double") == "False False 40"
    assert call(tmp_path, "double") == "True False 40"
    assert call(tmp_path, "more") == "True False 41"
    assert call(tmp_path, "more") == "True True 41"
