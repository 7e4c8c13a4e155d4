"""Random histories of a table: its kind, and its batches one after the other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from .model import Rule, TableModel

Row = dict[str, Any]

__all__ = ["INDEXES", "PARTITIONINGS", "Partitioning", "Setting", "Step", "settings_of", "steps_of"]

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
    """Partitioning of a table: its options and the expected paths and keys.

    Attributes:
        options: The options of each write that define the partition paths.
        columns: The partition columns and their types.
        values: A strategy for the partition columns of a row.
        path: A function that returns a row's partition path.
        key: A function that returns a row's record key.
        key_columns: The record key columns.
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
        {"partition_by": "place,number"},
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
class Setting:
    """Kind of a table, and the options of its writes.

    Attributes:
        version: The table version.
        merge_on_read: Whether changes go to logs.
        index: The index: bucket, simple or bloom.
        partitioning: The partition columns, with the expected partition paths and record keys.
        rule: The merge rule that the options name.
        options: The options of every write.
        columns: The columns that every batch may have, with their types.
        late: The columns that a later batch may add, with their types.
        order: A function that returns an ordering value for a small number.
        packs: Whether small files are filled.
    """

    version: int
    merge_on_read: bool
    index: str
    partitioning: Partitioning
    rule: Rule
    options: dict[str, Any]
    columns: dict[str, pa.DataType]
    late: dict[str, pa.DataType]
    order: Callable[[int], Any] = field(repr=False)
    packs: bool

    def model(self) -> TableModel:
        """Return the model of the empty table."""
        rule = self.rule.replace_payload() if self.version > 6 else self.rule
        buckets = self.options.get("buckets")
        bucket = (lambda key: _bucket(key, buckets)) if self.merge_on_read and buckets else None
        kind = self.partitioning
        return TableModel(list(self.columns), kind.key, kind.path, rule, self.merge_on_read, bucket)


@dataclass(frozen=True)
class Step:
    """One write: the operation, the number of cores, the batch, and the options in addition to those of every write."""

    operation: str
    cores: int
    schema: pa.Schema
    options: dict[str, Any]
    rows: list[Row] = field(repr=False)

    @property
    def table(self) -> pa.Table:
        return pa.Table.from_pylist(self.rows, schema=self.schema)


@st.composite
def settings_of(draw: st.DrawFn, version: int, table_type: str, index: str, partitioning: Partitioning) -> Setting:
    """Draw the setting of a table with this version, type, index and partitioning."""
    logs = table_type == "MERGE_ON_READ"
    ordering, order = _ORDERING_TYPES[draw(st.sampled_from(sorted(_ORDERING_TYPES)))]
    rule = draw(st.sampled_from([rule for rule in _RULES if _can_be(rule, version, logs=logs)]))
    options: dict[str, Any] = {
        "table_name": "history",
        "table_version": version,
        "table_type": table_type,
        "record_key": ",".join(partitioning.key_columns),
        "index": index,
        rule.kind: rule.name,
        "max_file_size": draw(st.sampled_from((1, 20_000, 1 << 27))),
        "small_file_limit": draw(st.sampled_from((0, 15_000, 1 << 26))),
        **partitioning.options,
    }
    if rule.ordering:
        options["ordering"] = ",".join(rule.ordering)
    if rule.stored_ordering:
        options["payload_ordering"] = ",".join(rule.stored_ordering)
    if index == "bucket":
        options["buckets"] = draw(st.sampled_from((1, 2, 3, 16)))
    if index == "bloom":
        options |= draw(st.sampled_from(({}, {"bloom_entries": 3, "bloom_fpp": 0.2, "bloom_max_entries": 6})))
    if logs:
        options["log_format"] = draw(st.sampled_from(("parquet", "avro")))
        options |= draw(st.sampled_from(({}, {"compact_inline": True, "compact_after_commits": 2})))
    options |= draw(st.sampled_from(({}, {"commits_retained": 2, "keep_min_commits": 3, "keep_max_commits": 4})))

    payload = draw(st.lists(st.sampled_from(sorted(_PAYLOAD)), unique=True, min_size=1, max_size=5))
    late = draw(st.lists(st.sampled_from(sorted(set(_PAYLOAD) - set(payload))), unique=True, max_size=2))
    fixed = {"id": pa.string(), "sub": pa.int64(), **partitioning.columns, "ts": ordering, "ts2": pa.int64()}
    columns = {**fixed, **{name: _PAYLOAD[name] for name in payload}}
    added = {name: _PAYLOAD[name] for name in late}
    packs = options["small_file_limit"] > 0
    return Setting(version, logs, index, partitioning, rule, options, columns, added, order, packs)


_RULES = (
    Rule("merger", "event-time", ("ts",)),
    Rule("merger", "event-time", ("ts", "ts2")),
    Rule("merger", "commit-time"),
    Rule("payload", "event-time", ("ts",)),
    Rule("payload", "event-time", ("ts",), ("ts2",)),
    Rule("payload", "overwrite-with-latest", ("ts",)),
)


