"""Base files: contents of written files, and reads of files of other forms."""

from __future__ import annotations

import datetime
import json
from contextlib import nullcontext
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.format import BaseFileWriter, read_base_file
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import META_COLUMNS, with_meta
from hoodoo.storage import AlreadyExists, LocalStorage

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int32(), nullable=False),
        ("city", pa.string()),
        ("at", pa.timestamp("us", "UTC")),
        ("price", pa.decimal128(10, 2)),
        ("tags", pa.list_(pa.string())),
        ("more", pa.map_(pa.string(), pa.int64())),
        ("where", pa.struct([("lat", pa.float64()), ("on", pa.date32())])),
    ]
)
PATH = "p/f-0_0-1-2_20240101000000000.parquet"
INSTANT = "20240101000000000"
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@pytest.fixture
def storage(tmp_path):
    return LocalStorage(str(tmp_path))


def rows(first, count):
    ids = range(first, first + count)
    data = pa.Table.from_pylist(
        [
            {
                "id": i,
                "city": None if i % 7 == 0 else f"city {i % 3}",
                "at": datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC),
                "price": Decimal(i) / 100,
                "tags": ["a", None] if i % 2 else None,
                "more": {"k": i},
                "where": {"lat": i / 2, "on": datetime.date(2024, 1, 1)} if i % 5 else None,
            }
            for i in ids
        ],
        schema=SCHEMA,
    )
    meta = {
        "_hoodie_commit_time": [INSTANT] * count,
        "_hoodie_commit_seqno": [f"{INSTANT}_0_{i}" for i in ids],
        "_hoodie_record_key": [f"k{i:05d}" for i in ids],
        "_hoodie_partition_path": ["p"] * count,
        "_hoodie_file_name": [PATH[2:]] * count,
    }
    return pa.table({**meta, **{name: data.column(name) for name in SCHEMA.names}}, schema=with_meta(SCHEMA))


def writer(storage, **options):
    return BaseFileWriter(storage, PATH, SCHEMA, to_avro(SCHEMA, "t"), **options)


def read(storage, schema, **options):
    return pa.concat_tables(read_base_file(storage, PATH, schema, **options))


def test_what_is_written_is_read(storage):
    with writer(storage) as file:
        file.write(rows(0, 100))
        file.write(rows(100, 50))
    assert file.rows == 150
    assert [info.size for info in storage.list("p")] == [file.size]
    assert read(storage, with_meta(SCHEMA)).equals(pa.concat_tables([rows(0, 100), rows(100, 50)]))


def test_other_readers_find_plain_types_and_the_footer(storage):
    with writer(storage) as file:
        file.write(rows(100, 50))
        file.write(rows(0, 100))
    parquet = pq.ParquetFile(storage.local_path(PATH))
    assert parquet.schema_arrow.field("_hoodie_file_name").type == pa.string()
    assert parquet.schema_arrow.field("at").type == pa.timestamp("us", "UTC")
    assert parquet.metadata.num_row_groups == 2
    footer = {key.decode(): value.decode() for key, value in parquet.metadata.metadata.items()}
    assert footer["hoodie_min_record_key"] == "k00000"
    assert footer["hoodie_max_record_key"] == "k00149"
    assert footer["writer.model.name"] == "avro"
    assert "ARROW:schema" not in footer
    avro = json.loads(footer["parquet.avro.schema"])
    assert [field["name"] for field in avro["fields"]] == [*META_COLUMNS, *SCHEMA.names]
    group = parquet.metadata.row_group(0)
    encodings = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert {column.compression for column in encodings.values()} == {"ZSTD"}
    assert "RLE_DICTIONARY" in encodings["city"].encodings
    assert "RLE_DICTIONARY" in encodings["_hoodie_file_name"].encodings
    assert "RLE_DICTIONARY" not in encodings["id"].encodings
    assert "RLE_DICTIONARY" not in encodings["_hoodie_commit_seqno"].encodings


def test_meta_columns_may_come_as_dictionaries(storage):
    table = rows(0, 10)
    for name in ("_hoodie_commit_time", "_hoodie_file_name"):
        table = table.set_column(table.schema.get_field_index(name), name, table.column(name).dictionary_encode())
    with writer(storage) as file:
        file.write(table)
    assert read(storage, with_meta(SCHEMA)).equals(rows(0, 10))


def test_a_file_without_rows_is_valid(storage):
    with writer(storage) as file:
        file.write(rows(0, 0))
    assert (file.rows, file.size > 0) == (0, True)
    assert list(read_base_file(storage, PATH, with_meta(SCHEMA))) == []
    assert list(read_base_file(storage, PATH, pa.schema([("new", pa.int32())]))) == []
    assert b"hoodie_min_record_key" not in pq.ParquetFile(storage.local_path(PATH)).metadata.metadata


