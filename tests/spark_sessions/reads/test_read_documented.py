"""Every block of docs/reading.md runs, one after the other, on a table with logs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.spark.pyspark_version import DATA_SOURCES
from hoodoo.testing.engine import write_arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

PAGE = Path(__file__).parents[3] / "docs" / "reading.md"


def trips(*rows: tuple[str, str, int, float]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(("id", "city", "ts", "fare"), row, strict=True)) for row in rows])


@pytest.mark.nightly
def test_the_page_on_reading(spark: SparkSession, tmp_path: Path, capsys: Any, request: pytest.FixtureRequest) -> None:
    options = {"table_name": "trips", "record_key": "id", "partition_by": "city", "ordering": "ts"}
    first = trips(("a", "oslo", 1, 10.0), ("b", "oslo", 1, 20.0), ("c", "rome", 1, 30.0))
    write_arrow(first, tmp_path / "trips", options | {"table_type": "MERGE_ON_READ"})
    write_arrow(trips(("b", "oslo", 2, 25.0)), tmp_path / "trips", options)
    names: dict[str, Any] = {"spark": spark, "path": str(tmp_path / "trips")}
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 4
    if not DATA_SOURCES.is_available():
        # docs/spark-jobs.md: the format then needs this line
        hoodoo.enable(spark)
        request.addfinalizer(lambda: hoodoo.disable(spark))
    for block in blocks:
        exec(block, names)

    def fares(name: str) -> list[tuple[str, float]]:
        return sorted((row.id, row.fare) for row in names[name].collect())

    assert fares("before") == fares("base_files") == [("a", 10.0), ("b", 20.0), ("c", 30.0)]
    assert fares("changed") == [("b", 25.0)]
    assert fares("small") == fares("trips") == [("a", 10.0), ("b", 25.0), ("c", 30.0)]
    assert (names["small"].columns, names["trips"].columns) == (["id", "fare"], ["fare", "id"])
    shown = capsys.readouterr().out
    assert "|  b|25.0|" in shown
    assert "|oslo|     35.0|" in shown
