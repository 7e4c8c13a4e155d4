"""Kinds of files, and the tables that have them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from attrs import field, frozen

from tests.damage.damages import Span

from .archives import archive_of_layout_1, archive_of_layout_2
from .written import copy_on_write, merge_on_read, with_page_index

__all__ = ["EVERY_BIT", "KINDS", "Kind", "footer", "whole"]

VALUES = frozenset({"rows"})
"""Values may change, because the format has no checksum of them. Columns, row numbers and keys must not change."""

ANYTHING = frozenset({"rows", "keys"})
"""Damage may also change which rows exist, because no checksum shows the right ones."""


def whole(body: bytes) -> list[Span]:
    return [(0, len(body))]


def frames(body: bytes) -> list[Span]:
    """Return the spans of a log file around the contents of its blocks."""
    spans, at = [], 0
    for start, end in _contents(body):
        spans.append((at, start))
        at = end
    return [*spans, (at, len(body))]


def contents(body: bytes) -> list[Span]:
    """Return the spans of the contents of a log file's blocks."""
    return [(start, end) for start, end in _contents(body) if start < end]


def _contents(body: bytes) -> Iterable[Span]:
    at = 0
    while at < len(body):
        (size,) = struct.unpack_from(">Q", body, at + 6)
        place = at + 22
        (entries,) = struct.unpack_from(">I", body, place)
        place += 4
        for _ in range(entries):
            place += 8 + struct.unpack_from(">I", body, place + 4)[0]
        (length,) = struct.unpack_from(">Q", body, place)
        yield place + 8, place + 8 + length
        at += 14 + size


def footer(body: bytes) -> list[Span]:
    """Return the spans of a Parquet file's footer around the bloom filter, which is not read."""
    start = len(body) - 8 - struct.unpack("<I", body[-8:-4])[0]
    bloom = re.compile(rb"[A-Za-z0-9+/=]{1000,}").search(body, start)
    return [(start, bloom.start()), (bloom.end(), len(body))] if bloom else [(start, len(body))]


def footers_of_blocks(body: bytes) -> list[Span]:
    """Return the spans of the footers of a log file's Parquet blocks."""
    return [(start + at, start + stop) for start, end in contents(body) for at, stop in footer(body[start:end])]


def pages(body: bytes) -> list[Span]:
    """Return the span of a Parquet file's pages."""
    return [(4, footer(body)[0][0])]


def files(*patterns: str) -> Callable[[Path], list[Path]]:
    """Return a function that returns the nonempty files in a folder that match the patterns."""
    return lambda root: [
        path for pattern in patterns for path in root.glob(pattern) if path.is_file() and path.stat().st_size
    ]


def nothing(root: Path) -> None:
    """Leave the table unchanged."""


def without(*patterns: str) -> Callable[[Path], None]:
    """Return a function that removes files, for example to make a completed instant pending."""

    def remove(root: Path) -> None:
        found = files(*patterns)(root)
        assert found
        for path in found:
            path.unlink()

    return remove


@frozen
class Kind:
    """A kind of file.

    Attributes:
        name: A description of the files.
        table: The name of a real table; "" where `prepare` makes one.
        files: The function that returns the files of the kind in the folder of the table.
        spans: The function that returns the spans to damage in such a file.
        may_change: The parts of a result that may change without an error.
        action: The action of `reading_process.py` that examines the table, with its `arguments`.
        prepare: The function that changes or makes the table before files are damaged.
    """

    name: str
    table: str
    files: Callable[[Path], list[Path]]
    spans: Callable[[bytes], list[Span]] = whole
    may_change: frozenset[str] = frozenset()
    action: str = "read"
    arguments: dict[str, Any] = field(factory=dict)
    prepare: Callable[[Path], None] = nothing


TRIPS_6 = "quickstart_trips_table_mor_avro__v6_trips_8i1u"
TRIPS_8 = "quickstart_trips_table_mor_avro__v8_trips_8i3u1d"
TRIPS_9 = "sample_table_mor_avro__v9_txns_simple_nometa"
PLAIN_6 = "sample_table_cow__v6_nonpartitioned"
PARQUET_6 = "sample_table_mor_parquet__v6_complexkeygen_hivestyle"
COMMAND_6 = "sample_table_mor_parquet__v6_nonpartitioned_rollback"
OVERWRITTEN_6 = "sample_table_cow__v6_simplekeygen_nonhivestyle_overwritetable"
OVERWRITTEN_9 = "sample_table_cow__v9_txns_simple_overwrite"
DELETES_9 = "sample_table_mor_avro__v9_timebasedkeygen_nonhivestyle"
PROPERTIES = files(".hoodie/hoodie.properties")
LOGS = files("**/.*.log.*")
BASE_FILES = files("*.parquet", "*/*.parquet")
PENDING_COMPACTION = without(".hoodie/timeline/*.commit")