@pytest.mark.parametrize("already", [0, 5])
def test_an_error_removes_the_partial_file(storage, already):
    def write_and_fail():
        with writer(storage) as file:
            file.write(rows(0, already))
            raise RuntimeError("boom")

    with pytest.raises(RuntimeError, match="boom"):
        write_and_fail()
    assert storage.list("p") == []


def test_a_null_where_none_may_be_is_refused(storage):
    table = rows(0, 3)
    broken = table.set_column(table.schema.get_field_index("id"), "id", pa.array([1, None, 3], pa.int32()))
    with pytest.raises(pa.ArrowInvalid, match="id"), writer(storage) as file:
        file.write(broken)
    assert storage.list("p") == []


def test_abort_after_close_removes_the_file(storage):
    file = writer(storage)
    file.write(rows(0, 3))
    file.close()
    file.abort()
    assert storage.list("p") == []


def test_an_existing_file_is_never_overwritten(storage):
    with writer(storage) as file:
        file.write(rows(0, 3))
    with pytest.raises(AlreadyExists):
        writer(storage)
    assert read(storage, with_meta(SCHEMA)).num_rows == 3


def test_columns_by_name_in_any_order_and_missing_ones_null(storage):
    with writer(storage) as file:
        file.write(rows(1, 3))
    wanted = pa.schema([("new", pa.list_(pa.int32())), ("id", pa.int64()), ("_hoodie_record_key", pa.string())])
    table = read(storage, wanted)
    assert table.schema.equals(wanted)
    assert table.to_pydict() == {
        "new": [None] * 3,
        "id": [1, 2, 3],
        "_hoodie_record_key": ["k00001", "k00002", "k00003"],
    }
    only_new = list(read_base_file(storage, PATH, pa.schema([("new", pa.int32())]), batch_rows=2))
    assert [part.num_rows for part in only_new] == [2, 1]
    with pytest.raises(SchemaError, match=r"no column 'need'"):
        read(storage, pa.schema([pa.field("need", pa.int32(), nullable=False)]))


def test_batches_are_bounded(storage):
    with writer(storage) as file:
        file.write(rows(0, 100))
    parts = list(read_base_file(storage, PATH, with_meta(SCHEMA), batch_rows=30))
    assert max(part.num_rows for part in parts) <= 30
    assert pa.concat_tables(parts).equals(rows(0, 100))


def test_a_dictionary_type_comes_as_a_dictionary(storage):
    with writer(storage) as file:
        file.write(rows(0, 100))
    type_ = pa.dictionary(pa.int32(), pa.string())
    table = read(storage, pa.schema([("_hoodie_commit_time", type_), ("city", type_)]))
    assert table.column("_hoodie_commit_time").type == type_
    assert table.column("_hoodie_commit_time").to_pylist() == [INSTANT] * 100
    assert table.column("city").to_pylist() == rows(0, 100).column("city").to_pylist()


@pytest.mark.parametrize("encoded", [True, False])
def test_a_value_that_is_in_no_dictionary_is_found(encoded, storage, tmp_path):
    file = tmp_path / PATH
    file.parent.mkdir()
    options = {"compression": "none", "write_page_checksum": False, "store_schema": False, "write_statistics": False}
    pq.write_table(pa.table({"v": ["a", "b", "c"] * 2 + ["a", "b"]}), file, **options)
    body = file.read_bytes()
    # two bits for each row, a run of eight rows: 0, 1, 2, 0 and 1, 2, 0, 1
    indices = bytes([2, 3, 0b00_10_01_00, 0b01_00_10_01])
    assert body.count(indices) == 1
    file.write_bytes(body.replace(indices, bytes([2, 3, 0b00_10_01_11, 0b01_00_10_01])))
    type_ = pa.dictionary(pa.int32(), pa.string()) if encoded else pa.string()
    with pytest.raises(CorruptTableError, match=PATH):
        read(storage, pa.schema([("v", type_)]))


@pytest.mark.parametrize(
    ("stored", "wanted", "expected"),
    [
        (pa.array([1, None], pa.int32()), pa.int64(), [1, None]),
        (pa.array([1, 2**53 + 1], pa.int64()), pa.float64(), [1.0, float(2**53)]),
        (pa.array([1.5], pa.float32()), pa.float64(), [1.5]),
        (pa.array([Decimal("1.5")], pa.decimal128(5, 1)), pa.decimal128(10, 3), [Decimal("1.500")]),
        (pa.array([1], pa.timestamp("ms")), pa.timestamp("us", "UTC"), [EPOCH + datetime.timedelta(milliseconds=1)]),
        (pa.array([[1]], pa.list_(pa.int32())), pa.list_(pa.int64()), [[1]]),
        (
            pa.array([{"a": 1}, None], pa.struct([("a", pa.int32())])),
            pa.struct([("b", pa.string()), ("a", pa.int64())]),
            [{"b": None, "a": 1}, None],
        ),
    ],
)  # fmt: skip
def test_narrower_types_are_widened(storage, stored, wanted, expected):
    with storage.open_output(PATH) as sink:
        pq.write_table(pa.table({"c": stored}), sink)
    assert read(storage, pa.schema([("c", wanted)])).column("c").to_pylist() == expected