def _can_be(rule: Rule, version: int, *, logs: bool) -> bool:
    """Return whether a table can have a rule. Another ordering for stored rows needs copy-on-write and version 6."""
    return not (rule.stored_ordering and (version > 6 or logs))


@st.composite
def steps_of(draw: st.DrawFn, setting: Setting, model: TableModel, *, first: bool) -> Step:
    """Draw a write to a table in its current state; the first one determines the columns."""
    columns = {name: type_ for name, type_ in {**setting.columns, **setting.late}.items() if name in model.columns}
    operation = draw(st.sampled_from(_OPERATIONS if model.places() else _FIRST))
    options: dict[str, Any] = {}
    needed = {*setting.partitioning.key_columns, *setting.partitioning.columns}
    if operation == "delete_partition":
        places = sorted({place for place, _ in model.places()})
        if places[0] and draw(st.booleans()):
            # a star matches any text, and occurs in no path
            options["partitions_to_delete"] = draw(st.sampled_from((places[0], f"{places[-1][:1]}*")))
        kept = needed
    elif operation == "delete":
        kept = needed | (draw(st.sampled_from(({"ts", "ts2"}, set()))))
    else:
        can_go = [] if first else sorted(set(columns) - needed - {"ts", "ts2"})
        kept = set(columns) - (draw(st.sets(st.sampled_from(can_go), max_size=1)) if len(can_go) > 1 else set())
        if not first:
            for name in sorted(set(columns) - needed):
                columns[name] = draw(st.sampled_from(_NARROWER.get(columns[name], (columns[name],))))
            added = {name: type_ for name, type_ in setting.late.items() if name not in columns}
            if added and draw(st.integers(0, 3)) == 0:
                columns |= added
                kept |= set(added)
    columns = {name: type_ for name, type_ in columns.items() if name in kept}
    rows = draw(st.lists(_rows(setting.partitioning, columns, setting.order), min_size=1, max_size=12))
    if operation == "delete" and "ts" in kept and draw(st.booleans()):
        rows[0] = {**rows[0], "ts": None, "ts2": None}
    if operation.startswith(("insert", "bulk")) and draw(st.integers(0, 3)) == 0:
        options["combine_before_insert"] = True
    if operation == "insert" and not model.has_logs and draw(st.booleans()):
        options["dup_policy"] = draw(st.sampled_from(("none", "drop", "fail")))
    if setting.merge_on_read:
        rows = _predictable_rows(setting, model, operation, rows)
    return Step(operation, draw(st.integers(1, 4)), pa.schema(list(columns.items())), options, rows)


_FIRST = ("upsert", "insert", "bulk_insert")
_OPERATIONS = (
    *("upsert",) * 6,
    *("delete",) * 3,
    *("insert",) * 3,
    *("bulk_insert", "insert_overwrite", "insert_overwrite_table", "delete_partition"),
)

_NARROWER: dict[pa.DataType, tuple[pa.DataType, ...]] = {
    pa.int64(): (pa.int64(), pa.int32()),
    pa.float64(): (pa.float64(), pa.float32()),
    pa.decimal128(12, 3): (pa.decimal128(12, 3), pa.decimal128(9, 2)),
}


def _predictable_rows(setting: Setting, model: TableModel, operation: str, rows: list[Row]) -> list[Row]:
    """Return those rows of a batch whose outcome in a merge-on-read table does not depend on how keys share files.

    If small files are filled, a change of a row in one of them goes to the base file instead of a log, and a delete of
    such a row is not remembered. Readers differ on a base file that has a key twice.
    """
    kind = setting.partitioning
    held = {held.place for held in model.held}
    buried = model.buried() if setting.packs and model.bucket is None else set()
    kept, met = [], set()
    for row in rows:
        place = kind.path(row), kind.key(row)
        if operation.startswith(("insert", "bulk")) and not model.logs_inserts(*place):
            if place in met or (place in held and (setting.packs or model.bucket is not None)):
                continue
        elif place in buried:
            continue
        met.add(place)
        kept.append(row)
    return kept


def _bucket(key: str, buckets: int) -> int:
    """Return the bucket of a record key of one column: Java's hash of a list with the text after the last colon."""
    text = key.rpartition(":")[2].encode("utf-16-be")
    code = 31
    hashed = 0
    for position in range(0, len(text), 2):
        hashed = (31 * hashed + int.from_bytes(text[position : position + 2])) & 0xFFFFFFFF
    return ((code + hashed) & 0x7FFFFFFF) % buckets


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
    """Return a strategy for null and for values of an Arrow type as in `to_pylist`, but with maps as dictionaries."""
    return st.none() | _present(type_)


def _present(type_: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_struct(type_):
        return st.fixed_dictionaries({field.name: _values(field.type) for field in type_.fields})
    if pa.types.is_list(type_):
        return st.lists(_values(type_.value_type), max_size=3)
    if pa.types.is_map(type_):
        return st.dictionaries(st.sampled_from(_TEXTS), _values(type_.item_type), max_size=3)
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
