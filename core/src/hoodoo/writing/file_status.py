"""Status of each file that a task wrote, from which the driver builds the commit."""

from __future__ import annotations

import json

from attrs import asdict, frozen

from hoodoo.writing.data_files.data_file import DataFile, ReturnedFile

__all__ = ["FileStatus"]


@frozen
class FileStatus:
    """Status of one file; `path` is empty if nothing changed and no file was kept.

    Attributes:
        partition: Partition path.
        file_id: Id of the file group.
        path: Table-relative path of the file.
        previous: For a base file, the instant of the file that it replaces, "" for a new group. For a log file, the
            instant of its slice.
        rows: Rows in the file.
        inserted: Rows whose key was not stored, and all rows of an operation that looks no keys up.
        updated: Stored rows that changed; for a log of a user's upsert, all its rows if the slice is stored.
        deleted: Stored rows that were removed; for a log of a user's rows, all its deletes.
        ignored: Incoming records that changed nothing, such as late records and deletes of keys that are not stored.
        incoming: Incoming rows, before rows of one key were merged.
        size: Bytes of the file.
        seconds: Seconds to merge the rows and write the file.
        base_file: For a log file, the name of the slice's base file, "" without one and in timeline layout 2; None for
            a base file.
        log_files: For a log file, the names of the log files in its write stat.
        index_seconds: Seconds to look up the keys of its incoming rows.
        event_times: Smallest and largest event time of the incoming rows in the file, in milliseconds; None if event
            times are not tracked, or no row has one.
        refused: Record keys of some rows that the merge rule rejected in a statement, each with its clause number.
        origin: Qualifier of the partition path and text of the partition values, in one status per partition and task;
            None in the others, and if there is nothing to check.
        located: For a log file, whether the look-up found the key of each record in the slice.
        deletes: For a log file, whether readers may treat a record as a delete.
        returned: The file with its content, if the driver stores it; None if the task did.
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
    base_file: str | None = None
    log_files: tuple[str, ...] = ()
    index_seconds: float = 0.0
    event_times: tuple[int, int] | None = None
    origin: tuple[str | None, str] | None = None
    refused: tuple[tuple[str, int], ...] = ()
    located: bool = False
    deletes: bool = True
    returned: ReturnedFile | None = None

    @classmethod
    def nothing_written(cls, partition: str, incoming: int, ignored: int = 0) -> FileStatus:
        """Return the status of rows of a partition for which no file was written."""
        return cls(partition, "", "", "", 0, 0, 0, 0, ignored, incoming, 0, 0.0)

    def to_json(self) -> str:
        """Return the status as one line of JSON, without the content of a returned file."""
        values = asdict(self, recurse=False)
        values["returned"] = None if self.returned is None else asdict(self.returned.file)
        return json.dumps(values)

    @classmethod
    def from_json(cls, text: str, body: bytes | None = None) -> FileStatus:
        """Return the status that `to_json` wrote, with the content of its returned file."""
        values = json.loads(text)
        for name in ("event_times", "origin"):
            values[name] = None if values[name] is None else tuple(values[name])
        if body is not None:
            values["returned"] = ReturnedFile(DataFile(**values["returned"]), bytes(body))
        values["refused"] = tuple((key, number) for key, number in values["refused"])
        return cls(**{**values, "log_files": tuple(values["log_files"])})
