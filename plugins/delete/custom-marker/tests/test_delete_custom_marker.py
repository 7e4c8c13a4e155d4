"""The delete rule `custom-marker`."""

from typing import ClassVar

import pyarrow as pa
import pytest
from hoodoo_delete_custom_marker import CustomMarker

from hoodoo.errors import OptionError
from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestCustomMarker(DeleteRuleSuite):
    plugin = "custom-marker"
    context = DeleteContext("op", "D")
    columns: ClassVar = {"op": "string"}
    values: ClassVar = {"op": (None, "D", "d", "")}


class TestOtherTypes(DeleteRuleSuite):
    plugin = "custom-marker"
    context = DeleteContext("n", "1")
    columns: ClassVar = {"n": "int"}


def test_the_marker_is_compared_with_the_text_of_the_column() -> None:
    """The comparison is case-sensitive, and null is not a delete."""
    rows = pa.table({"op": ["D", "d", None]})

    assert CustomMarker().is_delete(rows, DeleteContext("op", "D")).tolist() == [True, False, False]


def test_other_types_are_compared_as_text() -> None:
    """Numbers and booleans have the text that Java prints."""
    rows = pa.table({"n": [1, 2], "b": [True, False]})

    assert CustomMarker().is_delete(rows, DeleteContext("n", "1")).tolist() == [True, False]
    assert CustomMarker().is_delete(rows, DeleteContext("b", "true")).tolist() == [True, False]


def test_nested_column() -> None:
    """A dotted path refers to a field of a struct."""
    rows = pa.table({"m": [{"op": "x"}, None]})

    assert CustomMarker().is_delete(rows, DeleteContext("m.op", "x")).tolist() == [True, False]


@pytest.mark.parametrize(("field", "marker"), [("op", None), (None, "D")])
def test_column_and_marker_belong_together(field: str | None, marker: str | None) -> None:
    """A column without a marker is an error, and so is a marker without a column."""
    with pytest.raises(OptionError, match="needs a column and a marker"):
        DeleteContext(field, marker)


def test_without_either_it_cannot_judge() -> None:
    """The error names both options."""
    with pytest.raises(OptionError, match=r"hoodie\.payload\.delete\.field.*hoodie\.payload\.delete\.marker"):
        CustomMarker().is_delete(pa.table({"id": ["1"]}), DeleteContext())
