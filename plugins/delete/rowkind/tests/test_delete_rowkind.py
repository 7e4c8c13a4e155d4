"""The delete rule `rowkind`."""

from typing import ClassVar

import pyarrow as pa
import pytest
from hoodoo_delete_rowkind import RowKind

from hoodoo.errors import DataError, SchemaError
from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestRowKind(DeleteRuleSuite):
    plugin = "rowkind"
    options: ClassVar = {"rowkind.field": "kind"}
    columns: ClassVar = {"kind": "string", **DeleteRuleSuite.columns}
    values: ClassVar = {"kind": ("+I", "-U", "+U", "-D"), **DeleteRuleSuite.values}


def test_before_images_and_deletes() -> None:
    """`-U` and `-D` are deletes; `+I` and `+U` are not."""
    rows = pa.table({"kind": ["+I", "-U", "+U", "-D"]})

    assert RowKind("kind").is_delete(rows, DeleteContext()).tolist() == [False, True, False, True]


@pytest.mark.parametrize("kind", ["D", "+i", "", None])
def test_anything_else_is_refused(kind: str | None) -> None:
    """The error states the number of wrong values and the row kinds."""
    with pytest.raises(
        DataError, match=r"'kind' has values that are not row kinds in 1 row .*use \+I, -U, \+U, -D"
    ) as caught:
        RowKind("kind").is_delete(pa.table({"kind": pa.array(["+I", kind])}), DeleteContext())
    assert caught.value.code == "bad_rowkind"


def test_a_table_without_the_column_is_refused() -> None:
    """The table must have the column, which may be a field of a struct."""
    with pytest.raises(SchemaError, match=r"'rowkind\.field' names"):
        RowKind("kind").check(pa.schema([("id", pa.string())]), DeleteContext())
    RowKind("m.kind").check(pa.schema([("m", pa.struct([("kind", pa.string())]))]), DeleteContext())
