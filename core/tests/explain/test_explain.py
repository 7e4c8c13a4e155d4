"""The explanation of a key in a table."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import OptionError


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
