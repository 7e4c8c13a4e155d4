"""What a task says of each file it wrote; the driver makes the commit of these."""

from __future__ import annotations

import json

from attrs import asdict, frozen

__all__ = ["FileStatus"]


@frozen
class FileStatus:
    """One base file that was written, or would have been: `path` is empty where nothing changed and none was kept.

    Attributes:
        partition: Partition path.
        file_id: File group.
        path: Table-relative path of the file.
        previous: Instant of the file that it replaces, empty for a new group.
        rows: Rows in the file.
        inserted: Rows whose key was not stored.
        updated: Stored rows that changed.
        deleted: Stored rows that were removed.
        ignored: Incoming records that changed nothing: late ones, deletes of keys that are not stored.
        incoming: Incoming rows, before they met each other.
        size: Bytes of the file.
        seconds: Time to merge and write it.
    """

    partition: str
    file_id: str
    path: str
    previous: str
    rows: int
    inserted: int
    updated: int
    deleted: int
    ignored: int
    incoming: int
    size: int
    seconds: float

    def to_json(self) -> str:
        """One line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> FileStatus:
        """The inverse of `to_json`."""
        return cls(**json.loads(text))
