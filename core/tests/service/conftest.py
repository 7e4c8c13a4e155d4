"""Fixtures: tables of the in-process writer, read with the package `hudi`."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

hudi = pytest.importorskip("hudi")

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts", "small_file_limit": 0}
BY_HAND = {"clean_automatic": False, "archive_automatic": False}


class Written:
    """A table, and models of its rows: the value by key now (`model`) and after each commit (`states`)."""

    def __init__(self, path, **options):
        self.path = str(path)
        self.options = OPTIONS | options
        self.model = {}
        self.states = {}

    @property
    def table(self):
        return hoodoo.Table(self.path)

    @property
    def storage(self):
        return storage_for(self.path)

    def write(self, keys, value, **more):
        """Write a value for keys, each in partition x (even number) or y (odd number), and return the commit."""
        keys = sorted(set(keys))
        rows = {"id": [f"k{n}" for n in keys], "p": ["xy"[n % 2] for n in keys], "ts": [value] * len(keys)}
        commit = write_arrow(pa.table(rows | {"v": [f"v{value}"] * len(keys)}), self.path, self.options | more)
        if more.get("operation") == "insert_overwrite_table":
            self.model = {}
        self.model = self.model | {f"k{n}": f"v{value}" for n in keys}
        self.states[commit.instant] = self.model
        return commit

    def rows(self, **query):
        return values(self.table.to_arrow(columns=["id", "v"], **query))

    def check(self):
        """Check that hoodoo and the package `hudi` read the rows of the model."""
        batches = hudi.HudiTableBuilder.from_base_uri(self.path).build().read()
        assert values(pa.Table.from_batches(batches)) == self.model
        assert self.rows() == self.model

    def files(self):
        return {info.path for info in self.storage.walk() if not info.path.endswith(".hoodie_partition_metadata")}

    def actions(self):
        return [instant.action for instant in self.table.timeline.instants]


def values(table):
    rows = table.select(["id", "v"]).to_pylist()
    found = {row["id"]: row["v"] for row in rows}
    assert len(found) == len(rows)
    return found


@pytest.fixture
def written(tmp_path):
    """Return a function that creates a table without automatic cleaning and archiving."""

    def make(**options):
        return Written(tmp_path / "t", **(BY_HAND | options))

    return make
