"""Rows of a read for delete rules: all columns of the table appear, and the use of one that was not read is a fault."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from hoodoo.errors import PluginFault
from hoodoo.merge.adapters.read_rows import ReadRows
from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.merge.plugin_checks import GuardedDeleteRule
from hoodoo.record import DeleteContext
from hoodoo.schema.columns import column_at, has_column

READ = pa.table({"id": ["a", "b"], "op": ["D", "I"]})
UNREAD = pa.schema([("status", pa.string()), ("nested", pa.struct([("x", pa.int64())]))])
ROWS: Any = ReadRows(READ, UNREAD)


@pytest.mark.parametrize(
    "use",
    [
        lambda rows: rows["status"],
        lambda rows: rows.column("status"),
        lambda rows: rows.column(2),
        lambda rows: rows[2],
        lambda rows: rows.select(["id", "status"]),
        lambda rows: column_at(rows, "status"),
        lambda rows: rows.slice(1)["status"],
        lambda rows: rows[1:]["status"],
        lambda rows: rows.take([0]).column("status"),
        lambda rows: rows.filter(pa.array([True, False]))["status"],
    ],
)
def test_the_use_of_a_column_that_was_not_read_is_a_fault(use: Callable[[Any], object]) -> None:
    with pytest.raises(PluginFault, match=r"^it uses column 'status' of the table, which was not read .*`needs`"):
        use(ROWS)


def test_a_field_of_a_column_that_was_not_read_is_a_fault() -> None:
    with pytest.raises(PluginFault, match="uses column 'nested'"):
        column_at(ROWS, "nested.x")


@pytest.mark.parametrize("name", ["to_pylist", "to_pydict", "to_pandas", "to_batches", "columns", "itercolumns"])
def test_whole_rows_are_a_fault(name: str) -> None:
    with pytest.raises(PluginFault, match=rf"it uses whole rows \(`{name}`\), of which column 'status' was not read"):
        getattr(ROWS, name)


def test_it_acts_as_a_table_of_all_columns() -> None:
    assert isinstance(ROWS, pa.Table)
    assert (ROWS.num_rows, len(ROWS), ROWS.num_columns, ROWS.shape[0]) == (2, 2, 4, 2)
    assert ROWS.column_names == ["id", "op", "status", "nested"]
    assert ROWS.schema == pa.schema([*READ.schema, *UNREAD])
    assert has_column(ROWS.schema, "status")
    assert ROWS.field("status").type == pa.string()
    assert ROWS["op"].to_pylist() == ROWS.column(1).to_pylist() == ["D", "I"]
    assert ROWS.select(["op"]).to_pylist() == [{"op": "D"}, {"op": "I"}]
    assert ROWS.slice(1)["op"].to_pylist() == ["I"]
    with pytest.raises(KeyError):
        ROWS["missing"]


class Silent:
    """Rule for which rows without its column are not deletes, as for most rules."""

    def needs(self, schema: pa.Schema, context: DeleteContext) -> tuple[str, ...]:
        return ()

    def is_delete(self, rows: pa.Table, context: DeleteContext) -> Any:
        if "status" not in rows.column_names:
            return np.zeros(rows.num_rows, dtype=bool)
        return pc.equal(rows["status"], "gone").combine_chunks().to_numpy(zero_copy_only=False)


def test_a_judge_of_a_read_names_the_rule_its_line_and_the_keys() -> None:
    judge = DeleteJudge((GuardedDeleteRule(Silent(), "delete rule 'mine' (acme 1.0)"),), DeleteContext())  # type: ignore[arg-type]
    rows = pa.table({"id": ["a"]})

    assert judge.judge(rows, rows["id"].combine_chunks()).deletes.tolist() == [False]
    with pytest.raises(PluginFault) as caught:
        judge.judge(rows, rows["id"].combine_chunks(), UNREAD)

    first, second = str(caught.value).splitlines()
    assert first.startswith("delete rule 'mine' (acme 1.0): it uses column 'status'")
    assert second.endswith("in is_delete; keys such as 'a' (1 in this call)")
    assert __file__ in second
