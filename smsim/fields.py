"""What is set of an instruction's record, by name."""

from typing import Any

# Those of dtype :data:`smsim.code.INSTRUCTION`; of one that is an array lists, which are replaced, and never changed.
Fields = dict[str, Any]
