"""The delete rule `dms-op`."""

from typing import ClassVar

import pyarrow as pa
from hoodoo_delete_dms_op import DmsOp

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestDmsOp(DeleteRuleSuite):
    plugin = "dms-op"
    columns: ClassVar = {"Op": "string", **DeleteRuleSuite.columns}
    values: ClassVar = {"Op": (None, "I", "U", "D", "d", "", "DD"), **DeleteRuleSuite.values}


def test_capitals_make_no_difference() -> None:
    """`d` and `D` are deletes; null, as in rows of a full load, is not."""
    rows = pa.table({"Op": ["D", "d", "U", "I", None]})

    assert DmsOp().is_delete(rows, DeleteContext()).tolist() == [True, True, False, False, False]


def test_the_name_of_the_column_is_in_capitals() -> None:
    """A column `op` has no effect."""
    assert DmsOp().is_delete(pa.table({"op": ["D"]}), DeleteContext()).tolist() == [False]
