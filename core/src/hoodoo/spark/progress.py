"""What a running write has done so far, on a terminal; silent anywhere else."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from hoodoo.txn import Transaction, list_markers

__all__ = ["show_progress"]


def show_progress(transaction: Transaction) -> Callable[[], None]:
    """A function that shows, each time it is called, how many files the write has begun.

    Tasks leave a marker for each file, so this works with any kind of session and costs the job nothing.
    """
    console = Console(stderr=True)
    if not console.is_terminal:
        return lambda: None

    def show() -> None:
        files = len(list_markers(transaction.storage, transaction.time))
        console.print(f"[dim]commit {transaction.time}: {files} files[/dim]", end="\r")

    return show
