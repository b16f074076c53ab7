"""Run bundles of microbenchmarks.

The half of the calibration that runs on the GPU machine: needs CuPy, NumPy and the standard library only. Beside the
bundles, as `smsim calibrate --prepare-only` writes them, no arguments are needed:

    python3 runner.py [BUNDLE...] [--out DIRECTORY] [--repeats 7]

A bundle is a zip of cubins with `manifest.json`. Each bundle runs in a process of its own; when that process dies or
hangs (an illegal instruction poisons the CUDA context), the program that it was at is noted as failed and a new process
goes on behind it. The output is `<bundle>.npz`: per program and launch an array uint32 [repeat, warp, record].
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

PROGRAM_SECONDS = 8  # longest time without progress before a process counts as hanging
SAVED_EVERY = 50  # programs: what a process that is killed may lose
MOST_FAILURES = 25  # each costs a new process
RECORDS = 64
UNWRITTEN = 0xFFFFFFFF
WARPS = 400 * 32  # that a launch may have
DATA_BYTES = 600 << 20
FLUSH_BYTES = 256 << 20  # several times what L2 holds
HOST_BYTES = 1 << 20
MAX_DYNAMIC_SHARED, SHARED_CARVEOUT = 8, 9  # CUfunction_attribute
CHASE_MARGIN = 64 << 20  # bytes behind a ring in which launches with an advanced pointer run


def main() -> None:
    """Run every bundle given on the command line, or all that lie beside this file."""
    here = Path(__file__).parent
    parser = argparse.ArgumentParser()
    parser.add_argument("bundles", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=here / "out")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--child", type=int, help="internal: first program of this process")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    bundles = options.bundles or sorted(here.glob("*.zip"))
    if problem := unfit() if bundles else "no bundles here; smsim calibrate --prepare-only writes them":
        sys.exit(f"runner.py: {problem}")
    for bundle in bundles:
        if options.child is None:
            supervise(bundle, options.out, options.repeats)
        else:
            run(bundle, options.out, options.repeats, options.child)


def unfit() -> str:
    """Why nothing can run on this machine; empty when it can."""
    if importlib.util.find_spec("cupy") is None:
        return "no CuPy here: pip install cupy-cuda13x"
    try:
        environment()
    except (OSError, subprocess.CalledProcessError):
        return "no NVIDIA GPU here: nvidia-smi does not answer"
    return ""


def supervise(bundle: Path, out: Path, repeats: int) -> None:
    """Run a bundle in child processes until each of its programs has run or failed."""
    count = len(programs_of(bundle))
    first = 0
    failed: dict[int, list[str]] = {}
    parts: list[int] = []
    started = time.time()
    while first < count:
        progress = out / f"{bundle.stem}.progress"
        progress.write_text(str(first))
        command = [sys.executable, __file__, str(bundle), "--out", str(out), "--repeats", str(repeats)]
        child = subprocess.Popen([*command, "--child", str(first)], stderr=subprocess.PIPE, text=True)
        seen, since = first, time.time()
        while child.poll() is None:
            time.sleep(0.05)
            now = int(progress.read_text() or seen)
            if now != seen:
                seen, since = now, time.time()
            elif time.time() - since > PROGRAM_SECONDS + 20 * (now == first):
                child.kill()
        message = str(child.communicate()[1])
        parts.append(first)
        reached = int(progress.read_text() or seen)
        if child.returncode != 0:
            failed[reached] = message.strip().splitlines()[-1:] or [f"exit status {child.returncode}"]
            reached += 1
        if len(failed) > MOST_FAILURES:
            print(f"{bundle.stem}: given up after {len(failed)} failures")
            break
        first = reached
        progress.unlink()
    merge(bundle, out, parts, failed)
    print(f"{bundle.stem}: {count} programs, {len(failed)} failed, {time.time() - started:.1f} s", flush=True)


def programs_of(bundle: Path) -> list[dict[str, Any]]:
    """Return the manifest's list of programs."""
    with zipfile.ZipFile(bundle) as archive:
        programs: list[dict[str, Any]] = json.loads(archive.read("manifest.json"))["programs"]
    return programs


def merge(bundle: Path, out: Path, parts: list[int], failed: dict[int, list[str]]) -> None:
    """Join the arrays of the child processes into one file."""
    arrays: dict[str, Any] = {}
    for first in parts:
        part = out / f"{bundle.stem}.part{first}.npz"
        if part.exists():
            with np.load(part) as data:
                arrays.update({key: data[key] for key in data.files})
            part.unlink()
    arrays["programs"] = np.array(json.dumps(programs_of(bundle)))
    arrays["failed"] = np.array(json.dumps(failed))
    arrays["environment"] = np.array(json.dumps(environment()))
    np.savez_compressed(out / f"{bundle.stem}.npz", **arrays)


def environment() -> dict[str, str]:
    """Return GPU, driver and date."""
    command = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]
    name, driver = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split(", ")[:2]
    return {"gpu": name, "driver": driver, "date": time.strftime("%Y-%m-%d", time.gmtime())}