KINDS = {
    kind.name: kind
    for kind in (
        Kind("properties of version 6", TRIPS_6, PROPERTIES),
        Kind("properties of version 8", TRIPS_8, PROPERTIES),
        Kind("properties of version 9", DELETES_9, PROPERTIES),
        Kind("commits in JSON", PLAIN_6, files(".hoodie/*.commit")),
        Kind("delta commits in JSON", PARQUET_6, files(".hoodie/*.deltacommit")),
        Kind("replace commits in JSON", OVERWRITTEN_6, files(".hoodie/*.replacecommit")),
        Kind("commits in Avro", TRIPS_8, files(".hoodie/timeline/*.commit", ".hoodie/timeline/*.deltacommit")),
        Kind("replace commits in Avro", OVERWRITTEN_9, files(".hoodie/timeline/*.replacecommit")),
        Kind("requested and inflight instants", TRIPS_6, files(".hoodie/*.inflight")),
        Kind(
            "plans of pending compactions",
            TRIPS_8,
            files(".hoodie/timeline/*.compaction.requested"),
            prepare=PENDING_COMPACTION,
        ),
        Kind(
            "plans of pending clusterings",
            TRIPS_9,
            files(".hoodie/timeline/*.clustering.requested"),
            prepare=without(".hoodie/timeline/20260307135840454_*.replacecommit"),
        ),
        Kind("frames of Avro blocks", TRIPS_6, LOGS, frames),
        Kind("contents of Avro blocks", TRIPS_6, LOGS, contents, VALUES),
        Kind("frames of delete and Avro blocks", TRIPS_8, LOGS, frames, prepare=PENDING_COMPACTION),
        Kind("contents of delete blocks", DELETES_9, files("**/.*.log.1_0-93-281"), contents, ANYTHING),
        Kind("frames of parquet blocks", PARQUET_6, LOGS, frames),
        Kind("contents of parquet blocks", PARQUET_6, LOGS, contents, VALUES),
        Kind("frames of command and parquet blocks", COMMAND_6, LOGS, frames),
        Kind("footers of base files", PLAIN_6, BASE_FILES, footer),
        Kind("pages of base files", PLAIN_6, BASE_FILES, pages, VALUES),
        Kind("marks of partitions", TRIPS_6, files("*/.hoodie_partition_metadata")),
        Kind("golden commits in Avro", "mor8-by-1.0.2", files(".hoodie/timeline/*.deltacommit")),
        Kind("golden replace commits in JSON", "cow6-clustered-by-0.15.0", files(".hoodie/*.replacecommit")),
        Kind("golden replace commits in Avro", "cow9-clustered", files(".hoodie/timeline/*.replacecommit")),
        Kind(
            "golden plans of compactions", "mor9-compaction-pending", files(".hoodie/timeline/*.compaction.requested")
        ),
        Kind(
            "golden plans of clusterings", "cow9-clustering-pending", files(".hoodie/timeline/*.clustering.requested")
        ),
        Kind("golden frames of Avro blocks", "mor8-by-1.0.2", LOGS, frames),
        Kind("golden frames of parquet blocks", "mor9-parquet", LOGS, frames),
        Kind("golden frames of command blocks", "mor6-rolled-back-by-0.15.0", LOGS, frames),
        # the record key of a partial record is in no other column
        Kind("golden contents of partial updates", "mor9-merge-into", LOGS, contents, ANYTHING),
        Kind(
            "archives of layout 1",
            "",
            files(".hoodie/archived/*"),
            may_change=ANYTHING,
            action="archived",
            prepare=archive_of_layout_1,
        ),
        Kind(
            "archives of layout 2",
            "",
            files(".hoodie/timeline/history/*"),
            may_change=ANYTHING,
            action="archived",
            prepare=archive_of_layout_2,
        ),
    )
}

EVERY_BIT = {
    kind.name: kind
    for kind in (
        Kind("base files", "", BASE_FILES, whole, action="base files", prepare=copy_on_write),
        Kind("pages and page indexes", "", BASE_FILES, pages, VALUES, "base files", prepare=with_page_index),
        Kind("footers of parquet blocks", "", LOGS, footers_of_blocks, action="log files", prepare=merge_on_read),
        Kind(
            "footers of an archive",
            "",
            files(".hoodie/timeline/history/20240101000000000_*.parquet"),
            footer,
            action="archive files",
            prepare=archive_of_layout_2,
        ),
    )
}
"""Kinds of small files, in which single bits of the spans are flipped, by name."""
