"""The explanation of a key in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import OptionError
from hoodoo.options import parse
from hoodoo.plugin import default_catalogue
from hoodoo.schema.column_ids import ColumnsChange
from hoodoo.schema.evolution import changed_columns
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch


@pytest.fixture
def explain(tmp_path):
    return lambda key="a", *args, **more: hoodoo.Table(tmp_path / "t").explain(key, *args, **more)


def test_versions_are_in_order_of_arrival_and_the_winner_is_the_row(write, explain):
    first = write(("a", "x", 5, "first"), ("b", "x", 1, ""))
    second = write(("a", "x", 7, "second"))
    found = explain()
    [trace] = found.current
    assert [(v.number, v.place, v.commit) for v in trace.versions] == [(1, "base", first), (2, "log", second)]
    assert trace.winners == {2}
    assert found.rows[0]["v"] == "second"
    assert found.commits == {first: "upsert", second: "upsert"}
    assert found.searched == 1


def test_slices_without_the_key_are_left_out_and_counted(write, explain):
    write(("a", "x", 1, ""), ("b", "y", 1, ""))
    found = explain()
    assert [trace.partition for trace in found.current] == ["x"]
    assert found.searched == 2


def test_one_partition_is_searched_where_it_is_named(write, explain):
    write(("a", "x", 1, ""), ("a", "y", 1, ""))
    assert [trace.partition for trace in explain("a", "y").current] == ["y"]
    assert len(explain().rows) == 2


def test_older_slices_are_traced_as_well(write, explain, tmp_path):
    first = write(("a", "x", 5, "first"))
    write(("a", "x", 7, "second"))
    hoodoo.Table(tmp_path / "t").compact()
    found = explain()
    assert [trace.is_current for trace in (*found.current, *found.earlier)] == [True, False]
    assert found.earlier[0].base_instant == first
    assert [result.row["v"] for result in found.earlier[0].results] == ["second"]


def test_an_earlier_instant_is_explained_by_what_it_had(write, explain):
    first = write(("a", "x", 5, "first"))
    write(("a", "x", 7, "second"))
    assert explain(as_of=first).rows[0]["v"] == "first"


def test_a_text_that_is_not_an_instant_is_refused(write, explain):
    write(("a", "x", 5, "first"))
    with pytest.raises(OptionError):
        explain(as_of="not an instant")


def test_files_of_replaced_groups_are_named(write, explain):
    write(("a", "x", 5, "first"))
    replaced = write(("b", "x", 5, ""), operation="insert_overwrite")
    found = explain()
    [hidden] = found.hidden
    assert hidden.replaced_by == replaced
    assert hidden.file.startswith("x/")
    assert found.rows == ()


def test_an_unknown_key_has_an_answer_and_no_rows(write, explain):
    write(("a", "x", 5, "first"))
    found = explain("z")
    assert not found.found
    assert "No existing file has the record key 'z'" in found.answer("why_gone")


def change_columns(path: Path, change: ColumnsChange) -> None:
    """Commit a renaming and removal of columns, without rows."""
    batch = ArrowBatch(changed_columns(hoodoo.Table(path).schema, change).empty_table())
    batch.marks = (change,)
    write_batch(
        batch, storage_for(path), parse({"operation": "upsert"}, GROUPS), "append", catalogue=default_catalogue()
    )


def shown(version: Any) -> dict[str, Any]:
    """Return those of the values `note`, `remark` and `other` that the data of a version has."""
    return {name: value for name, value in version.data.items() if name in ("note", "remark", "other")}


@pytest.mark.parametrize("type_", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_versions_of_all_times_have_the_names_of_the_table(type_: str, tmp_path: Path) -> None:
    """Versions have the table's names after `note` became `remark`, `other` was dropped and a new `note` was added."""
    path, keep = tmp_path / "t", {"clean_automatic": False}
    options = {"table_name": "t", "record_key": "id", "ordering": "ts", "table_type": type_, **keep}
    rows = pa.table({"id": ["a", "b"], "ts": [1, 1], "note": ["x", "y"], "other": ["p", "q"]})
    write_arrow(rows, path, options)
    write_arrow(rows.set_column(1, "ts", pa.array([2, 2])), path, keep)
    change_columns(path, ColumnsChange({"note": "remark"}, ("other",)))
    write_arrow(pa.table({"id": ["a"], "ts": [3], "remark": ["z"], "note": ["new"]}), path, keep)
    found = hoodoo.Table(path).explain("a")
    traces = [*reversed(found.earlier), *found.current]
    versions = [version for trace in traces for version in trace.versions]
    base, last = {"remark": "x", "note": None}, {"remark": "z", "note": "new"}
    # the schema of a log block lacks a column that came later
    expected = [base, base, last] if type_ == "COPY_ON_WRITE" else [base, {"remark": "x"}, last]
    assert [shown(version) for version in versions] == expected
    assert [version.stored_names for version in versions] == [{"remark": "note"}] * 2 + [{}]
    assert (found.rows[0]["remark"], found.rows[0]["note"]) == ("z", "new")
    assert str(found).count("remark is named note") == 2
    assert found._repr_html_().count("remark is named note") == 2
    assert found.to_dict()["current"][0]["versions"][-1]["stored_names"] == {}
    before = hoodoo.Table(path).explain("b", as_of=hoodoo.Table(path).timeline.first_time)
    assert before.rows[0]["note"] == "y"
    assert hoodoo.Table(path).explain("b").rows[0]["remark"] == "y"