def test_int96_timestamps_and_two_level_lists_are_read(storage):
    at = datetime.datetime(2024, 1, 1, 12, 0, 0, 123456, datetime.UTC)
    table = pa.table({"at": pa.array([at], pa.timestamp("us", "UTC")), "list": [[1, 2]]})
    with storage.open_output(PATH) as sink:
        pq.write_table(table, sink, use_deprecated_int96_timestamps=True, use_compliant_nested_type=False)
    wanted = pa.schema([("at", pa.timestamp("us", "UTC")), ("list", pa.list_(pa.int64()))])
    assert read(storage, wanted).to_pylist() == [{"at": at, "list": [1, 2]}]


def test_what_does_not_fit_names_column_and_file(storage):
    with storage.open_output(PATH) as sink:
        pq.write_table(pa.table({"c": [2**40]}), sink)
    with pytest.raises(SchemaError, match=f"column 'c' of base file '{PATH}'"):
        read(storage, pa.schema([("c", pa.int32())]))


def test_damage_names_the_file(storage):
    with writer(storage) as file:
        file.write(rows(0, 500))
    body = storage.read(PATH)
    middle = len(body) // 4
    for damaged in (
        b"",
        b"x",
        body[:10],
        body[: len(body) // 2],
        body[:-1],
        body[:middle] + bytes(400) + body[middle + 400 :],
    ):
        storage.replace(PATH, damaged)
        with pytest.raises(CorruptTableError, match=PATH) as caught:
            read(storage, with_meta(SCHEMA))
        assert caught.value.file == PATH


def test_a_flipped_bit_in_the_data_is_found(storage):
    with writer(storage) as file:
        file.write(rows(0, 500))
    body = storage.read(PATH)
    footer = int.from_bytes(body[-8:-4], "little") + 8
    before = read(storage, with_meta(SCHEMA))
    named = 0
    for at in range(4, len(body) - footer, 97):
        storage.replace(PATH, body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :])
        try:
            found = read(storage, with_meta(SCHEMA))
        except CorruptTableError:
            named += 1
        else:
            assert found.equals(before), f"byte {at}"
    assert named > 20


def test_a_file_that_is_gone_is_an_error(storage):
    with pytest.raises(CorruptTableError, match="is gone"):
        read(storage, with_meta(SCHEMA))


def test_a_dictionary_column_that_the_file_lacks_is_null(storage):
    with writer(storage) as file:
        file.write(rows(0, 10))
    type_ = pa.dictionary(pa.int32(), pa.string())
    table = read(storage, pa.schema([("city", type_), ("new", type_)]))
    assert table.column("new").null_count == 10
    assert table.column("city").to_pylist() == rows(0, 10).column("city").to_pylist()


def test_a_column_that_spark_says_is_not_null_is_not_null(storage):
    """A column that the file and Spark's schema in its footer both declare not null is read without an error."""
    fields = [{"name": "id", "type": "integer", "nullable": False, "metadata": {}}]
    spark = {"org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": fields})}
    schema = pa.schema([pa.field("id", pa.int32(), nullable=False)])
    with storage.open_output(PATH) as sink, pq.ParquetWriter(sink, schema, store_schema=False) as file:
        file.write_table(pa.table({"id": pa.array([1], pa.int32())}, schema=schema))
        file.add_key_value_metadata(spark)
    assert read(storage, pa.schema([("id", pa.int32()), ("new", pa.int32())])).to_pylist() == [{"id": 1, "new": None}]


@pytest.mark.parametrize("name", ["renamed", "id"])
def test_columns_that_contradict_the_schema_in_the_footer(name, storage):
    avro = {"parquet.avro.schema": to_avro(pa.schema([("id", pa.int32()), ("other", pa.int32())]), "t")}
    stored = pa.table([pa.array([1], pa.int32())] * 2, names=["id", name])
    with storage.open_output(PATH) as sink, pq.ParquetWriter(sink, stored.schema, store_schema=False) as file:
        file.write_table(stored)
        file.add_key_value_metadata(avro)
    with pytest.raises(CorruptTableError, match=r"by the schema in its footer, column '.*'"):
        read(storage, pa.schema([("id", pa.int32()), ("other", pa.int32())]))


@pytest.mark.parametrize(("keys", "damaged"), [(["a", None], True), ([None, None], False), (["a", "b"], False)])
def test_some_record_keys_that_are_null_are_damage(keys, damaged, tmp_path):
    """A file in which only some record keys are null is damaged; without meta columns, all of them may be null."""
    rows = pa.table({"_hoodie_record_key": pa.array(keys, pa.string())})
    pq.write_table(rows, tmp_path / "f.parquet")
    with pytest.raises(CorruptTableError, match="rows without a record key: 1 of 2") if damaged else nullcontext():
        assert list(read_base_file(LocalStorage(tmp_path), "f.parquet", rows.schema)) == [rows]
