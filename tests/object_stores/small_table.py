"""Rows and contents of the small tables of these tests."""

from __future__ import annotations

import pyarrow as pa

from hoodoo import Table

__all__ = ["FIRST", "TABLE", "rows", "stored"]

TABLE = {"table_name": "t", "record_key": "id", "ordering": "ts", "partition_by": "city"}


def rows(*values, ts=1):
    """Return rows of triples: key, partition and value."""
    ids, cities, names = zip(*values, strict=True)
    return pa.table({"id": ids, "ts": [ts] * len(ids), "city": cities, "v": names})


def stored(path, options, **query):
    """Return the value of each key of a table."""
    table = Table(path, options).to_arrow(["id", "v"], **query)
    return dict(zip(table["id"].to_pylist(), table["v"].to_pylist(), strict=True))


FIRST = rows((1, "a b", "one"), (2, "a b", "two"), (3, "c", "three"))
