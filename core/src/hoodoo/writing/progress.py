"""Progress of a running write, which is shown only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from hoodoo.txn import Transaction, list_markers

__all__ = ["show_progress"]


@contextmanager
def show_progress(transaction: Transaction) -> Iterator[Callable[[], None]]:
    """Yield a function that shows the number of data files begun so far; it does nothing without a terminal.

    The files are counted by their markers, so this works with every kind of session and adds no work to the job.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda: None
        return
    with console.status(f"commit {transaction.time}: shuffling") as status:

        def update() -> None:
            files = len(list_markers(transaction.storage, transaction.time))
            if files:
                status.update(f"commit {transaction.time}: {files} data file{'' if files == 1 else 's'} started")

        yield update
