"""Complete writes and services on a small table in memory, and the expected rows after each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
from attrs import frozen

import hoodoo
from hoodoo.options import ArchiveOptions, CleanOptions
from hoodoo.properties import dump_properties, parse_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.service import archive, clean, compact
from hoodoo.testing.engine import ArrowBatch
from hoodoo.txn import rollback_pending
from hoodoo.write_job import run_job
from hoodoo.writing.commit import Commit
from hoodoo.writing.data_files.task_attempt import WriteToken
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.tasks.slice_compaction import CompactTask
from hoodoo.writing.write import no_progress

from .faults import killed_at
from .store import Files, storage_of

__all__ = [
    "KINDS",
    "OPERATIONS",
    "REMOTE_KINDS",
    "Engine",
    "Kind",
    "Operation",
    "Rows",
    "prepared",
    "read",
    "read_rows",
    "write",
]

Rows = dict[str, tuple[str, int]]
"""Partition and value by record key."""

COMMON = {"table_name": "t", "record_key": "id", "partition_by": "p", "merger": "commit-time"}

SERVICES = {
    "commits_retained": 1,
    "keep_min_commits": 2,
    "keep_max_commits": 3,
    "compact_inline": True,
    "compact_after_commits": 2,
}
"""Options that keep so few commits that every service is due after every write."""

NO_SERVICES = {"clean_automatic": False, "archive_automatic": False}


@frozen
class Kind:
    """A kind of table: type, version, the format of its logs, and its store.

    Attributes:
        is_remote: Whether the store in memory is a remote one.
        store: A function that returns a new table without files in another store; None for the store in memory.
        returns_files: Whether tasks return small files to the writer, as those of Spark do.
    """

    type: str
    version: int
    log_format: str = "parquet"
    is_remote: bool = False
    store: Callable[[], Files] | None = None
    returns_files: bool = False

    @property
    def name(self) -> str:
        kind = "cow" if self.type == "COPY_ON_WRITE" else "mor"
        store = f"{'r' if self.is_remote else ''}{'d' if self.returns_files else ''}"
        return f"{kind}{self.version}{self.log_format[:1]}{store}"

    def new_table(self) -> Files:
        """Return a new table without files."""
        return Files(is_remote=self.is_remote) if self.store is None else self.store()

    @property
    def options(self) -> Mapping[str, Any]:
        created = {"table_version": 9 if self.version > 6 else 6}
        return {**COMMON, "table_type": self.type, "log_format": self.log_format, **created}

    @property
    def later_options(self) -> Mapping[str, Any]:
        """Return the options for an existing table, without a version, because version 8 cannot be created."""
        return {**COMMON, "table_type": self.type, "log_format": self.log_format}


KINDS = {
    kind.name: kind
    for kind in (
        Kind("COPY_ON_WRITE", 6),
        Kind("MERGE_ON_READ", 6),
        Kind("MERGE_ON_READ", 6, "avro"),
        Kind("COPY_ON_WRITE", 8),
        Kind("MERGE_ON_READ", 8, "avro"),
        Kind("COPY_ON_WRITE", 9),
        Kind("MERGE_ON_READ", 9),
    )
}

REMOTE_KINDS = {
    kind.name: kind
    for kind in (
        Kind("COPY_ON_WRITE", 6, is_remote=True),
        Kind("MERGE_ON_READ", 6, "avro", is_remote=True),
        Kind("COPY_ON_WRITE", 9, is_remote=True),
        Kind("MERGE_ON_READ", 9, is_remote=True),
        Kind("COPY_ON_WRITE", 9, is_remote=True, returns_files=True),
        Kind("MERGE_ON_READ", 6, "avro", is_remote=True, returns_files=True),
    )
}
"""Kinds of tables whose short writes keep the table lock. In the last two, the driver stores the files of tasks."""


@frozen
class Engine:
    """Engine that runs the tasks of a compaction in the calling thread."""

    def compact(self, tasks: Sequence[CompactTask], tag: str, progress: Callable[[], None]) -> list[FileStatus]:
        return [task(WriteToken(number)) for number, task in enumerate(tasks)]


def table_of(rows: Rows) -> pa.Table:
    columns = [list(rows), [p for p, _ in rows.values()], [v for _, v in rows.values()]]
    return pa.table(columns, pa.schema([("id", pa.string()), ("p", pa.string()), ("v", pa.int64())]))


def write(files: Files, kind: Kind, rows: Rows, *, new: bool = False, mode: str = "append", **options: Any) -> Commit:
    """Write rows without Spark, and return the commit; `new` is for the first write to a table."""
    given = {**(kind.options if new else kind.later_options), **options}
    batch = ArrowBatch(table_of(rows), 2)
    batch.runs_here = not kind.returns_files
    return run_job(batch, files.uri, given, mode, Engine(), no_progress)


def read(files: Files, **query: Any) -> Rows:
    """Read the rows of the current table with `read_rows`."""
    return read_rows(hoodoo.Table(files.uri), **query)


def read_rows(table: hoodoo.Table, **query: Any) -> Rows:
    """Read the rows of a table in this thread; a key that is stored twice is an error."""
    found: Rows = {}
    for split in table.splits(columns=["id", "p", "v"], **query):
        for row in split.read().read_all().to_pylist():
            assert row["id"] not in found, f"key {row['id']} is stored twice"
            found[row["id"]] = (row["p"], row["v"])
    return found


def prepared(kind: Kind) -> tuple[Files, Rows]:
    """Create a table with commits to compact, to clean and to archive; return its files and rows."""
    files = kind.new_table()
    rows: Rows = {"a1": ("a", 1), "a2": ("a", 1), "b1": ("b", 1), "b2": ("b", 1)}
    write(files, kind, rows, new=True, **NO_SERVICES)
    if kind.version == 8:
        as_version_8(files)
    for value in (2, 3, 4):
        change = {"a1": ("a", value), "b1": ("b", value)}
        write(files, kind, change, **NO_SERVICES)
        rows |= change
    return files, rows


def as_version_8(files: Files) -> None:
    """Change a table of version 9 into one of version 8, which differs only in its properties."""
    entries = parse_properties(files.bodies[PROPERTIES_FILE])
    entries |= {"hoodie.table.version": "8", "hoodie.table.initial.version": "8"}
    files.put(PROPERTIES_FILE, dump_properties(entries, ["Properties saved on 2026-01-01T00:00:00.000Z"]))


@frozen
class Operation:
    """An operation on a prepared table.

    Attributes:
        run: The function that runs the operation on the files of a table of a kind.
        after: A function that returns the rows after it from the rows before it.
        is_write: Whether it changes rows, so that a failure before its commit must keep the rows before it.
        later: The options that the next write must also have.
        prepare: The function that creates the table, and returns its files and rows.
    """

    run: Callable[[Files, Kind], object]
    after: Callable[[Rows], Rows] = dict
    is_write: bool = True
    later: Mapping[str, Any] = {}
    prepare: Callable[[Kind], tuple[Files, Rows]] = prepared


def _writing(operation: str, rows: Rows, **options: Any) -> Callable[[Files, Kind], object]:
    return lambda files, kind: write(files, kind, rows, operation=operation, **{**SERVICES, **options})


WITHOUT_METADATA = {"hoodie.metadata.enable": "false"}
CHANGES: Rows = {"a1": ("a", 50), "b2": ("b", 50), "c1": ("c", 50)}
NEW: Rows = {"a9": ("a", 60), "c1": ("c", 60)}
REPLACEMENT: Rows = {"a5": ("a", 70), "c1": ("c", 70)}


def _without(rows: Rows, *partitions: str) -> Rows:
    return {key: value for key, value in rows.items() if value[0] not in partitions}


def _compact(files: Files, kind: Kind) -> object:
    return compact(storage_of(files), Engine(), no_progress)


def _clean(files: Files, kind: Kind) -> object:
    return clean(storage_of(files), CleanOptions(commits_retained=1))


def _archive(files: Files, kind: Kind) -> object:
    options = ArchiveOptions(keep_min_commits=1, keep_max_commits=2)
    return archive(storage_of(files), options, CleanOptions(commits_retained=1))


def _roll_back(files: Files, kind: Kind) -> object:
    storage = storage_of(files)
    return rollback_pending(storage, hoodoo.Table(files.uri).timeline)


def leave_a_failed_write(files: Files, kind: Kind) -> None:
    """Leave the files of a writer that is killed after it wrote all of them."""
    killed_at(
        files,
        lambda: write(files, kind, CHANGES, **NO_SERVICES),
        lambda operation, path: operation == "create" and path.endswith((".commit", ".deltacommit")),
    )
    assert hoodoo.Table(files.uri).timeline.pending


def _with_a_failed_write(kind: Kind) -> tuple[Files, Rows]:
    files, rows = prepared(kind)
    leave_a_failed_write(files, kind)
    return files, rows


def _with_a_metadata_table(kind: Kind) -> tuple[Files, Rows]:
    """Create a table whose properties name a metadata table, which a write removes."""
    files, rows = prepared(kind)
    entries = parse_properties(files.bodies[PROPERTIES_FILE])
    entries["hoodie.table.metadata.partitions"] = "files"
    files.put(PROPERTIES_FILE, dump_properties(entries, ["Updated at 2026-01-01T00:00:00.000Z"]))
    files.put(".hoodie/metadata/files/x.hfile", b"stale")
    return files, rows


def _compacted(kind: Kind) -> tuple[Files, Rows]:
    """Create a table whose old slices a clean removes; in a merge-on-read table a compaction makes them old."""
    files, rows = prepared(kind)
    if kind.type == "MERGE_ON_READ":
        _compact(files, kind)
        change = {"a1": ("a", 5), "b1": ("b", 5)}
        write(files, kind, change, **NO_SERVICES)
        rows |= change
    return files, rows


def _create(files: Files, kind: Kind) -> object:
    return write(files, kind, NEW, new=True, **SERVICES)


OPERATIONS = {
    "create": Operation(_create, lambda before: NEW, prepare=lambda kind: (kind.new_table(), {})),
    "upsert": Operation(_writing("upsert", CHANGES), lambda before: before | CHANGES),
    "insert": Operation(_writing("insert", NEW), lambda before: before | NEW),
    "bulk_insert": Operation(_writing("bulk_insert", NEW), lambda before: before | NEW),
    "delete": Operation(
        _writing("delete", {"a1": ("a", 0), "b2": ("b", 0)}),
        lambda before: {key: row for key, row in before.items() if key not in ("a1", "b2")},
    ),
    "insert_overwrite": Operation(
        _writing("insert_overwrite", REPLACEMENT), lambda before: _without(before, "a", "c") | REPLACEMENT
    ),
    "insert_overwrite_table": Operation(_writing("insert_overwrite_table", REPLACEMENT), lambda before: REPLACEMENT),
    "delete_partition": Operation(
        _writing("delete_partition", {}, partitions_to_delete="a"), lambda before: _without(before, "a")
    ),
    "identified": Operation(_writing("upsert", CHANGES, write_id="w"), lambda before: before | CHANGES),
    "compaction": Operation(_compact, is_write=False),
    "clean": Operation(_clean, is_write=False, prepare=_compacted),
    "archive": Operation(_archive, is_write=False),
    "rollback": Operation(_roll_back, is_write=False, prepare=_with_a_failed_write),
    "metadata table": Operation(
        _writing("upsert", CHANGES, **WITHOUT_METADATA),
        lambda before: before | CHANGES,
        later=WITHOUT_METADATA,
        prepare=_with_a_metadata_table,
    ),
}
"""Operations by name."""
