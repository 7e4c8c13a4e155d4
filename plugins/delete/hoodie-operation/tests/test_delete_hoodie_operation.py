"""The delete rule `hoodie-operation`."""

import pyarrow as pa
from hoodoo_delete_hoodie_operation import HoodieOperation

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestHoodieOperation(DeleteRuleSuite):
    plugin = "hoodie-operation"


def test_deletes_and_before_images() -> None:
    """Operations are in capitals, as Hudi writes them, and the delete flag has no effect."""
    rows = pa.table({"_hoodie_operation": ["D", "-U", "d", "I", "U", None], "_hoodie_is_deleted": [True] * 6})

    assert HoodieOperation().is_delete(rows, DeleteContext()).tolist() == [True, True, False, False, False, False]
