"""The delete rule `none`."""

import pyarrow as pa
from hoodoo_delete_none import Never

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite


class TestNone(DeleteRuleSuite):
    plugin = "none"


def test_never() -> None:
    """A row with Hudi's delete flag is not a delete either."""
    rows = pa.table({"_hoodie_is_deleted": [True, False]})

    assert Never().is_delete(rows, DeleteContext()).tolist() == [False, False]
