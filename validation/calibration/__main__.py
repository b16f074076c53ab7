"""Calibrate: `python -m validation.calibration prepare | run | record | show`.

prepare FOLDER [FAMILY...]      write the programs as bundles, here
run FOLDER OUT                  run the bundles on a GPU (or carry runner.py and the bundles to a GPU machine)
record OUT                      condense what the runs wrote into the recordings kept beside this package
show [FAMILY...]                print the recordings as tables
"""

import argparse
from pathlib import Path

from .bundle import FAMILIES, write
from .record import RESULTS, condense_all, read
from .runner import supervise
from .tables import show

REPEATS = 7


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        prog="python -m validation.calibration", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("command", choices=("prepare", "run", "record", "show"))
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    match options.command, options.arguments:
        case "prepare", [folder, *families]:
            for name in families or FAMILIES:
                print(write(name, Path(folder)))
        case "run", [folder, out]:
            Path(out).mkdir(parents=True, exist_ok=True)
            for bundle in sorted(Path(folder).glob("*.zip")):
                supervise(bundle, Path(out), REPEATS)
        case "record", [out]:
            for path in condense_all(Path(out), RESULTS):
                print(path)
        case "show", families:
            for name in families or FAMILIES:
                print(*show(name, read(RESULTS / f"{name}.json")), sep="\n")
        case _:
            parser.error(f"{options.command}: wrong arguments")


if __name__ == "__main__":
    main()
