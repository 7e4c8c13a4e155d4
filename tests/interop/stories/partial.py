"""Rules that mix two versions of a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from tests.interop.rows import PLAIN, batch, plain_batch
from tests.interop.story import Sql, Story, Write

from .common import COW, MOR, payload, version

__all__ = ["partial"]


def partial() -> Iterator[Story]:
    """Yield stories of rules that mix two versions of a record."""

    def rows(ids: Sequence[str], ts: int, **nulls: None) -> pa.Table:
        return plain_batch(ids, ts, **nulls)

    steps = [
        Write(rows(["a", "b", "c", "d"], 10)),
        Write(rows(["a", "b"], 20, s=None, v=None)),
        Write(rows(["a", "c", "d"], 5, d=None)),
        Write(rows(["c", "e"], 30, v=None, d=None)),
    ]
    for number in (6, 8, 9):
        for class_ in ("PartialUpdateAvroPayload", "OverwriteNonDefaultsWithLatestAvroPayload"):
            short = "partial-update" if class_.startswith("Partial") else "non-defaults"
            yield Story(f"mor{number}-{short}", {**MOR, **version(number), **payload(class_)}, steps)
    dms = pa.schema([*PLAIN, ("Op", pa.string())])
    changed = [
        Write(batch(["a", "b", "c"], 10, schema=dms, Op="I")),
        Write(batch(["a", "b"], 20, schema=dms, Op={"a": "U", "b": "D"})),
        Write(batch(["c", "b"], 5, schema=dms, Op={"c": "D", "b": "I"})),
    ]
    for number in (6, 9):
        yield Story(f"mor{number}-aws-dms", {**MOR, **version(number), **payload("AWSDmsAvroPayload")}, changed)
    postgres = pa.schema(
        [
            *PLAIN,
            ("_event_lsn", pa.int64()),
            ("_change_operation_type", pa.string()),
            ("_upstream_event_processed_ts_ms", pa.int64()),
        ]
    )

    def events(ids: Sequence[str], lsn: int, op: str, **values: str) -> pa.Table:
        return batch(ids, lsn, schema=postgres, _event_lsn=lsn, _change_operation_type=op, **values)

    debezium = [
        Write(events(["a", "b", "c", "d"], 10, "c", s="toast")),
        Write(events(["a", "b"], 20, "u", s="__debezium_unavailable_value")),
        Write(events(["c"], 5, "u", s="late")),
        Write(events(["d"], 30, "d")),
    ]
    class_ = "debezium.PostgresDebeziumAvroPayload"
    order = {"hoodie.datasource.write.precombine.field": "_event_lsn"}
    for number in (6, 9):
        yield Story(f"mor{number}-postgres-debezium", {**MOR, **version(number), **payload(class_), **order}, debezium)
    yield Story("cow6-postgres-debezium", {**COW, **version(6), **payload(class_), **order}, debezium)
    yield Story("mor6-postgres-debezium-by-0.15.0", {**MOR, **payload(class_), **order}, debezium, "0.15.0")
    late = [
        Write(events(["a", "b", "c"], 10, "c")),
        Write(events(["a"], 20, "u")),
        Write(events(["a", "b"], 5, "d")),
        Write(events(["c"], 30, "d")),
        Write(events(["c"], 25, "u")),
    ]
    yield Story("mor6-postgres-late", {**MOR, **version(6), **payload(class_), **order}, late)
    yield Story("mor9-postgres-late", {**MOR, **version(9), **payload(class_), **order}, late)
    yield Story("mor6-postgres-late-by-0.15.0", {**MOR, **payload(class_), **order}, late, "0.15.0")
    yield from _mysql()
    for number in (8, 9):
        merge = (
            "merge into {table} t using (select 'a' id, 70 v, cast(50 as bigint) ts union all"
            " select 'c', 71, cast(50 as bigint)) s on t.id = s.id"
            " when matched then update set v = s.v, ts = s.ts"
        )
        update = "update {table} set s = 'by sql' where id = 'b'"
        settings = {
            "hoodie.spark.sql.merge.into.partial.updates": "true",
            "hoodie.write.auto.upgrade": "false",
            "hoodie.write.table.version": str(number),
            "hoodie.metadata.enable": "false",
        }
        told = [Write(plain_batch(["a", "b", "c:y"], 10)), Sql([merge], settings), Sql([update], settings)]
        yield Story(f"mor{number}-merge-into", {**MOR, **version(number)}, told)


def _mysql() -> Iterator[Story]:
    """Yield stories of MySQL changes whose order differs between numbers and texts."""
    columns = [("_event_seq", pa.string()), ("_event_bin_file", pa.string()), ("_event_pos", pa.int64())]
    schema = pa.schema([*PLAIN, *columns, ("_change_operation_type", pa.string())])

    def events(ids: Sequence[str], file: int, position: int, op: str) -> pa.Table:
        return batch(
            ids,
            file * 1000 + position,
            schema=schema,
            _event_seq=f"{file:06}.{position}",
            _event_bin_file=f"mysql-bin.{file:06}",
            _event_pos=position,
            _change_operation_type=op,
        )

    steps = [
        Write(events(["a", "b", "c", "d"], 9, 100, "c")),
        Write(events(["a", "b"], 9, 1000, "u")),
        Write(events(["c"], 9, 20, "u")),
        Write(events(["d"], 10, 4, "d")),
        Write(events(["b"], 8, 5000, "d")),
        Write(events(["a", "e"], 10, 5, "u")),
    ]
    class_, order = payload("debezium.MySqlDebeziumAvroPayload"), "hoodie.datasource.write.precombine.field"
    options = {**class_, order: "_event_seq"}
    yield Story("mor6-mysql-debezium", {**MOR, **version(6), **options}, steps)
    later = {**class_, order: "_event_bin_file,_event_pos"}
    yield Story("mor9-mysql-debezium", {**MOR, **version(9), **later}, steps)
    yield Story("cow6-mysql-debezium", {**COW, **version(6), **options}, steps)
    yield Story("mor6-mysql-debezium-by-0.15.0", {**MOR, **options}, steps, "0.15.0")
