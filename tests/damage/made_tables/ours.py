"""Tables that hoodoo wrote, and the kinds of their files.

No damage may change their rows or instants, except archived instants of version 6, on which no read of rows depends.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from hoodoo.testing.engine import write_arrow

from .kinds import ANYTHING, BASE_FILES, LOGS, PROPERTIES, Kind, files, without

__all__ = ["OUR_KINDS"]

VERSIONS = (6, 9)
NOTHING = frozenset[str]()
NO_SERVICES = {"clean_automatic": False, "archive_automatic": False}
SERVICES = {
    "commits_retained": 1,
    "keep_min_commits": 2,
    "keep_max_commits": 3,
    "compact_inline": True,
    "compact_after_commits": 2,
}


def rows(keys: str, value: int) -> pa.Table:
    """Return rows with keys such as `a1`, whose first letter is the partition."""
    names = keys.split()
    texts = [f"text of {name}, {value}" for name in names]
    numbers = pa.array([value] * len(names), pa.int64())
    return pa.table({"id": names, "p": [name[0] for name in names], "ts": numbers, "s": texts})


def changed(root: Path, version: int, log_format: str) -> dict[str, Any]:
    """Create a merge-on-read table with an insert, an update, a delete and an overwrite; return its options."""
    options = {
        "table_name": "t",
        "record_key": "id",
        "partition_by": "p",
        "ordering": "ts",
        "table_type": "merge-on-read",
        "log_format": log_format,
        "table_version": version,
    }
    write_arrow(rows("a1 a2 a3 b1 b2", 1), root, {**options, **NO_SERVICES})
    write_arrow(rows("a1 b1", 2), root, {**options, **NO_SERVICES})
    write_arrow(rows("a2", 3), root, {**options, **NO_SERVICES, "operation": "delete"})
    write_arrow(rows("b3", 4), root, {**options, **NO_SERVICES, "operation": "insert_overwrite"})
    return options


def served(root: Path, version: int, log_format: str) -> None:
    """Create the table of `changed`, compact it, clean it and archive its commits."""
    options = changed(root, version, log_format)
    write_arrow(rows("a1", 5), root, {**options, **SERVICES})


def without_the_last(*actions: str) -> Callable[[Path, int, str], None]:
    """Return a function that creates the table of `served`, and removes the completed instants of these actions."""

    def prepare(root: Path, version: int, log_format: str) -> None:
        served(root, version, log_format)
        without(*(f".hoodie/**/*.{action}" for action in actions))(root)

    return prepare


def _kinds(version: int) -> list[Kind]:
    def kind(name: str, prepare: Any, which: Any, log_format: str = "avro", **more: Any) -> Kind:
        make = partial(prepare, version=version, log_format=log_format)
        return Kind(f"our {name}, version {version}", "", which, prepare=make, **more)

    completed = files(*(f".hoodie/**/*.{action}" for action in ("deltacommit", "commit", "replacecommit")))
    archive = files(".hoodie/archived/.*", ".hoodie/timeline/history/*")
    begun = files(".hoodie/**/*.requested", ".hoodie/**/*.inflight")
    return [
        kind("properties", changed, PROPERTIES),
        kind("completed instants", changed, completed),
        kind("instants after services", served, completed),
        kind("instants before a write", served, completed, action="write"),
        kind("pending writes", without_the_last("commit", "clean"), begun, action="write"),
        kind("pending cleans", without_the_last("clean"), begun, action="write"),
        kind("cleans", served, files(".hoodie/**/*.clean"), action="write"),
        kind("logs of Avro and delete blocks", changed, LOGS),
        kind("logs of parquet blocks", changed, LOGS, "parquet"),
        kind("logs before a compaction", changed, LOGS, action="write"),
        kind("base files", changed, BASE_FILES),
        kind("base files before a write", served, BASE_FILES, action="write"),
        kind("archive", served, archive),
        # cut bytes may be what an interrupted archiver of Hudi left, whose instants are still on the timeline
        kind("archived instants", served, archive, action="archived", may_change=ANYTHING if version == 6 else NOTHING),
        kind("marks of partitions", served, files("*/.hoodie_partition_metadata"), action="write"),
        kind("lock files", served, files(".hoodie/.hoodoo.lock"), action="write"),
    ]


OUR_KINDS = {kind.name: kind for version in VERSIONS for kind in _kinds(version)}
