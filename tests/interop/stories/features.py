"""SQL, upgrades, spellings of instants, recorded changes, and table properties that change the content of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from tests.interop.rows import PLAIN, WIDE, batch, plain_batch
from tests.interop.story import Instant, Reading, Sql, Step, Story, Write

from .common import BY_PART, COMPACT, COW, EVENT_TIME, METADATA, MOR, SCHEDULE, keep, some, version

__all__ = ["changes_recorded", "features"]


def features() -> Iterator[Story]:
    """Yield stories of SQL, upgrades, spellings of instants, and table properties that change the content of files."""
    for number in (6, 9):
        of = version(number)
        no_meta = {"hoodie.populate.meta.fields": "false"}
        inserts = [Write(plain_batch(["a", "b"], 10), "insert"), Write(plain_batch(["c", "d"], 20), "insert")]
        yield Story(f"cow{number}-no-meta-fields", {**COW, **of, **no_meta}, inserts)
        yield Story(f"mor{number}-no-meta-fields", {**MOR, **of, **no_meta}, some())
        capture = {"hoodie.table.cdc.enabled": "true"}
        yield Story(f"cow{number}-cdc", {**COW, **of, **BY_PART, **capture}, some())
        yield Story(f"mor{number}-cdc", {**MOR, **of, **BY_PART, **capture}, some())
        dropped = {"hoodie.datasource.write.drop.partition.columns": "true"}
        yield Story(f"cow{number}-partition-columns-dropped", {**COW, **of, **BY_PART, **dropped}, some())
        indexed = {
            **METADATA,
            "hoodie.metadata.record.index.enable": "true",
            "hoodie.metadata.index.column.stats.enable": "true",
            "hoodie.index.type": "RECORD_INDEX" if number == 9 else "SIMPLE",
        }
        yield Story(f"mor{number}-metadata", {**MOR, **of, **BY_PART, **indexed}, some())
    two = {"hoodie.datasource.write.precombine.field": "ts,v", "hoodie.table.ordering.fields": "ts,v", **EVENT_TIME}
    steps = [
        Write(plain_batch(["a", "b", "c"], 10, v=5)),
        Write(plain_batch(["a", "b", "c"], 10, v={"a": 6, "b": 4, "c": 5})),
        Write(plain_batch(["b"], 9, v=9), "delete"),
    ]
    yield Story("mor9-two-ordering-fields", {**MOR, **version(9), **two}, steps)
    columns = "id string, part string, ts bigint, v int, s string, d double, n struct<a: int, b: array<string>>"
    create = (
        f"create table {{table}} ({columns}) using hudi partitioned by (part)"
        " tblproperties (type = 'mor', primaryKey = 'id', preCombineField = 'ts') location '{path}'"
    )
    insert = (
        "insert into {table} select 'a', 1L, 1, 'one', 1.5D, named_struct('a', 1, 'b', array('p', 'q')), 'x'"
        " union all select 'b', 1L, 2, null, null, null, 'y'"
    )
    made = [
        Sql(
            [
                create,
                insert,
                "update {table} set v = 10 where id = 'a'",
                "delete from {table} where id = 'b'",
                "insert into {table} select 'b', 0L, 3, 'again', 2.5D, null, 'y'",
                "alter table {table} add columns (later string)",
                "insert into {table} select 'c', 2L, 4, null, null, null, 'new', 'y'",
            ],
        )
    ]
    yield Story("mor9-by-sql", {}, made)
    upgraded = {"hoodie.write.table.version": "9", "hoodie.write.auto.upgrade": "true"}
    after = [Write(plain_batch(["a", "u:y"], 50), options=upgraded), Write(plain_batch(["c:y"], 60), options=upgraded)]
    steps = [*some(), *some()[1:], *after]
    for kind in (COW, MOR):
        name = "cow" if kind is COW else "mor"
        yield Story(f"{name}-upgraded-6-to-9", {**kind, **version(6), **BY_PART, **keep(2)}, steps)
        yield Story(f"{name}-upgraded-8-to-9", {**kind, **version(8), **BY_PART}, steps)

    def spellings(done: Sequence[Instant]) -> list[Reading]:
        time = done[1].requested
        day, clock = f"{time[:4]}-{time[4:6]}-{time[6:8]}", f"{time[8:10]}:{time[10:12]}:{time[12:14]}"
        spelled = [f"{day} {clock}.{time[14:]}", f"{day} {clock}", time[:14], day, f"{day}T{clock}"]
        return [Reading(f"spelled_{n}", {"as.of.instant": s}, {"as_of": s}) for n, s in enumerate(spelled)]

    for number in (6, 9):
        options = {**COW, **version(number)}
        yield Story(f"cow{number}-spellings", options, some(), readings=spellings)


def changes_recorded() -> Iterator[Story]:
    """Yield tables that record changes in each of the three forms of change logs, and in logs of data."""
    for number in (6, 9):
        for mode, schema in (("data_before_after", WIDE), ("data_before", WIDE), ("op_key_only", PLAIN)):
            options = {**COW, **version(number), **BY_PART, **_recorded(mode)}
            yield Story(f"cow{number}-changes-{mode.replace('_', '-')}", options, _steps(schema), readings=_readings)
    compacted: list[Step] = [Sql([SCHEDULE]), Sql([COMPACT])]
    options = {**MOR, **BY_PART, **_recorded("data_before_after")}
    yield Story("mor9-changes", {**options, **version(9)}, _steps(WIDE, compacted), readings=_readings)
    # 0.15.0 shows nested images as addresses in memory
    yield Story("mor6-changes-by-0.15.0", options, _steps(PLAIN, compacted), "0.15.0", readings=_readings)
    small = [*_steps(PLAIN), Write(batch(["n"], 60, schema=PLAIN), "insert")]
    yield Story(
        "cow9-changes-unlogged",
        {**COW, **version(9), **BY_PART, **_recorded("data_before_after")},
        small,
        readings=_readings,
    )


def _recorded(mode: str) -> dict[str, str]:
    return {"hoodie.table.cdc.enabled": "true", "hoodie.table.cdc.supplemental.logging.mode": mode}


def _steps(schema: pa.Schema, between: Sequence[Step] = ()) -> list[Step]:
    """Return inserts, an update with an insert, a delete, a late and a newer update, and replaced file groups."""
    return [
        Write(batch(["a", "b", "c:y", "e"], 10, schema=schema), "insert"),
        Write(batch(["a", "d", "c:y"], 20, schema=schema)),
        Write(batch(["b"], 30, schema=schema), "delete"),
        *between,
        Write(batch(["a", "e"], 15, schema=schema)),
        Write(batch(["o:y"], 50, schema=schema), "insert_overwrite"),
    ]


def _readings(done: Sequence[Instant]) -> list[Reading]:
    times = [instant.requested for instant in done]
    ranges = {"all": ("000", None), "from_first": (times[0], None), "middle": (times[1], times[-2])}
    return [_reading(f"changes_{name}", begin, end) for name, (begin, end) in ranges.items()]


def _reading(name: str, begin: str, end: str | None) -> Reading:
    hudi = {
        "hoodie.datasource.query.type": "incremental",
        "hoodie.datasource.query.incremental.format": "cdc",
        "hoodie.datasource.read.begin.instanttime": begin,
    }
    ours = {"query_type": "incremental", "incremental_format": "cdc", "begin": begin}
    if end is not None:
        hudi["hoodie.datasource.read.end.instanttime"] = end
        ours["end"] = end
    return Reading(name, hudi, ours)
