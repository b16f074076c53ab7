"""A result as JSON, and its instructions as CSV.

address,text,file,line,issued,warp_cycles,selected,not_selected,wait,...
0x00f0,"FFMA R9, R4, R5, R6",saxpy.cu,4,8,6521,8,0,12,...
"""

import csv
import io
import json

from smsim.reasons import REASON_NAMES
from smsim.result import Result


def to_json(result: Result) -> str:
    """:meth:`Result.to_dict` as indented JSON; the same result gives the same text."""
    return json.dumps(result.to_dict(), indent=1) + "\n"


def to_csv(result: Result) -> str:
    """A row per SASS instruction in address order: where it is, how often it issued, warp-cycles by reason."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["address", "text", "file", "line", "issued", "warp_cycles", *REASON_NAMES])
    for row in result.instruction_stalls:
        where = (row.source.file, row.source.line) if row.source else ("", "")
        counts = [row.stalls[reason] for reason in REASON_NAMES]
        writer.writerow([f"{row.address:#06x}", row.text, *where, row.issued, row.warp_cycles, *counts])
    return file.getvalue()
