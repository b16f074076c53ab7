"""A timeline of issued instructions in Chrome's trace format, for chrome://tracing or Perfetto.

A process per SMSP, a thread per warp slot, an event of one cycle per issue; a cycle is shown as a microsecond.
"""

import json
from typing import Any

from isa.program import Program
from smsim.listeners import BlockLaunched, Event, Issue, WarpExited


class Timeline:
    """A listener that keeps the events of a run; give it to :func:`smsim.simulate` and ask for the JSON afterwards."""

    def __init__(self, program: Program) -> None:
        self._texts = {instruction.address: instruction.text for instruction in program.instructions}
        self._events: list[dict[str, Any]] = []

    def __call__(self, event: Event) -> None:
        """Keep one event."""
        match event:
            case Issue():
                self._events.append(
                    {
                        "name": self._texts[event.address],
                        "ph": "X",
                        "ts": event.cycle,
                        "dur": 1,
                        "pid": event.smsp,
                        "tid": event.slot,
                        "args": {
                            "address": f"{event.address:#06x}",
                            "block": event.block,
                            "warp": event.warp,
                            "lanes": f"{event.lanes:#010x}",
                        },
                    }
                )
            case BlockLaunched():
                self._events.append(
                    {
                        "name": f"block {event.block} launched",
                        "ph": "i",
                        "s": "g",
                        "ts": event.cycle,
                        "pid": 0,
                        "tid": 0,
                    }
                )
            case WarpExited():
                self._events.append(
                    {"name": "exit", "ph": "i", "s": "t", "ts": event.cycle, "pid": event.smsp, "tid": event.slot}
                )

    def to_json(self) -> str:
        """The events as one JSON document."""
        names: list[dict[str, Any]] = [
            {"name": "process_name", "ph": "M", "pid": smsp, "args": {"name": f"SMSP {smsp}"}}
            for smsp in sorted({event["pid"] for event in self._events})
        ]
        return json.dumps({"traceEvents": names + self._events}) + "\n"
