"""Records of logs, one per key."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.format.log import read_blocks
from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.merge.plugin_checks import GuardedDeleteRule
from hoodoo.plugin import BaseDeleteRule
from hoodoo.reading.slice.log_records import LogRecords, lacking_columns
from hoodoo.record import DeleteContext


class Dropping(BaseDeleteRule):
    """Delete rule that leaves out rows with the value `gone`."""

    def is_delete(self, rows, context):
        return np.zeros(rows.num_rows, dtype=bool)

    def drops(self, rows, deletes, context):
        return pc.equal(rows["v"], "gone").to_numpy()


@pytest.fixture
def folded(written):
    """Return a function that folds the logs of the only slice.

    It returns (key, value, is a delete) of each record, and (key, row number in the block) of each observed version.
    """

    def fold(limit=None, judge=None):
        [split] = written.table.splits()
        merge, seen = split.merge, []
        schema = pa.schema([field.with_nullable(True) for field in merge.schema])
        records = LogRecords(
            written.storage,
            schema,
            merge.rule.make_rule(),
            merge.keys,
            judge or merge.rule.make_judge(),
            on_block=lambda _, versions, rows: seen.extend(zip(versions.keys.to_pylist(), rows.tolist(), strict=True)),
        )
        if limit is not None:
            records._limit = limit
        blocks = [b for log in split.file_slice.logs for b in read_blocks(written.storage, log.path)]
        found = records.fold(blocks)
        values = zip(found.keys.to_pylist(), found.column("v").to_pylist(), found.is_delete.tolist(), strict=True)
        return list(values), seen

    return fold


@pytest.mark.parametrize("log_format", ["avro", "parquet"])
def test_the_winner_of_each_key_in_the_order_of_their_first_versions(written, folded, log_format):
    written.write(*((key, "x", 1, "") for key in "abc"), log_format=log_format)
    written.write(("b", "x", 3, "b3"), log_format=log_format)
    written.write(("a", "x", 2, "a2"), log_format=log_format)
    written.write(("b", "x", 2, "late"), log_format=log_format)
    written.write(("c", "x", 2, ""), deleted=True)
    found, logged = folded()
    assert found == [("b", "b3", False), ("a", "a2", False), ("c", None, True)]
    assert sorted(logged) == [("a", 0), ("b", 0), ("b", 0), ("c", 0)]


def test_row_numbers_are_those_in_the_block(written, folded, monkeypatch):
    """A block is decoded in several batches, and a delete rule leaves out rows."""
    written.write(*((key, "x", 1, "") for key in "abcdef"), log_format="parquet")
    written.write(*((key, "x", 2, "gone" if key in "ad" else "") for key in "abcdef"), log_format="parquet")
    everything = folded()[1]
    assert [row for _, row in everything] == list(range(6))
    monkeypatch.setattr("hoodoo.reading.slice.log_records.BATCH_ROWS", 2)
    assert folded()[1] == everything
    judge = DeleteJudge((GuardedDeleteRule(Dropping(), "dropping"),), DeleteContext())
    assert folded(judge=judge)[1] == [(key, row) for key, row in everything if key not in "ad"]


def test_versions_are_folded_before_there_are_too_many(written, folded):
    written.write(("a", "x", 1, ""))
    for n in (3, 2, 4):
        written.write(("a", "x", n, f"a{n}"))
    assert folded(limit=1)[0] == [("a", "a4", False)]


def test_columns_that_a_record_takes_from_an_older_version():
    schema = pa.schema([(name, pa.string()) for name in ("_hoodie_record_key", "_hoodie_operation", "a", "b")])
    assert lacking_columns(schema, ["a"]) == ["b"]
