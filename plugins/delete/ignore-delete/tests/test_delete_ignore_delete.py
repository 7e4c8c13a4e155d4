"""The delete rule `ignore-delete`."""

import numpy as np
import pyarrow as pa
from hoodoo_delete_ignore_delete import IgnoreDelete

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite

ROWS = pa.table(
    {
        "op": ["x", "u", "u", "u", "u"],
        "_hoodie_is_deleted": [False, True, False, None, False],
        "_hoodie_operation": ["I", "I", "-U", "U", "I"],
    }
)


class TestIgnoreDelete(DeleteRuleSuite):
    plugin = "ignore-delete"


def dropped(found: list[bool], context: DeleteContext) -> list[bool]:
    """Return the mask of the rows that are dropped after other rules have found the deletes `found`."""
    return IgnoreDelete().drops(ROWS, np.array(found), context).tolist()


def test_no_row_is_a_delete() -> None:
    """Deletes are left out of the batch instead."""
    assert not IgnoreDelete().is_delete(ROWS, DeleteContext()).any()


def test_alone_it_leaves_out_what_any_of_would_find() -> None:
    """Rows with the flag, an operation of a delete or the custom marker are left out."""
    assert dropped([False] * 5, DeleteContext()) == [False, True, True, False, False]
    assert dropped([False] * 5, DeleteContext("op", "x")) == [True, True, True, False, False]


def test_with_others_it_leaves_out_what_they_find_as_well() -> None:
    """The rows that the other rules find are left out too."""
    assert dropped([False, False, False, False, True], DeleteContext()) == [False, True, True, False, True]
