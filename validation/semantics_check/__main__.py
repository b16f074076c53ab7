"""``python -m validation.semantics_check FOLDER``: write the folder for the GPU machine."""

import sys
from pathlib import Path

from validation.semantics_check.prepare import prepare

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m validation.semantics_check FOLDER")
    prepare(Path(sys.argv[1]))
