"""How long ``smsim run`` takes for long loops from CUDA C: ``python -m benchmarks.whole_command [--write]``.

Each row is a command of its own, with all that it compiles on disk: it compiles the source, emulates and simulates one
SM that executes about 10^9 warp-instructions, of loops with accesses 10^7, by one block, or by two for 64 warps. CPU
seconds, warp-instructions per CPU second, and the peak of memory.
With ``--write`` the table goes into docs/whole_command.md.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

INSTRUCTIONS = 10**9
WITH_ACCESSES = 10**7  # each of them is emulated and simulated
CPU_LIMIT = 60  # seconds
WARPS = (1, 8, 16, 32, 64)
MOST_OF_A_BLOCK = 32  # warps
PAGE = Path(__file__).parent.parent / "docs" / "whole_command.md"

SOURCE = """
#define LOOP(name, start, body, sum) extern "C" __global__ void name(float *out, int n) { \\
    float a = out[threadIdx.x]; start \\
    for (int i = 0; i < n; i++) { body } \\
    out[threadIdx.x] = sum; }
#define FOUR float k = 1.1f, h = 0.5f, b = a + 1, c = a + 2, d = a + 3;
LOOP(ffma_ilp1, , a = a * 1.0001f + 0.5f;, a)
LOOP(ffma_ilp4, FOUR, a = a * k + h; b = b * k + h; c = c * k + h; d = d * k + h;, a + b + c + d)
LOOP(imad, int x = a;, x = x * x + 7;, x)
LOOP(mufu, , a = __sinf(a);, a)
LOOP(walk, unsigned j = threadIdx.x;, a += out[j]; j = (j + 33) & 1023;, a)
LOOP(shared, __shared__ volatile float s[1024]; s[threadIdx.x] = a;, s[threadIdx.x] = s[threadIdx.x ^ 1] + 1;, s[0])
LOOP(mufu_guarded, FOUR, a = rsqrtf(a); b = rsqrtf(b); c = rsqrtf(c); d = rsqrtf(d);, a + b + c + d)
"""
# Kernel, what it is, roughly its warp-instructions per iteration, and how many in all.
KERNELS = (
    ("ffma_ilp1", "FFMA, ILP 1", 1.1, INSTRUCTIONS),
    ("ffma_ilp4", "FFMA, ILP 4", 4.2, INSTRUCTIONS),
    ("imad", "IMAD, ILP 1", 1.2, INSTRUCTIONS),
    ("mufu", "MUFU.SIN, ILP 1", 2.2, INSTRUCTIONS),
    ("mufu_guarded", "rsqrtf, ILP 4: guards that depend on data", 17.2, INSTRUCTIONS),
    ("walk", "LDG, a walk through 4 KB", 6.2, WITH_ACCESSES),
    ("shared", "LDS and STS of the same words", 4.0, WITH_ACCESSES),
)


def measure(source: Path, kernel: str, warps: int, times: int) -> tuple[int, int, float, float] | None:
    """Cycles, warp-instructions, CPU seconds and MB of one command; ``None`` beyond the limit of CPU seconds."""
    blocks = -(-warps // MOST_OF_A_BLOCK)
    launch = ["--kernel", kernel, "--grid", str(blocks), "--block", str(32 * warps // blocks)]
    if blocks > 1:
        launch += ["--set", "gpu.num_sms=1"]
    arguments = ["--arg", "f32[1024]=ones", "--arg", f"i32={times}", "--json", "-"]
    with subprocess.Popen(
        [sys.executable, "-c", "from smsim.cli import main; main()", "run", str(source), *launch, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as command:
        resource.prlimit(command.pid, resource.RLIMIT_CPU, (CPU_LIMIT, CPU_LIMIT))
        assert command.stdout is not None
        output = command.stdout.read()
        _, status, usage = os.wait4(command.pid, 0)
        command.returncode = os.waitstatus_to_exitcode(status)
    if command.returncode:
        return None
    result = json.loads(output)
    return result["cycles"], result["instructions"], usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def rows() -> list[str]:
    """The table."""
    lines = ["| loop | warps | warp-instructions | cycles | CPU seconds | M warp-instructions/s | MB |"]
    lines.append("|-|-:|-:|-:|-:|-:|-:|")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "loops.cu"
        source.write_text(SOURCE, encoding="utf-8")
        measure(source, "ffma_ilp1", 1, 100)  # compiles what is not on disk yet
        for kernel, title, per_iteration, amount in KERNELS:
            measure(source, kernel, 1, 100)
            for warps in WARPS:
                measured = measure(source, kernel, warps, int(amount / warps / per_iteration))
                if measured is None:
                    lines.append(f"| {title} | {warps} | | | more than {CPU_LIMIT} | | |")
                else:
                    cycles, instructions, seconds, memory = measured
                    counts = f"{instructions:,} | {cycles:,} | {seconds:.2f} | {instructions / seconds / 1e6:,.0f}"
                    lines.append(f"| {title} | {warps} | {counts} | {memory:.0f} |")
                print(lines[-1], flush=True)
    return lines


def main() -> None:
    table = "\n".join(rows())
    if "--write" in sys.argv[1:]:
        intro = "Written by `python -m benchmarks.whole_command --write`; what the columns mean stands there."
        PAGE.write_text(f"# Whole commands\n\n{intro}\n\n{table}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
