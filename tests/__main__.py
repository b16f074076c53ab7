"""``python -m tests``: everything that must pass; the last lines are pytest's summary."""

import subprocess
import sys

# Compiles the rules while the checks run: else each of pytest's processes does.
COMPILING = ("smsim", "run", "dot_ilp4")
CHECKS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
)


def main() -> int:
    """Run the static checks, then the tests; 0 only when all of them pass."""
    with subprocess.Popen(COMPILING, stdout=subprocess.DEVNULL):
        failed = [check for check in CHECKS if subprocess.run(check, check=False).returncode]
    for check in failed:
        print(f"FAILED: {' '.join(check)}", flush=True)
    tests = subprocess.run([sys.executable, "-m", "pytest", "-n", "2", *sys.argv[1:]], check=False).returncode
    return tests or int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
