"""Run every operation on the GPU and store what it gives: ``python record.py`` in the folder that ``prepare`` wrote.

Needs CuPy and NumPy only. Writes ``outputs.npz``: per operation uint64 (count,), and for FCHK one bit per pair.
"""

import json
from pathlib import Path
from typing import Any

import cupy
import numpy as np

FOLDER = Path(__file__).parent
SLOW_PATH = 0x7FC0DEAD
THREADS = 128


def run(function: Any, a: Any, b: Any, c: Any) -> Any:
    """Launch one thread per element and give the outputs."""
    out = cupy.zeros(a.size, cupy.uint64)
    function((a.size // THREADS,), (THREADS,), (a, b, c, out))
    return out.get()


def main() -> None:
    """Run all and write the outputs."""
    operations = json.loads((FOLDER / "operations.json").read_text())
    stored = np.load(FOLDER / "operands.npz")
    operands = {name: [cupy.asarray(row) for row in stored[name]] for name in stored.files}
    outputs: dict[str, Any] = {}
    for family, names in operations["families"].items():
        module = cupy.RawModule(path=str(FOLDER / f"{family}.cubin"))
        for name, kind in names.items():
            outputs[name] = run(module.get_function(name), *operands[kind])
    division = cupy.RawModule(path=str(FOLDER / "division.cubin")).get_function("f32_div_rn")
    a, b = operands["division"]
    outputs["fchk"] = np.packbits(run(division, a, b, b) == SLOW_PATH)
    np.savez_compressed(FOLDER / "outputs.npz", **outputs)
    print(f"{len(outputs)} operations, {(FOLDER / 'outputs.npz').stat().st_size} bytes")


if __name__ == "__main__":
    main()
