"""The fixtures that pytest finds by the entry point of hoodoo-core."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.testing.fixtures import SmallTable

Tables = Callable[..., SmallTable]


def test_a_table_in_this_process(hoodoo_table: Tables) -> None:
    table = hoodoo_table(merger="event-time", ordering="ts")
    table.write([{"id": "2", "ts": 1, "v": "a"}, {"id": "1", "ts": 5, "v": "b"}])
    commit = table.write([{"id": "1", "ts": 4, "v": "late"}, {"id": "2", "ts": 2, "v": "c"}])

    assert table.rows() == [{"id": "1", "ts": 5, "v": "b"}, {"id": "2", "ts": 2, "v": "c"}]
    assert commit.instant


def test_each_table_has_a_folder_of_its_own(hoodoo_table: Tables) -> None:
    one, other = hoodoo_table(), hoodoo_table()
    one.write(pa.table({"id": ["1"], "v": [b"x"]}))
    other.write([{"id": "2"}])

    assert one.rows() == [{"id": "1", "v": b"x"}]
    assert other.rows() == [{"id": "2"}]


def test_options_of_one_write(hoodoo_table: Tables) -> None:
    table = hoodoo_table()
    table.write([{"id": "1"}, {"id": "2"}])
    table.write([{"id": "1"}], operation="delete")

    assert table.rows() == [{"id": "2"}]
    with pytest.raises(OptionError, match="operation"):
        table.write([{"id": "1"}], operation="upsrt")


@pytest.mark.nightly
@pytest.mark.spark
def test_a_table_by_spark(hoodoo_spark_table: Tables) -> None:
    table = hoodoo_spark_table(merger="commit-time")
    table.write([{"id": "1", "v": 9}])
    table.write([{"id": "1", "v": 1}])

    assert table.rows() == [{"id": "1", "v": 1}]
