"""Parquet data blocks: a file within the log file."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.errors import CorruptTableError, SchemaError
from hoodoo.format.log import block_columns, decode_data, read_blocks
from hoodoo.format.log.block_writer import parquet_data_block
from hoodoo.schema.avro_encode import to_avro

ROWS = pa.table(
    {
        "n": pa.array(range(1000), pa.int32()),
        "at": pa.array(range(1000), pa.timestamp("ms", "UTC")),
        "tags": pa.array([["a", None], None] * 500, pa.list_(pa.string())),
    }
)
WANTED = pa.schema(
    [("new", pa.string()), ("n", pa.int64()), ("at", pa.timestamp("us", "UTC")), ROWS.schema.field("tags")]
)


def block(made, table, **options):
    content = io.BytesIO()
    pq.write_table(table, content, **options)
    return made.frame(5, {0: made.instant, 2: to_avro(table.schema, "t")}, content.getvalue())


def read(made, body, schema, at=0, **options):
    found = list(read_blocks(made.storage(body), made.path))
    return list(decode_data(made.storage(body), found[at], schema, **options))


def test_rows_come_as_from_a_base_file(made):
    body = made.frame(3, {0: "1"}) + block(made, ROWS) + block(made, ROWS.slice(0, 3), compression="gzip")
    parts = read(made, body, WANTED, at=1, batch_rows=300)
    assert max(part.num_rows for part in parts) == 300
    found = pa.concat_tables(parts)
    assert found.schema.equals(WANTED)
    assert found.column("n").to_pylist() == list(range(1000))
    assert found.column("at").cast(pa.int64()).to_pylist() == [i * 1000 for i in range(1000)]
    assert found.column("tags").equals(ROWS.column("tags"))
    assert found.column("new").null_count == 1000
    assert [part.num_rows for part in read(made, body, WANTED, at=2)] == [3]


def test_its_columns_are_those_of_the_file(made):
    body = block(made, ROWS)
    (found,) = read_blocks(made.storage(body), made.path)
    assert block_columns(made.storage(body), found) == ["n", "at", "tags"]
    required = pa.schema([pa.field("new", pa.string(), nullable=False)])
    assert sum(part.num_rows for part in read(made, body, required)) == 1000


def test_what_is_written_is_read(made):
    schema = pa.schema([("n", pa.int32()), ("tags", pa.list_(pa.string()))])
    body = parquet_data_block(made.instant, ROWS, to_avro(schema, "t"), compression="zstd")
    (found,) = read_blocks(made.storage(body), made.path)
    assert (found.instant, found.schema_text) == (made.instant, to_avro(schema, "t"))
    content = body[found.content_offset :][: found.content_length]
    assert pq.read_table(io.BytesIO(content)).equals(ROWS.select(["n", "tags"]))
    assert pa.concat_tables(read(made, body, schema)).equals(ROWS.select(["n", "tags"]))


def test_little_of_a_block_is_read_for_one_column(made):
    table = pa.table({"n": pa.array(range(100_000)), "wide": [str(i) * 20 for i in range(100_000)]})
    body = block(made, table)
    asked = []

    class Counting(made.storage):
        def open_input(self, path):
            inner = super().open_input(path)
            outer = self

            class File:
                def __enter__(self):
                    return self

                def __exit__(self, *error):
                    inner.close()

                def size(self):
                    return inner.size()

                def read_at(self, length, offset):
                    asked.append(length)
                    return inner.read_at(length, offset)

            assert outer.body is body
            return File()

    (found,) = read_blocks(made.storage(body), made.path)
    parts = decode_data(Counting(body), found, pa.schema([("n", pa.int64())]))
    assert sum(part.num_rows for part in parts) == 100_000
    assert sum(asked) < len(body) / 2


def test_damage_names_the_block(made):
    before, good = made.frame(3, {0: "1"}), block(made, ROWS)
    (whole,) = read_blocks(made.storage(good), made.path)
    content = good[whole.content_offset :][: whole.content_length]
    for damaged in (b"", b"x", content[:-1], content[:4] + bytes(500) + content[504:], content[: len(content) // 2]):
        body = before + made.frame(5, {0: "1"}, damaged)
        with pytest.raises(CorruptTableError, match=f"block at byte {len(before)} of log file") as caught:
            read(made, body, WANTED, at=1)
        assert (caught.value.file, caught.value.offset) == (made.path, len(before))


def test_a_footer_that_points_outside_the_block_is_damage(made):
    content = io.BytesIO()
    pq.write_table(ROWS, content)
    tail = content.getvalue()[-8:-4]
    footer = content.getvalue()[-8 - struct.unpack("<I", tail)[0] :]
    # by the footer, the columns are located before the block, where the file has other bytes
    body = made.frame(3, {0: "1"}, content.getvalue()) + made.frame(5, {0: "1"}, footer)
    with pytest.raises(CorruptTableError, match="damaged"):
        read(made, body, WANTED, at=1)


def test_a_column_that_does_not_fit_names_the_block(made):
    with pytest.raises(SchemaError, match=r"column 'tags' of the block at byte 0 of log file"):
        read(made, block(made, ROWS), pa.schema([("tags", pa.int32())]))
