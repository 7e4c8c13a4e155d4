"""Tables whose complex key generator wrote a single key as `id:a` or as `a`, because releases differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.rows_merged.handmade.columns import TYPES
from tests.rows_merged.handmade.tables import COLUMNS, T, Table
from tests.support.versions import META

pytestmark = pytest.mark.slow

FILE_ID = "00000000-6b5a-4433-8211-00ffeeddccbb-0"
GENERATOR = {
    "hoodie.table.keygenerator.class": "org.apache.hudi.keygen.ComplexKeyGenerator",
    "hoodie.datasource.write.partitionpath.urlencode": "false",
}
BUCKET = {"index": "bucket", "buckets": 1}


def _stored(path: Path, version: int, encoding: str, files: str) -> None:
    """Write rows `a` and `b`, in a base file or only in a log."""
    columns = {**COLUMNS, "place": TYPES["string"]}
    kind = "COPY_ON_WRITE" if files == "base file" else "MERGE_ON_READ"
    table = Table(path, version, columns, table_type=kind, partition_by="place", properties=GENERATOR)

    def row(key: str) -> dict[str, Any]:
        made = table.row(T(1), key, 1, "old", "p", partition="p", file_id=FILE_ID)
        return {**made, META[2]: f"id:{key}" if encoding == "field" else key}

    rows = [row("a"), row("b")]
    if files == "base file":
        table.commit("commit", T(1), f"{T(1)[:-3]}500", [table.base("p", FILE_ID, T(1), rows)])
    else:
        log = table.put_log(1, [table.avro(T(1), rows)], 1, file_id=FILE_ID, partition="p")
        table.commit("deltacommit", T(1), f"{T(1)[:-3]}500", [log])


def _seen(path: Path) -> list[tuple[str, str, str]]:
    rows = hoodoo.Table(path).to_arrow().to_pylist()
    return sorted((row[META[2]], row["id"], row["v"]) for row in rows)


@pytest.mark.parametrize("version", [6, 9])
@pytest.mark.parametrize("encoding", ["field", "value"])
@pytest.mark.parametrize("files", ["base file", "log"])
def test_stored_keys_are_found_whatever_their_encoding_is(
    files: str, encoding: str, version: int, tmp_path: Path
) -> None:
    _stored(tmp_path, version, encoding, files)
    named = (lambda key: f"id:{key}") if encoding == "field" else str

    def write(operation: str, **columns: list[Any]) -> hoodoo.Commit:
        return write_arrow(pa.table(columns), tmp_path, {**BUCKET, "operation": operation})

    assert _seen(tmp_path) == [(named("a"), "a", "old"), (named("b"), "b", "old")]
    write("upsert", id=["a", "c"], ts=[2, 2], v=["new", "new"], place=["p", "p"])
    assert _seen(tmp_path) == [(named(key), key, v) for key, v in (("a", "new"), ("b", "old"), ("c", "new"))]
    write("delete", id=["b", "c"], place=["p", "p"])
    assert _seen(tmp_path) == [(named("a"), "a", "new")]
