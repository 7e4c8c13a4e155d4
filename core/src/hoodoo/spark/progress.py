"""What a running write has done so far, on a terminal; silent anywhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from hoodoo.txn import Transaction, list_markers

__all__ = ["show_progress"]


@contextmanager
def show_progress(transaction: Transaction) -> Iterator[Callable[[], None]]:
    """Show how many base files the write has begun, each time the function that it gives is called.

    Tasks leave a marker for each file, so this works with any kind of session and costs the job nothing.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda: None
        return
    with console.status(f"commit {transaction.time}: shuffling") as status:

        def update() -> None:
            files = len(list_markers(transaction.storage, transaction.time))
            if files:
                status.update(f"commit {transaction.time}: {files} base files begun")

        yield update
