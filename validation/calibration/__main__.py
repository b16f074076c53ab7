"""`python -m validation.calibration prepare FOLDER [FAMILY...]`: write the bundles for the GPU machine."""

import argparse
from pathlib import Path

from .bundle import FAMILIES, write


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(prog="python -m validation.calibration")
    commands = parser.add_subparsers(dest="command", required=True)
    prepare = commands.add_parser("prepare", help="write the programs as bundles")
    prepare.add_argument("folder", type=Path)
    prepare.add_argument("families", nargs="*", default=FAMILIES)
    options = parser.parse_args()
    for name in options.families:
        print(write(name, options.folder))


if __name__ == "__main__":
    main()
