"""How shared memory serves an instruction.

Seen on the H100: microbenchmarks ``atoms``.
"""

from isa.instruction import Instruction
from smsim.fields import Fields

# A load; a store; an atomic, of which each lane has a pass of its own in its bank; one that tries a single lane, whose
# program tries again for the others.
LOAD, STORE, ATOMIC, TRY = range(4)


def set_shared_service(record: Fields, instruction: Instruction) -> None:
    """Set ``shared_service``, ``shared_passes``, ``sends_data`` and ``words`` of a record."""
    modifiers = frozenset(instruction.modifiers)
    record["words"] = 4 if "128" in modifiers else 2 if "64" in modifiers else 1
    record["takes_stage"] = instruction.opcode == "S2R"
    record["sends_data"] = instruction.opcode in ("STS", "ATOMS")
    record["shared_service"] = LOAD if instruction.opcode in ("LDS", "LD") else STORE
    record["shared_passes"] = 1
    if instruction.opcode in ("ATOMS", "ATOM"):
        # A count of one each is summed up over a word's lanes before.
        combined = STORE if "POPC" in modifiers else ATOMIC
        record["shared_service"] = TRY if "CAST" in modifiers else combined
        # A comparison reads before it writes.
        record["shared_passes"] = 2 if modifiers & {"CAS", "CAST"} else 1
