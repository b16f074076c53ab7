"""What every command does with stdout, stderr and files."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console, RenderableType

WIDTH_WITHOUT_TERMINAL = 120


def show(renderable: RenderableType) -> None:
    """Print a report on stdout."""
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDTH_WITHOUT_TERMINAL
    Console(width=width, highlight=False, markup=False, emoji=False).print(renderable)


def write(path: Path, text: str) -> None:
    """Write ``text`` to a file, whole or not at all, or to stdout when the path is "-"."""
    from isa.files import write_whole

    if str(path) == "-":
        sys.stdout.write(text)
    else:
        write_whole(path, text.encode())


def check_folders(paths: Iterable[Path | None]) -> None:
    """Before long work: the folders that its results will be written to are there.

    Raises:
        SmsimError: one is not.
    """
    from isa.errors import SmsimError

    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise SmsimError(f"cannot write {path}: there is no folder {path.parent}")


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show on stderr what is being done and for how long, on a terminal only; nothing remains of it."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(what, total=None)
        yield


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show on stderr how many of ``total`` are done, on a terminal only; what it gives is called after each."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda: None
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    times = (TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, *times, console=console, transient=True) as display:
        task = display.add_task(what, total=total)
        yield lambda: display.advance(task)


def tell_of_compiling() -> None:
    """Say on stderr that the first simulation on a machine takes longer."""
    from smsim.engines import is_compiled

    if not is_compiled():
        print("smsim: compiling the rules, once per machine: a minute or so", file=sys.stderr, flush=True)
