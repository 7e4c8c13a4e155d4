"""Random histories of a table: what it is, and what is written to it, one batch after the other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from .model import Rule

Row = dict[str, Any]

__all__ = ["INDEXES", "PARTITIONINGS", "History", "Partitioning", "Step", "histories"]

INDEXES = ("bucket", "simple", "bloom")

_TEXTS = ("a", "b", "c", "ключ", "鍵", "é", "😀", "50%", "x y", "k,1", "id:2")
_PLACES = ("x", "y", "zürich", None, "")
_AWKWARD_PLACES = ("a/b", "50%", "k=v", "with space", "10:30", "..", "é", None)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_PAYLOAD = {
    "text": pa.string(),
    "small": pa.int32(),
    "big": pa.int64(),
    "single": pa.float32(),
    "double": pa.float64(),
    "flag": pa.bool_(),
    "amount": pa.decimal128(12, 3),
    "huge": pa.decimal128(38, 10),
    "day": pa.date32(),
    "at": pa.timestamp("us", tz="UTC"),
    "raw": pa.binary(),
    "items": pa.list_(pa.struct([("name", pa.string()), ("count", pa.int32())])),
    "tags": pa.map_(pa.string(), pa.struct([("score", pa.float64()), ("seen", pa.bool_())])),
    "inner": pa.struct([("a", pa.string()), ("deep", pa.struct([("b", pa.float64()), ("c", pa.bool_())]))]),
    "deleted": pa.bool_(),
}
_PAYLOAD["_hoodie_is_deleted"] = _PAYLOAD.pop("deleted")

_ORDERING_TYPES: dict[str, tuple[pa.DataType, Callable[[int], Any]]] = {
    "long": (pa.int64(), lambda n: n - 2),
    "int": (pa.int32(), lambda n: n),
    "double": (pa.float64(), lambda n: n / 2),
    "string": (pa.string(), lambda n: ("", "10", "9", "Z", "é", "😀")[n]),
    "timestamp": (pa.timestamp("us", tz="UTC"), lambda n: _EPOCH + timedelta(microseconds=n - 1)),
    "date": (pa.date32(), lambda n: date(1969, 12, 30) + timedelta(days=n)),
    "decimal": (pa.decimal128(20, 4), lambda n: Decimal(n - 2) / 4),
}


@dataclass(frozen=True)
class Partitioning:
    """How a table is partitioned: the options that say so, and what must come of them.

    Attributes:
        options: For the write.
        columns: Partition columns and their types.
        values: A strategy for the partition columns of a row.
        path: A row's partition path.
        key: A row's record key.
        key_columns: Record key columns.
    """

    options: dict[str, Any]
    columns: dict[str, pa.DataType]
    values: st.SearchStrategy[Row]
    path: Callable[[Row], str]
    key: Callable[[Row], str] = lambda row: str(row["id"])
    key_columns: tuple[str, ...] = ("id",)


def _named(value: Any) -> str:
    return "__HIVE_DEFAULT_PARTITION__" if value in (None, "") else str(value)


def _escaped(text: str) -> str:
    special = "\"#%'*/:=?\\{[]^\x7f"
    return "".join(f"%{ord(c):02X}" if c in special or ord(c) < 32 else c for c in text)


def _hour(row: Row) -> str:
    # a null counts as one millisecond after the epoch
    time = _EPOCH + timedelta(milliseconds=1 if row["event"] is None else row["event"])
    return f"{time:%Y/%m/%d/%H}"


PARTITIONINGS = {
    "none": Partitioning({}, {}, st.just({}), lambda row: ""),
    "simple": Partitioning(
        {"partition_by": "place"},
        {"place": pa.string()},
        st.fixed_dictionaries({"place": st.sampled_from(_PLACES)}),
        lambda row: _named(row["place"]),
    ),
    "hive": Partitioning(
        {"partition_by": "number", "hive_style": True},
        {"number": pa.int32()},
        st.fixed_dictionaries({"number": st.sampled_from((-1, 0, 7, None))}),
        lambda row: f"number={_named(row['number'])}",
    ),
    "encoded": Partitioning(
        {"partition_by": "place", "url_encode": True},
        {"place": pa.string()},
        st.fixed_dictionaries({"place": st.sampled_from([p for p in _AWKWARD_PLACES if p != ".."])}),
        lambda row: _escaped(_named(row["place"])),
    ),
    "complex": Partitioning(
        {"partition_by": "place,number", "record_key": "id,sub"},
        {"place": pa.string(), "number": pa.int32()},
        st.fixed_dictionaries({"place": st.sampled_from(_PLACES[:2]), "number": st.sampled_from((1, 2, None))}),
        lambda row: f"{_named(row['place'])}/{_named(row['number'])}",
        lambda row: f"id:{row['id']},sub:{'__null__' if row['sub'] is None else row['sub']}",
        ("id", "sub"),
    ),
    "timestamp": Partitioning(
        {
            "partition_by": "event",
            "keygen": "timestamp",
            "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
            "hoodie.keygen.timebased.output.dateformat": "yyyy/MM/dd/HH",
        },
        {"event": pa.int64()},
        st.fixed_dictionaries({"event": st.sampled_from((0, 3_599_999, 3_600_000, 1_709_164_800_000, None))}),
        _hour,
    ),
}


@dataclass(frozen=True)
class Step:
    """One write: the columns that the batch has, and its rows."""

    operation: str
    cores: int
    schema: pa.Schema
    rows: list[Row] = field(repr=False)

    @property
    def table(self) -> pa.Table:
        return pa.Table.from_pylist(self.rows, schema=self.schema)


@dataclass(frozen=True)
class History:
    """A table and the writes to it. `columns` are those of the first batch."""

    rule: Rule
    options: dict[str, Any]
    columns: list[str]
    steps: list[Step]


@st.composite
def histories(draw: st.DrawFn, index: str, partitioning: Partitioning) -> History:
    """A table of a kind, and up to five writes."""
    ordering = draw(st.sampled_from(sorted(_ORDERING_TYPES)))
    rule = draw(
        st.sampled_from(
            (
                Rule("merger", "event-time", ("ts",)),
                Rule("merger", "event-time", ("ts", "ts2")),
                Rule("merger", "commit-time"),
                Rule("payload", "event-time", ("ts",)),
                Rule("payload", "event-time", ("ts",), ("ts2",)),
                Rule("payload", "overwrite-with-latest", ("ts",)),
            )
        )
    )
    options: dict[str, Any] = {"table_name": "history", "record_key": "id", "index": index, rule.kind: rule.name}
    options |= partitioning.options
    if rule.ordering:
        options["ordering"] = ",".join(rule.ordering)
    if rule.stored_ordering:
        options["payload_ordering"] = ",".join(rule.stored_ordering)
    if index == "bucket":
        options["buckets"] = draw(st.sampled_from((1, 2, 3, 16)))
    options["max_file_size"] = draw(st.sampled_from((1, 20_000, 1 << 27)))
    options["small_file_limit"] = draw(st.sampled_from((0, 15_000, 1 << 26)))

    payload = draw(st.lists(st.sampled_from(sorted(_PAYLOAD)), unique=True, min_size=1, max_size=5))
    late = draw(st.sampled_from([None, *sorted(set(_PAYLOAD) - set(payload))]))
    make = _ORDERING_TYPES[ordering]
    fixed = {"id": pa.string(), "sub": pa.int64(), **partitioning.columns, "ts": make[0], "ts2": pa.int64()}
    columns = {**fixed, **{name: _PAYLOAD[name] for name in payload}}
    steps = [_first(draw, partitioning, columns, make[1])]
    for _ in range(draw(st.integers(1, 4))):
        if late is not None and draw(st.booleans()):
            columns = {**columns, late: _PAYLOAD[late]}
        steps.append(_step(draw, partitioning, columns, make[1], rule))
    return History(rule, options, list(steps[0].schema.names), steps)


def _first(
    draw: st.DrawFn, partitioning: Partitioning, columns: dict[str, pa.DataType], order: Callable[[int], Any]
) -> Step:
    operation = draw(st.sampled_from(("upsert", "insert", "bulk_insert")))
    rows = draw(st.lists(_rows(partitioning, columns, order), min_size=0, max_size=15))
    return Step(operation, draw(st.integers(1, 4)), pa.schema(list(columns.items())), rows)


def _step(
    draw: st.DrawFn,
    partitioning: Partitioning,
    columns: dict[str, pa.DataType],
    order: Callable[[int], Any],
    rule: Rule,
) -> Step:
    operation = draw(st.sampled_from(("upsert", "upsert", "insert", "bulk_insert", "delete")))
    needed = {*partitioning.key_columns, *partitioning.columns}
    if operation == "delete":
        kept = {*needed, *(["ts", "ts2"] if draw(st.booleans()) else [])}
    else:
        dropped = draw(st.sets(st.sampled_from(sorted(set(columns) - needed - {"ts", "ts2"})), max_size=1))
        kept = set(columns) - (dropped if len(columns) - len(needed) > 3 else set())
    columns = {name: type_ for name, type_ in columns.items() if name in kept}
    order_of = order
    rows = draw(st.lists(_rows(partitioning, columns, order_of), min_size=0, max_size=10))
    if operation == "delete" and "ts" in kept and rows and draw(st.booleans()):
        rows[0] = {**rows[0], "ts": None, "ts2": None}
    return Step(operation, draw(st.integers(1, 4)), pa.schema(list(columns.items())), rows)


def _rows(
    partitioning: Partitioning, columns: dict[str, pa.DataType], order: Callable[[int], Any]
) -> st.SearchStrategy[Row]:
    values: dict[str, st.SearchStrategy[Any]] = {
        "id": st.sampled_from(_TEXTS),
        "sub": st.sampled_from((1, 2, None)),
        "ts": st.integers(0, 5).map(order),
        "ts2": st.integers(0, 3),
        "_hoodie_is_deleted": st.sampled_from((None, False, False, True)),
    }
    chosen = {
        name: values[name] if name in values else _values(type_)
        for name, type_ in columns.items()
        if name not in partitioning.columns
    }
    rows = st.builds(lambda data, place: {**data, **place}, st.fixed_dictionaries(chosen), partitioning.values)
    return rows.map(lambda row: {name: row[name] for name in columns})


def _values(type_: pa.DataType) -> st.SearchStrategy[Any]:
    """Values of an Arrow type as `to_pylist` gives them, and null."""
    return st.none() | _present(type_)


def _present(type_: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_struct(type_):
        return st.fixed_dictionaries({field.name: _values(field.type) for field in type_.fields})
    if pa.types.is_list(type_):
        return st.lists(_values(type_.value_type), max_size=3)
    if pa.types.is_map(type_):
        return st.dictionaries(st.sampled_from(_TEXTS), _values(type_.item_type), max_size=3).map(
            lambda entries: list(entries.items())
        )
    if pa.types.is_decimal(type_):
        largest = 10**type_.precision - 1
        return st.integers(-largest, largest).map(lambda n: _scaled(n, type_.scale))
    return _PLAIN[type_]


def _scaled(digits: int, scale: int) -> Decimal:
    sign = "-" if digits < 0 else ""
    text = str(abs(digits)).rjust(scale + 1, "0")
    return Decimal(f"{sign}{text[:-scale]}.{text[-scale:]}")


_PLAIN: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): st.text(max_size=6).filter(lambda text: not re.search("[\ud800-\udfff]", text)),
    pa.int32(): st.integers(-(2**31), 2**31 - 1),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(date(1, 1, 1), date(9999, 12, 31)),
    pa.timestamp("us", tz="UTC"): st.datetimes(timezones=st.just(UTC)),
    pa.binary(): st.binary(max_size=6),
}
