"""Base files in Lance format: columns, batches, stores without local paths, and files that cannot be read."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError, SchemaError, UnsupportedTable
from hoodoo.format.base_files import read_base_file, stored_rows, stored_schema
from hoodoo.storage import LocalStorage, storage_for

lance_file = pytest.importorskip("lance.file", reason="Lance needs pylance: pip install 'hoodoo-core[lance]'")

PATH = "p/f-0_0-1-2_20240101000000000.lance"
SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("city", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
        ("price", pa.decimal128(10, 2)),
        ("tags", pa.list_(pa.string())),
        ("where", pa.struct([("lat", pa.float64()), ("on", pa.date32())])),
    ]
)


def rows(count):
    return pa.Table.from_pylist(
        [
            {
                "id": i,
                "city": None if i % 7 == 0 else f"city {i % 3}",
                "at": datetime(2024, 1, 1, microsecond=i, tzinfo=UTC),
                "price": Decimal(i) / 100,
                "tags": ["a", None] if i % 2 else None,
                "where": {"lat": i / 2, "on": date(2024, 1, 1)},
            }
            for i in range(count)
        ],
        schema=SCHEMA,
    )


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


def put(storage, table, path=PATH):
    """Write a table in the version of the format that Hudi writes, and return the local path."""
    place = Path(storage.local_path(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    with lance_file.LanceFileWriter(str(place), table.schema, version="2.0") as writer:
        for batch in table.to_batches():
            writer.write_batch(batch)
    return place


def read(storage, schema, **options):
    return list(read_base_file(storage, PATH, schema, **options))


def test_rows_in_batches_of_the_schema_of_the_reader(storage):
    put(storage, rows(1000))
    tables = read(storage, SCHEMA, batch_rows=300)
    assert pa.concat_tables(tables).equals(rows(1000))
    assert max(table.num_rows for table in tables) <= 300
    assert stored_rows(storage, PATH) == 1000
    assert stored_schema(storage, PATH).names == SCHEMA.names


def test_columns_are_chosen_widened_and_added(storage):
    put(storage, rows(10))
    wanted = pa.schema(
        [
            ("new", pa.int64()),
            ("id", pa.int64()),
            ("where", pa.struct([("on", pa.date32()), ("more", pa.string())])),
            ("city", pa.dictionary(pa.int32(), pa.string())),
        ]
    )
    [table] = read(storage, wanted)
    assert table.schema == wanted
    assert table["id"].to_pylist() == list(range(10))
    assert table["new"].null_count == 10
    assert table["where"].to_pylist()[1] == {"on": date(2024, 1, 1), "more": None}
    assert table["city"].to_pylist() == rows(10)["city"].to_pylist()


def test_rows_without_a_stored_column(storage):
    put(storage, rows(10))
    assert [table.num_rows for table in read(storage, pa.schema([("new", pa.int64())]), batch_rows=4)] == [4, 4, 2]


def test_a_column_that_must_not_be_null(storage):
    put(storage, rows(1))
    with pytest.raises(SchemaError, match="has no column 'new', which must not be null"):
        read(storage, pa.schema([pa.field("new", pa.int64(), nullable=False)]))
    with pytest.raises(SchemaError, match="column 'city' of base file"):
        read(storage, pa.schema([("city", pa.list_(pa.string()))]))


def test_a_store_without_local_paths(storage, tmp_path):
    body = put(storage, rows(50)).read_bytes()
    remote = storage_for("memory://lance-test/table")
    remote.create(PATH, body)
    assert pa.concat_tables(read(remote, SCHEMA)).equals(rows(50))
    assert stored_rows(remote, PATH) == 50
    with pytest.raises(CorruptTableError) as gone:
        stored_rows(remote, "p/g-0_0-1-2_20240101000000000.lance")
    assert gone.value.code == "gone"


@pytest.mark.parametrize("kept", [0, 3, 39, 200, -1])
def test_a_file_that_was_cut(storage, kept):
    place = put(storage, rows(100))
    place.write_bytes(place.read_bytes()[:kept])
    with pytest.raises(CorruptTableError, match=f"base file '{PATH}' is damaged") as damaged:
        read(storage, SCHEMA)
    assert damaged.value.file == PATH
    assert ".rs:" not in str(damaged.value)


def test_the_package_is_missing(storage, monkeypatch):
    put(storage, rows(1))
    monkeypatch.setitem(sys.modules, "lance.file", None)
    with pytest.raises(UnsupportedTable, match=r"is in Lance format.*hoodoo-core\[lance\]") as missing:
        read(storage, SCHEMA)
    assert missing.value.code == "base_file_format"


def test_a_blob_is_refused_by_name_and_other_columns_are_read(storage):
    blob = pa.field("raw", pa.large_binary(), metadata={"lance-encoding:blob": "true"})
    table = pa.table([pa.array([1]), pa.array([b"x"], pa.large_binary())], schema=pa.schema([("id", pa.int64()), blob]))
    put(storage, table)
    with pytest.raises(UnsupportedTable, match=r"column 'raw' of base file .* is stored as a Lance blob"):
        read(storage, pa.schema([("raw", pa.binary())]))
    assert read(storage, pa.schema([("id", pa.int64())]))[0]["id"].to_pylist() == [1]
