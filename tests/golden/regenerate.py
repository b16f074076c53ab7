"""``python -m tests.golden.regenerate [CASE ...]``: write what the commands print now; read the difference before it
is committed."""

import sys

from tests.golden.harness import case_folders, run_case

if __name__ == "__main__":
    wanted = set(sys.argv[1:])
    for folder in case_folders():
        if not wanted or folder.name in wanted:
            (folder / "expected.txt").write_text(run_case(folder))
            print(folder.name)
