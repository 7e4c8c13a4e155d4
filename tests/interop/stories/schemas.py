"""Added, widened, nested, reordered and omitted columns, in tables whose older files and logs are not rewritten."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tests.interop.rows import PLAIN, WIDE, batch, plain_batch
from tests.interop.story import Sql, Story, Write

from .common import BY_PART, COW, MOR, version

__all__ = ["schemas"]


def schemas() -> Iterator[Story]:
    """Yield stories of changed columns, in tables whose older files and logs are not rewritten."""
    short, long = pa.struct([("p", pa.int32())]), pa.struct([("p", pa.int32()), ("q", pa.string())])
    inner = pa.struct([("a", pa.int32()), ("l", pa.list_(short))])
    grown = pa.struct([("a", pa.int32()), ("l", pa.list_(long)), ("b", pa.string())])
    first = pa.schema([*PLAIN, ("n", inner)])
    added = pa.schema([*PLAIN, ("n", grown), ("extra", pa.int64()), ("day", pa.date32())])
    wide = retyped(WIDE, v=pa.int64(), f=pa.float64())
    wider = retyped(wide, v=pa.float64())
    ids = ["a", "b", "c:y"]
    for number, kind in ((6, COW), (6, MOR), (9, COW), (9, MOR)):
        name = f"{'cow' if kind is COW else 'mor'}{number}"
        options = {**kind, **version(number), **BY_PART}
        steps = [
            Write(batch(ids, 10, schema=first)),
            Write(batch(["a", "d:y"], 20, schema=added)),
            Write(batch(["b", "d:y", "e"], 30, schema=added)),
        ]
        yield Story(f"{name}-columns-added", options, steps)
        steps = [
            Write(batch(ids, 10)),
            Write(batch(["a", "d"], 20, schema=wide)),
            Write(batch(["b"], 30, schema=wider)),
        ]
        yield Story(f"{name}-columns-widened", options, steps)
        shuffled = pa.schema([WIDE.field(column) for column in sorted(WIDE.names)])
        fewer = pa.schema([field for field in WIDE if field.name not in ("big", "addr", "s")])
        lenient = {**options, "hoodie.write.set.null.for.missing.columns": "true"}
        steps = [
            Write(batch(ids, 10)),
            Write(batch(["a"], 20, schema=shuffled)),
            Write(batch(["b", "d"], 30, schema=fewer)),
        ]
        yield Story(f"{name}-columns-left-out", lenient, steps)
        dropping = {**options, "hoodie.datasource.write.schema.allow.auto.evolution.column.drop": "true"}
        yield Story(f"{name}-columns-dropped", dropping, steps)
    on_read = {"hoodie.schema.on.read.enable": "true"}
    steps = [
        Write(plain_batch(ids, 10), options=on_read),
        Sql(["alter table {table} rename column s to t"], {**on_read, "hoodie.metadata.enable": "false"}),
    ]
    yield Story("mor6-column-renamed-by-0.15.0", MOR, steps, "0.15.0")
    for name, kind in (("cow8", COW), ("mor8", MOR)):
        yield Story(f"{name}-column-renamed-by-1.0.2", {**kind, **version(8)}, steps, "1.0.2")
    reconciling = {**on_read, "hoodie.datasource.write.reconcile.schema": "true"}
    longer = plain_batch(["b", "d"], 20).append_column("w", pa.array([1, 2], pa.int64()))
    steps = [
        Write(plain_batch(ids, 10)),
        Write(longer, options=reconciling),
        Write(plain_batch(["a"], 30), options=reconciling),
    ]
    for name, kind in (("cow", COW), ("mor", MOR)):
        for number in (6, 9):
            yield Story(f"{name}{number}-columns-reconciled", {**kind, **version(number)}, steps)
    int96 = {"hoodie.parquet.outputtimestamptype": "INT96", "hoodie.datasource.write.row.writer.enable": "true"}
    bulk = [Write(batch(ids, 10), "bulk_insert"), Write(batch(["d", "e"], 20), "bulk_insert")]
    for number in (6, 9):
        yield Story(f"cow{number}-bulk-int96", {**COW, **version(number), **int96}, bulk)
        millis = {**int96, "hoodie.parquet.outputtimestamptype": "TIMESTAMP_MILLIS"}
        yield Story(f"mor{number}-bulk-millis", {**MOR, **version(number), **millis}, [*bulk, Write(batch(["a"], 30))])


def retyped(schema: pa.Schema, **types: pa.DataType) -> pa.Schema:
    """Return the schema with other types for some columns."""
    return pa.schema([pa.field(field.name, types.get(field.name, field.type)) for field in schema])
