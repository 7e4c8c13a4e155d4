"""Creation of timeline files, with a check that this writer created them."""

from __future__ import annotations

from hoodoo.errors import CommitStateUnknown, StorageError
from hoodoo.storage import AlreadyExists, Missing, Storage

__all__ = ["create_early_file", "create_file", "ensure_file"]


def create_file(storage: Storage, path: str, body: bytes) -> None:
    """Create a file if it is absent; if the store does not confirm the creation, read the stored file.

    A lost response looks like a failure, or like an existing file if the store's client tried twice. If the
    stored content equals `body`, this writer counts as the creator: the body of a commit contains a token of its
    writer. With an empty body, a file that the store reports as existing counts as the file of another writer.

    Raises:
        AlreadyExists: Another writer created the file.
        CommitStateUnknown: It is unknown whether the file exists, because the store fails.
        StorageError: The store failed, and the file does not exist.
    """
    try:
        storage.create(path, body)
    except StorageError as failure:
        try:
            stored = storage.read(path)
        except Missing:
            raise failure from None
        except StorageError as unreadable:
            raise CommitStateUnknown(
                f"it is unknown whether '{path}' was created ({failure}; {unreadable}); "
                "check the timeline before you try again"
            ) from failure
        if stored != body or (not body and isinstance(failure, AlreadyExists)):
            raise AlreadyExists(f"create '{path}': another writer has created it") from failure


def create_early_file(storage: Storage, path: str, body: bytes) -> None:
    """Create a file as `create_file` does, before any data is written.

    An unknown outcome is an ordinary failure at that time, because no data can be lost.

    Raises:
        AlreadyExists: Another writer created the file.
        StorageError: The store failed.
    """
    try:
        create_file(storage, path, body)
    except CommitStateUnknown as unknown:
        raise StorageError(str(unknown)) from unknown


def ensure_file(storage: Storage, path: str, body: bytes) -> None:
    """Create a file unless it exists. All writers must give it equal content, or hold the table lock."""
    try:
        storage.create(path, body)
    except AlreadyExists:
        return
