"""Decoder of statistics by columns: the results are those of a decoder of single records, for each release's schema."""

from __future__ import annotations

import json
import math
import random
from decimal import Decimal

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.format.hfile import Cells
from hoodoo.metadata_table.content.records import STATS, merged_records
from hoodoo.metadata_table.content.statistics import column_stats, layered_stats, merged_stats
from hoodoo.metadata_table.content.statistics_columns import decode_statistics
from hoodoo.metadata_table.layers import Layer, Selection, layers
from hoodoo.metadata_table.maintenance.record_schema import record_schema

from .maintenance.hudi_commits import SHARED, encoded, opened, parsed

TABLES = ("mor6-event-time", "mor8-archived-by-1.0.2", "mor9-archived", "mor-upgraded-6-to-9", SHARED[0])


def one_by_one(found):
    return column_stats(merged_records(found, STATS, merged_stats).values())


@pytest.mark.parametrize("name", TABLES)
def test_statistics_equal_those_of_single_records(real_table, name):
    table = opened(real_table(name))
    compared = 0
    for partition in {"column_stats", "partition_stats"} & set(table.metadata.partitions):
        found = [
            layer
            for shard in table.metadata.shards(partition)
            for layer in layers(table.storage, shard, table.metadata.visible, Selection())
        ]
        expected, actual = one_by_one(found), layered_stats(found)
        assert sorted(map(repr, actual)) == sorted(map(repr, expected))
        assert all(decode_statistics(layer) is not None for layer in found if layer.schema and len(layer.cells))
        compared += len(actual)
    assert compared > 10


@pytest.fixture(scope="module")
def schemas(real_table):
    """Return the schemas of metadata records in tables by three releases of Hudi."""
    names = ("mor9-avro", "mor8-archived-by-1.0.2", "mor6-by-0.15.0")
    return [record_schema(opened(real_table(name)).metadata) for name in names]


def wrapped(schema, generator):
    """Return a random bound in a wrapper of the schema, in the form that fastavro writes."""
    (stats,) = (field for field in parsed(schema)["fields"] if field["name"] == STATS)
    names = [f["name"] for f in stats["type"][1]["fields"][2]["type"][1:] if f["fields"][0]["name"] == "value"]
    name = generator.choice(names)
    kind = name.rpartition(".")[2].removesuffix("Wrapper")
    value = {
        "Boolean": generator.random() < 0.5,
        "Float": generator.choice([0.5, math.inf, -1.25]),
        "Double": generator.choice([0.5, math.inf, -1e300]),
        "Bytes": generator.randbytes(generator.randrange(5)),
        "String": generator.choice(["", "é", "z" * 200]),
        "Decimal": Decimal(generator.randrange(-(10**20), 10**20)).scaleb(-15),
        "TimeMicros": generator.randrange(86_400_000_000),
        "Long": generator.randrange(-(1 << 63), 1 << 63),
        "TimestampMicros": generator.randrange(1 << 50),
    }.get(kind, generator.randrange(-(1 << 20), 1 << 20))
    return name, {"value": value}


def made(schema, generator):
    """Return the datum of a random record."""
    number = lambda: generator.choice([None, 0, generator.randrange(1 << 40)])  # noqa: E731
    content = {
        "fileName": generator.choice([None, "", "a.parquet", "é" * 90]),
        "columnName": generator.choice([None, "c", "a.b"]),
        "minValue": generator.choice([None, wrapped(schema, generator)]),
        "maxValue": generator.choice([None, wrapped(schema, generator)]),
        "valueCount": number(),
        "nullCount": number(),
        "totalSize": number(),
        "totalUncompressedSize": number(),
        "isDeleted": generator.random() < 0.2,
        "isTightBound": generator.random() < 0.5,
        "valueType": None,
    }
    return encoded({"key": generator.choice(["", "key"]), "type": 3, STATS: content}, schema)


def layer(values, schema, keys=None):
    names = keys or [b"%08d" % number for number in range(len(values))]
    return Layer("test", "a", Cells(pa.array(names, pa.large_binary()), pa.array(values, pa.large_binary())), schema)


def test_random_records(schemas):
    generator = random.Random(7)
    for schema in schemas:
        found = layer([made(schema, generator) for _ in range(300)], schema)
        assert list(map(repr, layered_stats([found]))) == list(map(repr, one_by_one([found])))


def test_versions_of_a_key_are_merged(schemas):
    generator = random.Random(8)

    def stats(low, high):
        content = {"minValue": ("org.apache.hudi.avro.model.IntWrapper", {"value": low})}
        content |= {"maxValue": ("org.apache.hudi.avro.model.IntWrapper", {"value": high}), "isDeleted": False}
        return encoded({"key": "", "type": 3, STATS: {"columnName": "c", "isTightBound": False, **content}}, schemas[0])

    old = layer([stats(1, 5), stats(7, 8), made(schemas[0], generator)], schemas[0], [b"a", b"b", b"c"])
    gone = Layer("test", "a", Cells(pa.array([b"b"], pa.large_binary()), pa.array([b""], pa.large_binary())), None)
    new = layer([stats(3, 9)], schemas[0], [b"a"])
    found = layered_stats([old, gone, new])
    assert list(map(repr, found)) == list(map(repr, one_by_one([old, gone, new])))
    assert (found[0].minimum, found[0].maximum) == (1, 9)


def test_a_schema_of_another_form_is_read_one_record_at_a_time(schemas):
    schema = json.loads(schemas[0])
    (stats,) = (field for field in schema["fields"] if field["name"] == STATS)
    fields = stats["type"][1]["fields"]
    fields.append({"name": "more", "type": "int", "default": 0})
    text = json.dumps(schema)
    found = layer([made(text, random.Random(9)) for _ in range(20)], text)
    assert decode_statistics(found) is None
    assert list(map(repr, layered_stats([found]))) == list(map(repr, one_by_one([found])))


def test_damaged_records_are_an_error(schemas):
    """Damaged bytes give the result of the decoder of single records, or a `CorruptTableError`, and no other error."""
    generator = random.Random(10)
    errors = 0
    for _ in range(150):
        values = [made(schemas[0], generator) for _ in range(3)]
        damaged = bytearray(values[1])
        for _ in range(generator.randrange(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        values[1] = bytes(damaged[: generator.choice([None, generator.randrange(len(damaged))])])
        found = layer(values, schemas[0])
        try:
            stats = layered_stats([found])
        except CorruptTableError:
            errors += 1
        else:
            assert list(map(repr, stats)) == list(map(repr, one_by_one([found])))
    assert errors > 40


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        (lambda value: value[:-1], "it ends before its last field"),
        (lambda value: value + b"\0", "bytes follow the record"),
        (lambda value: value[:7] + b"\x04" + value[8:], "a union does not have the stored branch number"),
        (lambda value: value[:5] + b"\xff" * 12, "a length exceeds that of the record|an integer has too many bytes"),
    ],
)
def test_errors_name_the_damage(schemas, cut, message):
    value = encoded({"key": "", "type": 3, STATS: {"isDeleted": False, "isTightBound": False}}, schemas[0])
    with pytest.raises(CorruptTableError, match=message):
        decode_statistics(layer([value, cut(value)], schemas[0]))
