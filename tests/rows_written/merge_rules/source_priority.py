"""A merge rule that ranks rows and deletes by the column `source`, and functions that write and read its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

import hoodoo
from hoodoo.testing.engine import write_arrow

FLAG = "_hoodie_is_deleted"
RULE = '''
"""The version of the better source wins; of one source, the newer. A delete of the key alone outranks all sources."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.plugin import hookimpl
from hoodoo.record import Law, Outcome

__version__ = "1.0"


@frozen
class SourcePriority:
    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    whole_versions = True
    keeps_with_deletes = ("source",)

    def uses_ordering(self, config):
        return False

    def needs(self, schema, config):
        return ()

    def merge(self, older, newer, context, config):
        return Outcome.take_where(self._rank(newer) >= self._rank(older))

    def _rank(self, side):
        known = pc.index_in(side.column("source"), value_set=pa.array(["web", "crm"]))
        rank = pc.fill_null(known, -1).to_numpy(zero_copy_only=False)
        return np.where(side.is_delete & ~side.has_data, 9, rank)


@hookimpl
def hoodoo_merger():
    return SourcePriority
'''
RANK = {None: -1, "web": 0, "crm": 1, "key": 9}
SCHEMA = pa.schema(
    [("id", pa.string()), ("part", pa.string()), ("ts", pa.int64()), ("source", pa.string()), (FLAG, pa.bool_())]
)
OPTIONS = {"table_name": "t", "record_key": "id", "ordering": "ts", "merger": "source-priority"}
BUCKET = {"index": "bucket", "buckets": 1}
"""Options by which all changes of a merge-on-read table go to logs, those of new keys too."""
VERSIONS = (6, 8, 9)
Version = tuple[str, str | None]
"""Kind (`row` or `gone`) and source. The source `key` stands for a key-only delete, by the operation `delete`."""


def rows_of(versions: dict[str, Version], ts: int, part: str = "p") -> pa.Table:
    rows = [
        {"id": key, "part": part, "ts": ts, "source": source, FLAG: kind == "gone"}
        for key, (kind, source) in versions.items()
    ]
    return pa.Table.from_pylist(rows, SCHEMA)


def write(path: Path, versions: dict[str, Version], ts: int, **options: Any) -> None:
    """Write versions by key: rows and flagged deletes in one write, deletes of the key alone in another one."""
    rows = {key: version for key, version in versions.items() if version[1] != "key"}
    keys = {key: version for key, version in versions.items() if version[1] == "key"}
    if rows:
        write_arrow(rows_of(rows, ts), path, {**OPTIONS, **options})
    if keys:
        table = rows_of(dict.fromkeys(keys, ("gone", "web")), ts).drop_columns(["ts"])
        write_arrow(table, path, {**OPTIONS, **options, "operation": "delete"})


def create(path: Path, version: int, versions: dict[str, Version], **options: Any) -> None:
    """Create a table by a bulk insert. For version 8, a table of version 9 gets the properties of version 8."""
    write(path, versions, 1, table_version=9 if version == 8 else version, operation="bulk_insert", **options)
    if version == 8:
        file = path / ".hoodie/hoodie.properties"
        text = file.read_text()
        assert "hoodie.table.version=9" in text
        text = text.replace("hoodie.table.version=9", "hoodie.table.version=8")
        file.write_text(text.replace("hoodie.table.ordering.fields", "hoodie.table.precombine.field"))


def read(path: Path, **query: Any) -> dict[str, str | None]:
    rows = hoodoo.Table(path).to_arrow(["id", "source"], **query).to_pylist()
    found = {row["id"]: row["source"] for row in rows}
    assert len(found) == len(rows)
    return found
