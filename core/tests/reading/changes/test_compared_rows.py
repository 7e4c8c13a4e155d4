"""Changes between the rows before and after a commit."""

from __future__ import annotations

import json
from collections import Counter

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.reading.changes.compared_rows import ComparedSide, compared, images
from hoodoo.schema.meta_columns import COMMIT_SEQNO, COMMIT_TIME, RECORD_KEY

NAMES = ["v", COMMIT_TIME, COMMIT_SEQNO, RECORD_KEY]
SCHEMA = pa.schema([(name, pa.string()) for name in NAMES])


def tables(*batches):
    """Return batches of rows (key, sequence number, commit)."""
    return [
        pa.Table.from_pylist([dict(zip(NAMES, (f"{k}{s}", c, s, k), strict=True)) for k, s, c in batch], SCHEMA)
        for batch in batches
    ]


def found(before, after, is_merged=False):
    sides = (ComparedSide(lambda side=side: iter(side), is_merged) for side in (before, after))
    rows = [row for table in compared(*sides, "2") for row in table.to_pylist()]
    assert {row["ts_ms"] for row in rows} <= {"2"}

    def image(text):
        return None if text is None else json.loads(text)["v"]

    return sorted((row["op"], image(row["before"]), image(row["after"])) for row in rows)


def test_rows_that_the_commit_kept_are_no_changes():
    before = tables([("a", "1", "1"), ("b", "2", "1")], [("c", "3", "1")])
    after = tables([("a", "1", "1")], [("c", "4", "2"), ("d", "5", "2")])
    assert found(before, after) == [("d", "b2", None), ("i", None, "d5"), ("u", "c3", "c4")]
    assert found(before, before) == []


def test_rows_of_logs_are_compared_by_their_columns():
    """A merge may change a row and keep its commit, and a row of an earlier commit may be visible again."""
    before = tables([("a", "1", "1"), ("b", "2", "1")], [("c", "3", "1")])
    filled = before[0].set_column(0, NAMES[0], pa.array(["filled", "b2"]))
    after = [filled, *tables([("c", "4", "2"), ("d", "5", "1")])]
    assert found(before, after, is_merged=True) == [("i", None, "d5"), ("u", "a1", "filled"), ("u", "c3", "c4")]
    assert found(before, before, is_merged=True) == []


def test_one_side_alone():
    rows = tables([("a", "1", "2")], [], [("b", "2", "2")])
    assert found([], rows) == [("i", None, "a1"), ("i", None, "b2")]
    assert found(rows, []) == [("d", "a1", None), ("d", "b2", None)]
    assert found([], []) == []


def test_rows_of_one_key_are_paired_in_their_order():
    before = tables([("a", "1", "1"), ("a", "2", "1")])
    assert found(before, tables([("a", "3", "2"), ("a", "4", "2")])) == [("u", "a1", "a3"), ("u", "a2", "a4")]
    assert found(before, tables([("a", "1", "1"), ("a", "2", "1"), ("a", "3", "2")])) == [("i", None, "a3")]
    assert found(before, tables([("a", "3", "2")])) == [("d", "a2", None), ("u", "a1", "a3")]


def test_images_lack_meta_columns():
    assert images(tables([("a", "1", "1")])[0]).column_names == ["v"]


@settings(deadline=None)
@given(
    keys=st.lists(st.sampled_from("abc"), max_size=6),
    steps=st.lists(st.sampled_from("kudi"), max_size=8),
    is_merged=st.booleans(),
)
def test_changes_lead_from_one_state_to_the_other(keys, steps, is_merged):
    """Each row is kept, updated or deleted, and others are inserted; the number of changes of each kind is known."""
    before, after, expected = [], [], Counter()
    for place, (key, step) in enumerate(zip(keys, steps, strict=False)):
        if step != "i":
            before.append((key, f"{place}", "1"))
        if step == "k":
            after.append((key, f"{place}", "1"))
        if step in "ui":
            after.append((key, f"{place + 100}", "2"))
    lost = Counter(row[0] for row in before if row not in after)
    new = Counter(row[0] for row in after if row[2] == "2")
    for key in "abc":
        updated = min(lost[key], new[key])
        expected += Counter({"u": updated, "d": lost[key] - updated, "i": new[key] - updated})
    rows = found(tables(before), tables(after), is_merged)
    assert Counter(row[0] for row in rows) == +expected
    assert sorted(row[1] for row in rows if row[1]) == sorted(f"{k}{s}" for k, s, c in before if (k, s, c) not in after)
    assert sorted(row[2] for row in rows if row[2]) == sorted(f"{k}{s}" for k, s, c in after if c == "2")
