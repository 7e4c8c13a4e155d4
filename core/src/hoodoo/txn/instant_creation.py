"""Creating files of the timeline so that the writer knows afterwards whether it was the one who created them."""

from __future__ import annotations

from hoodoo.errors import CommitStateUnknown, StorageError
from hoodoo.storage import AlreadyExists, Missing, Storage

__all__ = ["create_early_file", "create_file", "ensure_file"]


def create_file(storage: Storage, path: str, body: bytes) -> None:
    """Put if absent, and where the store does not confirm it read back what is there.

    An answer that got lost looks like a failure, and like a name that is taken where the store tried twice. What is
    there is ours where it equals the body: bodies hold a token of their writer. An empty body says nothing, so that a
    name that is taken counts as taken by another writer then.

    Raises:
        AlreadyExists: The file is another writer's.
        CommitStateUnknown: The store does not say whether the file is there.
        StorageError: The file is not there.
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
                f"whether '{path}' was created is unknown ({failure}; {unreadable}); "
                "look at the timeline before trying again"
            ) from failure
        if stored != body or (not body and isinstance(failure, AlreadyExists)):
            raise AlreadyExists(f"create '{path}': another writer has created it") from failure


def create_early_file(storage: Storage, path: str, body: bytes) -> None:
    """As `create_file`, before any data is written: a store that does not say has failed like any other then."""
    try:
        create_file(storage, path, body)
    except CommitStateUnknown as unknown:
        raise StorageError(str(unknown)) from unknown


def ensure_file(storage: Storage, path: str, body: bytes) -> None:
    """Put, unless somebody did. For steps that are the same whoever takes them, or that the table's lock guards."""
    try:
        storage.create(path, body)
    except AlreadyExists:
        return
