"""Rows of a table and of a source, with extreme values of their types, and the columns that expressions name.

Columns have the names of types, functions, units and parameters of lambdas, which a scanner of names could confuse.
"""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa

__all__ = ["COMMON", "OF_SOURCE", "OF_TABLE", "columns_of", "rows_of"]

_ELEMENT = pa.struct([("name", pa.string()), ("count", pa.int32())])
_INNER = pa.struct(
    [("name", pa.string()), ("count", pa.int32()), ("flag", pa.bool_()), ("deep", pa.struct([("date", pa.date32())]))]
)
_ARROW = {
    "bool": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "dec": pa.decimal128(10, 2),
    "wide": pa.decimal128(38, 10),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "ts": pa.timestamp("us", tz="UTC"),
    "ints": pa.list_(pa.int32()),
    "texts": pa.list_(pa.string()),
    "struct": _INNER,
    "structs": pa.list_(_ELEMENT),
    "map": pa.map_(pa.string(), pa.int32()),
}

COMMON = {
    "flag": "bool",
    "int": "int",
    "x": "int",
    "big": "long",
    "single": "float",
    "double": "double",
    "amount": "dec",
    "wide": "wide",
    "text": "string",
    "value": "string",
    "raw": "binary",
    "date": "date",
    "timestamp": "ts",
    "items": "ints",
    "tags": "texts",
    "inner": "struct",
    "structs": "structs",
    "map": "map",
}
"""Columns of both the table and the source, with their types."""

OF_TABLE = {"day": "int", "key": "string"}
OF_SOURCE = {"hour": "int", "item": "string", "at": "ts"}

_TEXTS = (
    *(
        "a",
        "abc",
        "ABC",
        "",
        " ab ",
        "ab1,c2",
        "12",
        "-7",
        "3.75",
        "2024-02-29",
        "2024-02-29 12:34:56",
        "true",
        "é",
        "e\u0301",
    ),
    *(
        '{"a": 1, "b": "x"}',
        '[{"name": "p", "count": 3}]',
        "[1, 2]",
        '{"k": 4}',
        "İı",
        "50%",
        "a_b",
        "it's",
        "😀z",
        None,
    ),
)
_DATES = tuple(date(1970, 1, 1) + timedelta(days=days) for days in (-1, 0, 365, 11_016, 19_782, 19_787, 20_029))
_TIMES = (
    *(datetime(1969, 12, 31, 23, 59, 59, 999_999, UTC), datetime(2024, 3, 10, 7, 30, tzinfo=UTC)),
    *(
        datetime(2024, 11, 3, 5, 30, 0, 1, UTC),
        datetime(2024, 11, 3, 6, 30, tzinfo=UTC),
        datetime(2000, 2, 29, tzinfo=UTC),
    ),
)
_MILD: dict[str, tuple[Any, ...]] = {
    "int": (*range(-5, 12), 40, None),
    "long": (*range(-3, 9), 3_000_000_000, None),
    "float": (0.0, -0.0, 0.1, 1.5, -2.25, float("nan"), float("inf"), None),
    "double": (0.0, -0.0, 0.1, 1.5, -2.25, 1e300, float("nan"), float("-inf"), 2.5, 3.5, None),
    "dec": (*map(Decimal, ("0.00", "1.25", "-1.25", "2.50", "99.99", "0.01")), None),
    "wide": (*map(Decimal, ("0", "1.0000000001", "-7.5", "123456.789")), None),
    "date": (*_DATES, None),
    "ts": (*_TIMES, None),
}
_EXTREME: dict[str, tuple[Any, ...]] = {
    "int": (0, 1, -1, 7, 2**31 - 1, -(2**31), 40, None),
    "long": (0, 1, -1, 2**63 - 1, -(2**63), 2**31, None),
    "float": (*_MILD["float"], 3.4028234663852886e38, 1.401298464324817e-45),
    "double": (*_MILD["double"], 1.7976931348623157e308, 5e-324),
    "dec": (*_MILD["dec"], Decimal("99999999.99"), Decimal("-99999999.99")),
    "wide": (*_MILD["wide"], Decimal("9999999999999999999999999999.9999999999")),
    "date": (*_DATES, date(1, 1, 1), date(1582, 10, 4), date(9999, 12, 31), None),
    "ts": (*_TIMES, datetime(1500, 1, 1, tzinfo=UTC), datetime(1883, 11, 18, 17, 2, tzinfo=UTC), None),
}


def rows_of(ids: range, own: dict[str, str], seed: int, *, extreme: bool) -> pa.Table:
    """Return rows with the columns `id`, `COMMON` and others.

    Args:
        ids: The values of `id`.
        own: The other columns, and their types.
        seed: The seed of the values.
        extreme: Whether the least and largest values of types occur, with which ANSI mode fails at once.
    """
    chosen = random.Random(seed)
    columns = {**COMMON, **own}
    values = _EXTREME if extreme else _MILD
    rows = [{"id": key, **{name: _value(chosen, kind, values) for name, kind in columns.items()}} for key in ids]
    schema = pa.schema([("id", pa.int32()), *((name, _ARROW[kind]) for name, kind in columns.items())])
    return pa.Table.from_pylist(rows, schema=schema)


def _value(chosen: random.Random, kind: str, values: dict[str, tuple[Any, ...]]) -> Any:
    def some(kind: str) -> Any:
        return _value(chosen, kind, values)

    if kind in values:
        return chosen.choice(values[kind])
    if kind == "string":
        return chosen.choice(_TEXTS)
    if chosen.random() < 0.15:
        return None
    if kind == "bool":
        return chosen.random() < 0.5
    if kind == "binary":
        return chosen.randbytes(chosen.randrange(4))
    if kind == "struct":
        return {
            "name": some("string"),
            "count": some("int"),
            "flag": some("bool"),
            "deep": chosen.choice([None, {"date": some("date")}]),
        }
    if kind == "map":
        return [(key, some("int")) for key in chosen.sample(["k", "a", "z"], chosen.randrange(4))]
    inside = {
        "ints": lambda: some("int"),
        "texts": lambda: some("string"),
        "structs": lambda: chosen.choice([None, {"name": some("string"), "count": some("int")}]),
    }[kind]
    return [inside() for _ in range(chosen.randrange(4))]


def columns_of(seed: str, sides: dict[str, dict[str, str]], bare: str) -> dict[str, list[tuple[str, str]]]:
    """Return the columns that expressions may name, as pairs of alias and text, by type.

    Args:
        seed: The seed of the spellings.
        sides: By alias, the columns of a side and their types.
        bare: The columns that are also named without an alias: `none`, `own` for those of one side only, or `all`.
    """
    chosen = random.Random(seed)
    found: dict[str, list[tuple[str, str]]] = {}
    for alias, columns in sides.items():
        for name, kind in columns.items():
            texts = [
                f"{alias}.{name}",
                chosen.choice([f"`{alias}`.{name}", f"{alias}.`{name}`", f"{alias.upper()}.{name.upper()}"]),
            ]
            # `map` is a keyword of SQL, and names a column only after an alias
            if (bare == "all" and name != "map") or (bare == "own" and name not in COMMON):
                texts += [name, chosen.choice([f"`{name}`", name.capitalize()])]
            kept = {"wide": "dec"}.get(kind, kind)
            found.setdefault(kept, []).extend((alias, text) for text in texts)
    return found
