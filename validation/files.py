"""Files written whole or not at all, and JSON that changes only where its content does."""

import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

# A list of plain values, or a dictionary of numbers by number, that json.dumps spread over several lines.
_SPREAD_LIST = re.compile(r"\[\n\s+([^\[\]{}]*?)\n\s+\]")
_SPREAD_NUMBERS = re.compile(r'\{\n\s+((?:"\d+": \d+,\n\s+)*"\d+": \d+)\n\s+\}')
_LINE_BREAK = re.compile(r",\n\s+")


def replace_file(path: Path, content: bytes) -> None:
    """Write a file, and the folder that it lies in, so that readers see the old content or the new."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        Path(temporary).chmod(0o644)  # mkstemp's files are private
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def stable_json(plain: Any) -> str:
    """JSON text with sorted keys, one space of indentation, and one line for each list of plain values and for each
    dictionary of numbers by number.

    No string in ``plain`` may contain a bracket next to a line break; none can, JSON writes line breaks as ``\\n``.
    """
    text = json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False)
    text = _SPREAD_LIST.sub(lambda match: "[" + _LINE_BREAK.sub(", ", match.group(1)) + "]", text)
    return _SPREAD_NUMBERS.sub(lambda match: "{" + _LINE_BREAK.sub(", ", match.group(1)) + "}", text) + "\n"
