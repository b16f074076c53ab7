"""``python -m tests.golden.readme``: write the report that ``smsim run dot_ilp4 --top 4`` prints now into README.md."""

import re
from pathlib import Path

from tests.golden.harness import CASES, run

README = Path(__file__).parents[2] / "README.md"
COMMAND = "run dot_ilp4 --top 4"
WIDTH = 118


def updated(readme: str) -> str:
    """The README with its report, the block of text behind the line that names the command, made anew."""
    report = "".join(f"{line.rstrip()}\n" for line in run(COMMAND.split(), CASES, WIDTH).out.splitlines())
    block = rf"(The report of `smsim {COMMAND}`:\n\n```\n).*?(```\n)"
    text, found = re.subn(block, lambda match: match[1] + report + match[2], readme, flags=re.DOTALL)
    assert found == 1, f"README.md has no report of smsim {COMMAND}"
    return text


if __name__ == "__main__":
    README.write_text(updated(README.read_text()))
