"""The delete rule `payload-default`."""

from typing import ClassVar

import pyarrow as pa
from hoodoo_delete_payload_default import PayloadDefault

from hoodoo.record import DeleteContext
from hoodoo.testing import DeleteRuleSuite

ROWS = pa.table({"op": ["D", "U", "U"], "_hoodie_is_deleted": [False, True, None]})


class TestPayloadDefault(DeleteRuleSuite):
    plugin = "payload-default"


class TestWithMarker(DeleteRuleSuite):
    plugin = "payload-default"
    context = DeleteContext("op", "D")
    columns: ClassVar = {"op": "string", **DeleteRuleSuite.columns}
    values: ClassVar = {"op": (None, "D", "d", "U"), **DeleteRuleSuite.values}


def test_a_custom_marker_replaces_the_flag() -> None:
    """With a custom marker, the flag of the second row has no effect."""
    assert PayloadDefault().is_delete(ROWS, DeleteContext("op", "D")).tolist() == [True, False, False]


def test_without_a_marker_the_flag_counts() -> None:
    """Without a custom marker, a row is a delete if its flag is true."""
    assert PayloadDefault().is_delete(ROWS, DeleteContext()).tolist() == [False, True, False]
