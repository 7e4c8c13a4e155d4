"""Tables to read: real tables, and tables that are created file by file, which need no plugin."""

from __future__ import annotations

import json
from functools import cache

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from hoodoo.schema.meta_columns import META_COLUMNS

PROPERTIES = """\
hoodie.table.name=t
hoodie.table.type=COPY_ON_WRITE
hoodie.table.version=6
hoodie.timeline.layout.version=1
hoodie.table.recordkey.fields=id
"""
AVRO = {
    "bool": "boolean",
    "int32": "int",
    "int64": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "binary": "bytes",
    "date32[day]": {"type": "int", "logicalType": "date"},
    "time32[ms]": {"type": "int", "logicalType": "time-millis"},
    "time64[us]": {"type": "long", "logicalType": "time-micros"},
    "timestamp[us, tz=UTC]": {"type": "long", "logicalType": "timestamp-micros"},
    "timestamp[us]": {"type": "long", "logicalType": "local-timestamp-micros"},
}


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture(scope="session")
def write():
    """Return a function that adds a commit to a copy-on-write table of version 6, and returns the path of the table.

    The commit has one new file group, or several of about equal size.
    """

    def write(path, rows, instant="20240101000000000", files=1, row_group_size=None):
        timeline = path / ".hoodie"
        if not timeline.exists():
            timeline.mkdir(parents=True)
            (timeline / "hoodie.properties").write_text(PROPERTIES)
        stats = []
        for number in range(files):
            begin, end = (rows.num_rows * bound // files for bound in (number, number + 1))
            name = f"{instant}-{number:04d}-0_0-0-0_{instant}.parquet"
            part = _with_meta(rows.slice(begin, end - begin), instant, begin, name)
            pq.write_table(part, path / name, row_group_size=row_group_size)
            stats.append({"fileId": name.partition("_")[0], "path": name, "numWrites": end - begin})
        metadata = {
            "partitionToWriteStats": {"": stats},
            "extraMetadata": {"schema": json.dumps(_record(rows.schema, "t"))},
            "operationType": "BULK_INSERT",
        }
        for suffix, body in (("commit.requested", ""), ("inflight", ""), ("commit", json.dumps(metadata))):
            (timeline / f"{instant}.{suffix}").write_text(body)
        return path

    return write


def _record(fields, name):
    fields = [{"name": field.name, "type": ["null", _avro(field.type, f"{name}_{field.name}")]} for field in fields]
    return {"type": "record", "name": name, "fields": fields}


def _avro(type_, name):
    if pa.types.is_struct(type_):
        return _record(type_, name)
    if pa.types.is_list(type_):
        return {"type": "array", "items": ["null", _avro(type_.value_type, name)]}
    if pa.types.is_map(type_):
        return {"type": "map", "values": ["null", _avro(type_.item_type, name)]}
    if pa.types.is_decimal(type_):
        return {"type": "bytes", "logicalType": "decimal", "precision": type_.precision, "scale": type_.scale}
    if pa.types.is_fixed_size_binary(type_):
        return {"type": "fixed", "name": name, "size": type_.byte_width}
    return AVRO[str(type_)]


def _with_meta(rows, instant, first, file):
    keys = [str(key) for key in rows.column("id").to_pylist()]
    numbers = [f"{instant}_0_{first + i}" for i in range(rows.num_rows)]
    values = ([instant] * len(keys), numbers, keys, [""] * len(keys), [file] * len(keys))
    meta = [pa.array(column, pa.string()) for column in values]
    return pa.table([*meta, *rows.columns], names=[*META_COLUMNS, *rows.column_names])


@pytest.fixture(scope="session")
def unpacked(real_table):
    """Return a function that unpacks a table that Apache Hudi wrote, once, and returns its path."""
    return cache(real_table)


@pytest.fixture(scope="session")
def expected(golden_reads, request):
    """Return a function that returns the rows of another reader, or skips the test if there are none."""

    def rows(name, kind):
        if not name.startswith(("sample_table", "quickstart")):
            return golden_reads(name)["read_optimized" if kind == "ro" else kind].rows
        file = request.getfixturevalue("shared_data") / "expected" / f"{name}.{kind}.parquet"
        if not file.exists():
            pytest.skip(f"no expected rows of this kind: {file.name}")
        return pq.read_table(file)

    return rows
