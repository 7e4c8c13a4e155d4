"""Rows of small tables, and checks of writes to such tables and reads from them."""

from __future__ import annotations

import threading

import pyarrow as pa

import hoodoo
from hoodoo import Table
from hoodoo.errors import CommitConflict
from hoodoo.testing.engine import write_arrow

__all__ = ["FIRST", "TABLE", "check_every_commit", "check_two_writers", "rows", "stored"]

TABLE = {"table_name": "t", "record_key": "id", "ordering": "ts", "partition_by": "city"}


def rows(*values, ts=1):
    """Return rows from triples of key, partition value and value; `ts` is the ordering value of all rows."""
    ids, cities, names = zip(*values, strict=True)
    return pa.table({"id": ids, "ts": [ts] * len(ids), "city": cities, "v": names})


def stored(path, options, **query):
    """Return the value of each key of a table."""
    table = Table(path, options).to_arrow(["id", "v"], **query)
    return dict(zip(table["id"].to_pylist(), table["v"].to_pylist(), strict=True))


FIRST = rows((1, "a b", "one"), (2, "a b", "two"), (3, "c", "three"))


def check_every_commit(path, options):
    """Write, change and delete rows, and read the table as of every commit."""
    first = write_arrow(FIRST, path, options)
    second = hoodoo.write(rows((2, "a b", "TWO"), (4, "d", "four"), ts=2), path, options)
    write_arrow(rows((1, "a b", ""), ts=3), path, {**options, "operation": "delete"})

    assert stored(path, options) == {2: "TWO", 3: "three", 4: "four"}
    assert stored(path, options, as_of=second.instant) == {1: "one", 2: "TWO", 3: "three", 4: "four"}
    assert stored(path, options, as_of=first.instant) == {1: "one", 2: "two", 3: "three"}


def check_two_writers(path, options):
    """Write from two threads at once, which repeat a write after a conflict, and check that no row is lost."""
    write_arrow(FIRST, path, options)
    done = []

    def write(number):
        for _ in range(20):
            try:
                write_arrow(rows((10 + number, f"p{number}", "new"), ts=2), path, options)
                done.append(number)
                return
            except CommitConflict:
                continue

    writers = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    assert sorted(done) == [0, 1]
    assert stored(path, options) == {1: "one", 2: "two", 3: "three", 10: "new", 11: "new"}
