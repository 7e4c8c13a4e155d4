"""The delete rule `any-of`."""

from typing import ClassVar

import pyarrow as pa
from hoodoo_delete_any_of import AnyOf

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestAnyOf(DeleteRuleSuite):
    plugin = "any-of"


class TestWithMarker(DeleteRuleSuite):
    plugin = "any-of"
    context = DeleteContext("op", "D")
    columns: ClassVar = {"op": "string", **DeleteRuleSuite.columns}
    values: ClassVar = {"op": (None, "D", "d", "U"), **DeleteRuleSuite.values}


def test_any_of_the_three_is_enough() -> None:
    """The marker, the flag or an operation that deletes is sufficient; a row without any of them is not a delete."""
    rows = pa.table(
        {
            "op": ["D", "U", "U", "U"],
            "_hoodie_is_deleted": [False, True, False, None],
            "_hoodie_operation": ["I", "I", "-U", "U"],
        }
    )

    assert AnyOf().is_delete(rows, DeleteContext("op", "D")).tolist() == [True, True, True, False]


def test_the_delete_operation_counts() -> None:
    """D and -U are deletes; I and U are not."""
    rows = pa.table({"_hoodie_operation": ["D", "-U", "I", "U", None]})

    assert AnyOf().is_delete(rows, DeleteContext()).tolist() == [True, True, False, False, False]
