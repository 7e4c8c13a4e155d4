"""The delete rule `builtin-flag`."""

from typing import ClassVar

import pyarrow as pa
from hoodoo_delete_builtin_flag import BuiltinFlag

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestBuiltinFlag(DeleteRuleSuite):
    plugin = "builtin-flag"


class TestText(DeleteRuleSuite):
    plugin = "builtin-flag"
    columns: ClassVar = {"_hoodie_is_deleted": "string"}
    values: ClassVar = {"_hoodie_is_deleted": (None, "true", "TRUE", "false", "")}


def test_only_true_deletes() -> None:
    """A row whose flag is true is a delete; a row whose flag is false or null is not."""
    rows = pa.table({"_hoodie_is_deleted": [True, False, None]})

    assert BuiltinFlag().is_delete(rows, DeleteContext()).tolist() == [True, False, False]


def test_a_row_without_the_column_is_no_delete() -> None:
    assert BuiltinFlag().is_delete(pa.table({"id": ["1"]}), DeleteContext()).tolist() == [False]


def test_text_is_read_as_a_boolean() -> None:
    """The text `true` in any case marks a delete, as in Hudi's reader, and another text does not."""
    rows = pa.table({"_hoodie_is_deleted": ["true", "TRUE", "no"]})

    assert BuiltinFlag().is_delete(rows, DeleteContext()).tolist() == [True, True, False]