def run(bundle: Path, out: Path, repeats: int, first: int) -> None:
    """Run the programs of a bundle from index `first` on; save what was measured even when one fails."""
    arrays: dict[str, Any] = {}
    progress = out / f"{bundle.stem}.progress"
    part = out / f"{bundle.stem}.part{first}.npz"
    gpu = Gpu()
    try:
        programs = programs_of(bundle)
        with zipfile.ZipFile(bundle) as archive:
            for index in range(first, len(programs)):
                progress.write_text(str(index))
                kernel = gpu.load(archive.read(programs[index]["file"]))
                for number, launch in enumerate(programs[index]["launches"]):
                    arrays[f"{index}_{number}"] = gpu.answer(programs[index], kernel, launch, repeats)
        progress.write_text(str(len(programs)))
    finally:
        np.savez(part, **arrays)


class Gpu:
    """The GPU: loads cubins, launches their kernel, keeps the output and data buffers."""

    def __init__(self) -> None:
        import cupy  # noqa: PLC0415 -- only the child process owns a CUDA context

        self._cupy = cupy
        self._output = cupy.empty(RECORDS * WARPS, dtype=cupy.uint32)
        self._data = cupy.zeros(DATA_BYTES // 8, dtype=cupy.uint64)
        self._content = "zero"
        self._other = cupy.zeros(FLUSH_BYTES // 8, dtype=cupy.uint64)
        self._host = cupy.cuda.alloc_pinned_memory(HOST_BYTES)

    def load(self, cubin: bytes) -> Any:
        """Return the kernel of a cubin."""
        module = self._cupy.cuda.function.Module()
        module.load(cubin)
        return module.get_function("shell")

    def answer(self, program: dict[str, Any], kernel: Any, launch: dict[str, Any], repeats: int) -> np.ndarray:
        """What a program asks under one launch: records of its warps, or, by its kind, what the driver says."""
        if program["kind"] == "attribute":
            return np.array([self._cupy.cuda.runtime.deviceGetAttribute(program["meta"][launch["label"]], 0)])
        if program["kind"] == "blocks":
            return self.blocks(kernel, launch["threads"], program["meta"])
        table = [self.records(kernel, launch, repeat) for repeat in range(repeats)]
        words: np.ndarray = np.array(table)[:, :, : program["records"]]
        return words

    def blocks(self, kernel: Any, threads: int, meta: dict[str, Any]) -> np.ndarray:
        """[registers per thread, bytes of dynamic shared memory, blocks that fit on an SM], one row per amount."""
        driver = self._cupy.cuda.driver
        amounts = range(0, meta["shared"] + 1, meta["step"])
        driver.funcSetAttribute(kernel.ptr, MAX_DYNAMIC_SHARED, meta["shared"])
        fit = [driver.occupancyMaxActiveBlocksPerMultiprocessor(kernel.ptr, threads, amount) for amount in amounts]
        return np.array([[meta["registers"], amount, count] for amount, count in zip(amounts, fit, strict=True)])

    def records(self, kernel: Any, launch: dict[str, Any], repeat: int) -> np.ndarray:
        """Launch once; return uint32 [warp, record] of the warps that took part, in the order of block and warp."""
        blocks, warps = launch["blocks"], launch["threads"] // 32
        if launch["data"] == "host":
            data = self._host.ptr
        else:
            self._fill(launch["data"])
            data = self._data.data.ptr + repeat * launch["advance"]
        self._output[: blocks * warps * RECORDS] = UNWRITTEN
        arguments = (np.uint64(self._output.data.ptr), np.uint32(launch["warps"]), np.uint32(0), np.uint64(data))
        self._configure(kernel, launch)
        if launch["flush"]:
            self._other.sum()  # reads: L2 keeps nothing that has still to be written back
        kernel((blocks,), (launch["threads"],), arguments, shared_mem=launch["shared"])
        self._cupy.cuda.runtime.deviceSynchronize()
        table = self._cupy.asnumpy(self._output[: blocks * warps * RECORDS]).reshape(blocks * warps, RECORDS)
        taking_part: np.ndarray = table[[w for w in range(blocks * warps) if launch["warps"] >> w % warps & 1]]
        return taking_part

    def _configure(self, kernel: Any, launch: dict[str, Any]) -> None:
        """Set what the driver must know of a kernel before it divides L1 for a launch."""
        driver = self._cupy.cuda.driver
        driver.funcSetAttribute(kernel.ptr, MAX_DYNAMIC_SHARED, launch["shared"])
        driver.funcSetAttribute(kernel.ptr, SHARED_CARVEOUT, launch["carveout"])

    def _fill(self, content: str) -> None:
        """Fill the data buffer: "zero", or "chase:<stride>:<elements>", a ring of 64-bit pointers.

        In a ring every 8-byte word points `stride` bytes on, past the end back by the ring's length.
        """
        if content == self._content:
            return
        cupy = self._cupy
        self._data[:] = 0
        if content.startswith("chase:"):
            stride, elements = map(int, content.split(":")[1:])
            ring = stride * elements
            index = cupy.arange(min(ring + CHASE_MARGIN, DATA_BYTES) // 8, dtype=cupy.uint64) * 8
            step = cupy.where(index % ring + stride < ring, index + stride, index + stride - ring)
            self._data[: step.size] = step + cupy.uint64(self._data.data.ptr)
        cupy.cuda.runtime.deviceSynchronize()
        self._content = content


if __name__ == "__main__":
    main()
