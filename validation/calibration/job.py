"""A calibration's folder: bundles and the runner to carry to a GPU machine, what it writes, and the recordings."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from . import bundle, record, runner
from .errors import CalibrationError

RAW = "out"  # of the runner, beside it
RECORDINGS = "recordings"


def prepare(folder: Path, families: Iterable[str], tell: Callable[[str], None]) -> None:
    """Write the families' bundles and the runner; ``tell`` hears of each bundle.

    Raises:
        CalibrationError: there is no such family.
    """
    names = list(families)
    bundle.check_names(names)
    folder.mkdir(parents=True, exist_ok=True)
    for stale in folder.glob("*.zip"):
        stale.unlink()
    shutil.copy(runner.__file__, folder / "runner.py")
    for name in names or bundle.FAMILIES:
        tell(str(bundle.write(name, folder)))


def require_gpu(folder: Path) -> None:
    """Refuse a machine on which nothing can be measured.

    Raises:
        CalibrationError: it has no CuPy, or no GPU.
    """
    if problem := runner.unfit():
        elsewhere = f"smsim calibrate --prepare-only writes {folder}, to be carried to a machine with a GPU"
        raise CalibrationError(f"{problem}; {elsewhere}")


def run(folder: Path) -> None:
    """Run all bundles of a folder on this machine's GPU, in processes whose output is passed through.

    Raises:
        CalibrationError: the runner could not do it; it has said why.
    """
    code = subprocess.run([sys.executable, str(folder / "runner.py")], check=False).returncode
    if code:
        raise CalibrationError(f"the runner stopped with exit status {code}")


def collect(folder: Path) -> Path:
    """Condense what the runner wrote into recordings; return their folder.

    Raises:
        CalibrationError: the runner wrote nothing, or a file is damaged.
    """
    raw, recordings = folder / RAW, folder / RECORDINGS
    found = sorted(raw.glob("*.npz"))
    if not found:
        raise CalibrationError(
            f"nothing to collect: {raw} has no .npz files; python3 {folder / 'runner.py'} writes them"
        )
    for path in found:
        try:
            record.write(path, recordings)
        except (OSError, ValueError, KeyError) as error:
            raise CalibrationError(f"{path}: damaged: {error}; run the bundle again") from None
    return recordings
