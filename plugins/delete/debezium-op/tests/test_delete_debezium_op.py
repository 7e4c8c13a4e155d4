"""The delete rule `debezium-op`."""

from typing import ClassVar

import pyarrow as pa
from hoodoo_delete_debezium_op import DebeziumOp

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestDebeziumOp(DeleteRuleSuite):
    plugin = "debezium-op"
    columns: ClassVar = {"_change_operation_type": "string", **DeleteRuleSuite.columns}
    values: ClassVar = {"_change_operation_type": (None, "c", "u", "r", "d", "D", ""), **DeleteRuleSuite.values}


def test_only_d_deletes() -> None:
    """`d` and `D` are deletes. A row of a snapshot (`r`) and a row of a bootstrap without an operation are not."""
    rows = pa.table({"_change_operation_type": ["d", "D", "c", "u", "r", None]})

    assert DebeziumOp().is_delete(rows, DeleteContext()).tolist() == [True, True, False, False, False, False]
