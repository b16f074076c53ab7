import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from tests.golden.harness import run

README = (Path(__file__).parents[2] / "README.md").read_text()
COMMANDS = [
    line.split("   ")[0]
    for line in README.splitlines()
    if re.match(r"smsim (run|kernels|disasm|machine)\b", line) and not line.endswith("\\")
]


def test_the_python_example_runs_as_it_stands() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)
    x, y = np.asarray(names["x"]), np.asarray(names["y"])
    # The call ran each block once, the trace once more.
    np.testing.assert_array_equal(y, 4 * x + 1)


def test_the_commands_were_found() -> None:
    assert "smsim run dot_ilp4 --set pipes.fma.latency=6" in COMMANDS


@pytest.mark.parametrize("command", [command for command in COMMANDS if not command.startswith("smsim run")])
def test_the_quick_commands_work_as_they_stand(command: str, tmp_path: Path) -> None:
    assert run(shlex.split(command)[1:], tmp_path).code == 0
