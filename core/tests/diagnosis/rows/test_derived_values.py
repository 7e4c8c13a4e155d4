"""The comparison of stored keys and partition paths with the columns."""

from __future__ import annotations

import pyarrow.parquet as pq
import pytest

from hoodoo.diagnosis import Status


def rewrite(table, change):
    """Rewrite the file of partition x with changed columns; the file's size may differ from the size in the commit."""
    path = table.path / next(path for path in table.files() if path.startswith("x/"))
    rows = pq.ParquetFile(path).read().sort_by("_hoodie_record_key")
    pq.write_table(change(rows), path)


def replaced(rows, name, values):
    field = rows.schema.field(name)
    return rows.set_column(rows.schema.get_field_index(name), field, [values])


@pytest.mark.parametrize(
    ("check", "column", "values", "example"),
    [
        ("record keys", "id", ["k0", "other", "k4"], "the first has 'k2', not 'other'"),
        ("partition paths", "p", ["x", "x", "z"], "the first has 'x', not 'z'"),
        ("partition folders", "_hoodie_partition_path", ["x", "y", "x"], "the first has 'y', not 'x'"),
    ],
)
def test_a_row_that_differs_is_a_problem_with_its_key(table, found, check, column, values, example):
    rewrite(table, lambda rows: replaced(rows, column, values))

    diagnosis = table.diagnose()

    (finding,) = found(diagnosis, check)
    assert finding.status is Status.PROBLEM
    assert finding.found.startswith("1 of 6 rows ")
    assert finding.found.endswith(example)
    (place,) = finding.places
    assert place.partition == "x"
    assert place.key == ("k4" if check == "partition paths" else "k2")
    others = {"record keys", "partition paths", "partition folders"} - {check}
    assert {f.status for f in diagnosis.findings if f.check in others} == {Status.OK}


def test_an_unknown_key_generator_is_named_among_what_is_not_examined(table, found):
    table.set_property("hoodoo.keygen", "not-installed")
    diagnosis = table.diagnose()
    assert any("record keys and partition paths" in text and "not-installed" in text for text in diagnosis.unread)
    assert not found(diagnosis, "record keys")
    assert found(diagnosis, "partition folders", Status.OK)


def test_a_row_without_key_columns_is_a_problem_with_its_file(table, found):
    rewrite(table, lambda rows: replaced(rows, "id", ["k0", None, "k4"]))

    compared, refused = found(table.diagnose(), "record keys")

    assert (compared.status, compared.found) == (Status.OK, "3 rows compared")
    assert refused.status is Status.PROBLEM
    assert "record key column 'id' is null or empty in 1 of 3 rows" in refused.found
    assert refused.places[0].partition == "x"
    assert refused.places[0].file in table.files()
