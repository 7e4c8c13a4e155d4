"""Methods of a table that start statements. Spark is replaced by a record of the calls."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from hoodoo import Table
from hoodoo.errors import StatementError
from hoodoo.statements.clauses import Clause
from hoodoo.statements.merge_builder import MergeBuilder
from hoodoo.testing.engine import write_arrow


@pytest.fixture
def table(tmp_path):
    import pyarrow as pa

    write_arrow(pa.table({"id": ["a"], "v": [1]}), tmp_path, {"table_name": "t", "record_key": "id"})
    return Table(tmp_path)


@pytest.fixture
def calls(monkeypatch):
    made = []
    module = SimpleNamespace(change_rows=lambda *given: made.append(given) or "result")
    monkeypatch.setattr("hoodoo.table_statements.importlib", SimpleNamespace(import_module=lambda name: module))
    return made


def test_a_merge_has_its_source_condition_and_options(table):
    source = object()
    made = table.merge(source, "a.id = b.id", target_alias="a", override_ordering=True, index="simple")
    assert isinstance(made, MergeBuilder)
    assert (made.source, made.condition, made.aliases) == (source, "a.id = b.id", ("a", None))
    assert (made.override_ordering, dict(made.options), made.clauses) == (True, {"index": "simple"}, [])


def test_an_update_and_a_delete_are_clauses_for_stored_rows(table, calls):
    session = object()
    assert table.update("v > 1", {"v": "0"}, spark=session, alias="x", index="simple") == "result"
    assert table.update(set={"v": 1}) == "result"
    assert table.delete("v > 1") == table.delete() == "result"
    [storage] = {id(each[1]) for each in calls}
    assert storage == id(table._storage)
    assert [(each[0], *each[2:]) for each in calls] == [
        (session, Clause("matched", "update", "v > 1", {"v": "0"}), "x", {"index": "simple"}),
        (None, Clause("matched", "update", None, {"v": 1}), None, {}),
        (None, Clause("matched", "delete", "v > 1"), None, {}),
        (None, Clause("matched", "delete", None), None, {}),
    ]


@pytest.mark.parametrize("values", [None, {}, "v = 1"])
def test_an_update_needs_columns(table, calls, values):
    with pytest.raises(StatementError, match=r"'set' .* give a dictionary"):
        table.update("v > 1", values)
    assert calls == []
