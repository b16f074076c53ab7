"""How fast all SMs are simulated together: ``python -m benchmarks.whole_gpu [TIMES]``.

Warp-instructions per second of CPU time on one core: of the emulator, of the simulation, of the simulation where time
is asked for, too (of a warm launch that stores much a second one), of all together; and the peak of memory. TIMES makes
the launches longer: the loop over L1 has a million warp-instructions for each. The last, of a hundred million with
more accesses than most kernels make, shows what memory they take.
"""

import resource
import sys

import numpy as np

import kernels
import smsim
from benchmarks.engine import SOURCE
from benchmarks.timing import timed
from isa.module import load_source
from isa.trace.history import count_instructions
from smsim.module import Function, RawModule

SMS = smsim.load_machine("h100").num_sms
NO_LIMIT = 1 << 40  # instructions


def measure(title: str, function: Function, grid: int, block: int, args: list[object]) -> None:
    emulating, trace = timed(lambda: function.trace(grid, block, args, sms=SMS, max_instructions=NO_LIMIT), 1)
    simulating, result = timed(lambda: smsim.simulate(trace, sms=SMS), 1)
    instructions = int(count_instructions(trace).sum())
    timing, _ = timed(lambda: result.time_us, 1)
    all_times = (emulating, simulating, simulating + timing, emulating + simulating + timing)
    rates = (instructions / seconds / 1e6 for seconds in all_times)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{title:14} {instructions:12,} warp-instructions {result.cycles:10,} cycles  M/s: emulate %6.2f, simulate "
        f"%6.2f, with time %6.2f, all %6.2f;  {memory:6.0f} MB so far" % tuple(rates),
        flush=True,
    )


def main() -> None:
    times = int(sys.argv[1]) if sys.argv[1:] else 1
    module = RawModule(code=SOURCE)
    out, values = np.zeros(SMS * 1024, np.float32), np.ones(8193, np.float32)
    triad = kernels.get("stream_triad")
    stream = triad.launch("64mb")
    smsim.simulate(module.get_function("ffma_ilp1").trace(SMS, 32, (out, 0.5, 16), sms=SMS), sms=SMS)  # loads the rules
    measure("registers", module.get_function("ffma_ilp1"), SMS, 1024, [out, 0.5, 200 * times])
    measure("shared memory", module.get_function("shared_memory"), SMS, 512, [out, 0.5, 60 * times])
    measure("loop over L1", module.get_function("dot"), SMS, 256, [out, values, 8192, 4 * times])
    measure(
        "triad",
        Function(load_source(triad.code, triad.options, triad.source.name).program(triad.entry)),
        stream.grid[0],
        stream.block[0],
        stream.arguments(),
    )
    measure("100 million", module.get_function("shared_memory"), SMS, 512, [out, 0.5, 9120 * times])


if __name__ == "__main__":
    main()
