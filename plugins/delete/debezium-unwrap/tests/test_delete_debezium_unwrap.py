"""The delete rule `debezium-unwrap`."""

from typing import ClassVar

import pyarrow as pa
import pytest
from hoodoo_delete_debezium_unwrap import DebeziumUnwrap

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestText(DeleteRuleSuite):
    plugin = "debezium-unwrap"
    columns: ClassVar = {"__deleted": "string", **DeleteRuleSuite.columns}
    values: ClassVar = {"__deleted": (None, "true", "TRUE", "false", ""), **DeleteRuleSuite.values}


class TestBoolean(DeleteRuleSuite):
    plugin = "debezium-unwrap"
    columns: ClassVar = {"__deleted": "boolean"}


@pytest.mark.parametrize("deleted", [["true", "false", None], [True, False, None]])
def test_text_or_boolean(deleted: list[object]) -> None:
    """Debezium writes text, which a transform may have converted to a boolean."""
    rows = pa.table({"__deleted": deleted})

    assert DebeziumUnwrap().is_delete(rows, DeleteContext()).tolist() == [True, False, False]
