"""Small tables to read."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "partition_by": "p",
    "ordering": "ts",
    "table_type": "MERGE_ON_READ",
    "clean_automatic": False,
    "archive_automatic": False,
}


class Written:
    """A merge-on-read table of rows (key, partition, ordering value, value)."""

    def __init__(self, path):
        self.path = path

    def write(self, *rows, deleted=False, new=None, **options):
        """Upsert or delete rows, with a column `new` of this text if one is given, and return the instant."""
        columns = zip(*rows, strict=True)
        table = pa.table(dict(zip(SCHEMA.names, columns, strict=True)), schema=SCHEMA)
        if new is not None:
            table = table.append_column("new", pa.array([new] * len(rows)))
        operation = {"operation": "delete"} if deleted else {}
        return write_arrow(table, self.path, OPTIONS | operation | options).instant

    @property
    def table(self):
        return hoodoo.Table(self.path)

    @property
    def storage(self):
        return storage_for(self.path)

    @property
    def properties(self):
        return load_properties(self.storage)

    @property
    def timeline(self):
        return load_timeline(self.storage, self.properties)

    def values(self, **query):
        """Return the pairs of key and value that a query reads, sorted."""
        found = self.table.to_arrow(**{"columns": ["id", "v"], **query})
        return sorted((row["id"], row["v"]) for row in found.to_pylist())


@pytest.fixture
def written(tmp_path):
    return Written(tmp_path / "t")
