"""The cost of work on a table is proportional to the number of columns, not to its square.

The processor time of this process for eight times as many columns is compared with that for the smaller number. The
smallest of a few measurements is used, and the limit is far from both kinds of work, so that the machine and its other
load do not decide. A number of function calls would not do: a list of names that is built per column is one call.
"""

from __future__ import annotations

import gc
import itertools
import time

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow

pytestmark = pytest.mark.slow

FEW, MANY = 500, 4000
MOST = 20
"""Limit of the ratio: linear work takes about 8 times as long, and a comparison of all pairs of columns up to 64."""

ATTEMPTS = 5
ROWS = 4
LOGS = {"table_type": "merge-on-read"}
PARTIAL = {"merger": "event-time-partial", "merger_options": {"partial": "ignore-defaults"}}


class Wide:
    """Tables with `columns` columns, alternately of numbers and texts."""

    def __init__(self, columns, folder):
        self.names = [f"column_{number}" for number in range(columns)]
        self.folder = folder
        self.versions = itertools.count(1)
        self.stored = {
            "plain": self.write("plain"),
            "partial": self.write("partial", **PARTIAL),
            **{log: self.log(self.write(log, log_format=log, **LOGS), log) for log in ("avro", "parquet")},
        }

    def rows(self):
        version = next(self.versions)
        kinds = itertools.cycle([pa.array([version] * ROWS, pa.int64()), pa.array([f"v{version}"] * ROWS)])
        columns = dict(zip(self.names, kinds, strict=False))
        return pa.table({"id": list("abcd"), "ts": pa.array([version] * ROWS, pa.int64()), **columns})

    def write(self, table, **options):
        path = str(self.folder / table)
        write_arrow(self.rows(), path, {"table_name": "t", "record_key": "id", "ordering": "ts", **options}, cores=1)
        return path

    def log(self, path, log):
        self.write(log, log_format=log, **LOGS)
        return path

    def table(self, name):
        return hoodoo.Table(self.stored[name])


def compacted(wide):
    wide.log(wide.stored["avro"], "avro")
    assert wide.table("avro").compact() is not None
    wide.log(wide.stored["avro"], "avro")


OPERATIONS = {
    "create": lambda wide: wide.write(f"new {next(wide.versions)}"),
    "upsert": lambda wide: wide.write("plain"),
    "partial upsert": lambda wide: wide.write("partial", **PARTIAL),
    "write to a log of Avro": lambda wide: wide.write("avro", log_format="avro", **LOGS),
    "write to a log of Parquet": lambda wide: wide.write("parquet", log_format="parquet", **LOGS),
    "read": lambda wide: wide.table("plain").to_arrow(),
    "filter": lambda wide: wide.table("plain").to_arrow(["id"], pc.field("column_10") > 0),
    "read with a log of Avro": lambda wide: wide.table("avro").to_arrow(),
    "read with a log of Parquet": lambda wide: wide.table("parquet").to_arrow(),
    "explain": lambda wide: str(wide.table("parquet").explain("a")),
    "compact": compacted,
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Return the narrower and the wider tables."""
    return [Wide(columns, tmp_path_factory.mktemp(f"wide_{columns}")) for columns in (FEW, MANY)]


def seconds(work, wide):
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        work(wide)
        return time.process_time() - start
    finally:
        gc.enable()


@pytest.mark.nightly
@pytest.mark.parametrize("what", OPERATIONS)
def test_cost_is_in_proportion_to_columns(what, tables):
    best = [float("inf")] * 2
    for _ in range(ATTEMPTS):
        best = [min(least, seconds(OPERATIONS[what], wide)) for least, wide in zip(best, tables, strict=True)]
        if best[1] < MOST * best[0]:
            return
    pytest.fail(f"the cost is not linear: {best[0]:.3f} s for {FEW} columns and {best[1]:.3f} s for {MANY}")
