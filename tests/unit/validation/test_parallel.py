"""Cases over several processes."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass

from isa.errors import LaunchError
from validation.parallel import Failure, run_cases


@dataclass(frozen=True)
class Case:
    name: str
    number: int


CASES = [Case(f"case/{number}", number) for number in range(6)]


def double(case: Case) -> int:
    time.sleep(0.05 * (case.number == 0))  # the first ends last
    return 2 * case.number


def fail_some(case: Case) -> int:
    if case.number == 1:
        raise LaunchError("too large")
    if case.number == 2:
        raise ZeroDivisionError("by nothing")
    return case.number


def die(case: Case) -> int:
    if case.number == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return case.number


def test_outcomes_are_in_order_whatever_the_number_of_processes():
    expected = [2 * case.number for case in CASES]
    assert list(run_cases(double, CASES, jobs=1)) == expected
    assert list(run_cases(double, CASES, jobs=2)) == expected


def test_a_case_that_fails_is_told_and_the_rest_goes_on():
    first, second, third, *rest = run_cases(fail_some, CASES, jobs=1)
    assert (first, *rest) == (0, 3, 4, 5)
    assert str(second) == "case/1: too large"
    assert isinstance(third, Failure)
    assert third.message.startswith("internal error at test_parallel.py:")
    assert third.message.endswith("ZeroDivisionError: by nothing")


def test_a_process_that_dies_hangs_nothing():
    outcomes = list(run_cases(die, CASES, jobs=2))
    assert len(outcomes) == len(CASES)
    assert Failure("case/1", "its process ended, killed or out of memory; try --jobs 1") in outcomes


def test_leaving_early_ends_the_work():
    many = [Case(f"case/{number}", 0) for number in range(1000)]
    begin = time.monotonic()
    with closing(run_cases(double, many, jobs=2)) as outcomes:
        assert next(outcomes) == 0
    assert time.monotonic() - begin < 30  # all of it would take that long, and be waited for


SLEEPERS = """
import signal
import time
from dataclasses import dataclass
from validation.parallel import run_cases

@dataclass(frozen=True)
class Case:
    name: str

def sleep(case):
    print("working", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    list(run_cases(sleep, [Case("a"), Case("b")], jobs=2))
"""


def test_ctrl_c_ends_everything_at_once(tmp_path):
    script = tmp_path / "sleepers.py"
    script.write_text(SLEEPERS)
    path = os.pathsep.join(sys.path)
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        assert [process.stdout.readline(), process.stdout.readline()] == ["working\n"] * 2
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)  # ends only when the workers, which hold the pipes, have ended
    assert process.returncode == -signal.SIGINT
    assert error.rstrip().endswith("KeyboardInterrupt")
