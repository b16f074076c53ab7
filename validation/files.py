"""JSON that changes only where its content does."""

import json
import re
from typing import Any

# A list of plain values, or a dictionary of numbers by number, that json.dumps spread over several lines.
_SPREAD_LIST = re.compile(r"\[\n\s+([^\[\]{}]*?)\n\s+\]")
_SPREAD_NUMBERS = re.compile(r'\{\n\s+((?:"\d+": \d+,\n\s+)*"\d+": \d+)\n\s+\}')
_LINE_BREAK = re.compile(r",\n\s+")


def stable_json(plain: Any) -> str:
    """JSON text with sorted keys, one space of indentation, and one line for each list of plain values and for each
    dictionary of numbers by number.

    No string in ``plain`` may contain a bracket next to a line break; none can, JSON writes line breaks as ``\\n``.
    """
    text = json.dumps(plain, indent=1, sort_keys=True, ensure_ascii=False)
    text = _SPREAD_LIST.sub(lambda match: "[" + _LINE_BREAK.sub(", ", match.group(1)) + "]", text)
    return _SPREAD_NUMBERS.sub(lambda match: "{" + _LINE_BREAK.sub(", ", match.group(1)) + "}", text) + "\n"
