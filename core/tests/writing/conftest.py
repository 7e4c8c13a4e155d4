"""Writes of small tables, planned without a table on disk, and their rows as records."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from attrs import evolve

from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.storage import LocalStorage
from hoodoo.txn.markers import open_markers
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.prepare.prepare import GROUPS, prepare
from hoodoo.writing.routing.task_plan import Distribution, TaskPlan

SCHEMA = pa.schema([("id", pa.string()), ("p", pa.string()), ("ts", pa.int64()), ("v", pa.string())])
OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "p", "ordering": "ts"}
INSTANT = "20260101000000000"
TWO_TASKS = Distribution(2)


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path / "t"))


@pytest.fixture
def prepared(storage):
    """Return a function that prepares a write of columns `id`, `p`, `ts` and `v` to the table, which need not exist."""

    def make(schema=SCHEMA, mode="append", **options):
        return prepare(storage, schema, parse({**OPTIONS, **options}, GROUPS), mode, default_catalogue())

    return make


@pytest.fixture
def plan_of(prepared):
    """Return a function that plans a write of `prepared` at an instant, for stored slices by partition and slot."""

    def make(slices=None, distribution=TWO_TASKS, schema=SCHEMA, **options):
        write = prepared(schema, **options)
        return TaskPlan(
            table=write.table,
            keys=evolve(write.keys, config=evolve(write.keys.config, instant=INSTANT, seed="0" * 32)),
            rule=write.rule,
            index=write.index,
            operation=write.operation,
            files=write.files,
            instant=INSTANT,
            slices=slices or {},
            distribution=distribution,
        )

    return make


@pytest.fixture
def rows():
    """Return a function that makes a table of rows; each row is a tuple of the values of the columns."""

    def make(*values, schema=SCHEMA):
        columns = zip(*values, strict=True) if values else [[] for _ in schema]
        return pa.table(dict(zip(schema.names, columns, strict=True)), schema=schema)

    return make


@pytest.fixture
def records(rows):
    """Return a function that makes the incoming records of a plan, one for each tuple.

    Records with the keys `deletes` are deletes; with `bare`, these have only a key.
    """

    def make(plan, *values, deletes=(), bare=False):
        table = rows(*values, schema=plan.table.schema)
        keys = table["id"].combine_chunks()
        gone = np.array([key in deletes for key in keys.to_pylist()], dtype=bool)
        rule = plan.rule.make_rule()
        return rule.incoming(table, plan.table.schema, keys, gone, ~gone if bare else None).records()

    return make


@pytest.fixture
def attempt(storage):
    """Return an attempt at task 7 of the write."""
    open_markers(storage, INSTANT, "test")
    return TaskAttempt(storage, WriteToken(7))
