"""Qualifiers distinguish different values that Hudi writes as one record key or one partition path."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoodoo.keys import (
    composite_keys,
    key_qualifiers,
    mixed_partition_paths,
    mixed_path_qualifiers,
    partition_paths,
    path_qualifiers,
)
from hoodoo.record import KeyConfig

Make = Callable[[pa.Table, KeyConfig], pa.Array]

KEY_VALUES = ["x", "x,b:y", "y,b:z", "z", "x,b", ":y", ",b:", ",c:y", ",b:y,c:z", "__null__", "__empty__", "", None]
PATH_VALUES = ["x", "x/y", "y/z", "z", "x/b=y", "b=y/z", "__HIVE_DEFAULT_PARTITION__", "a-b", "b-c", "a%2Fb", "", None]


def qualified(make: Make, values: Sequence[tuple[str | None, ...]], config: KeyConfig, qualify: Any) -> list[Any]:
    """Return pairs of encoding and qualifier, one per tuple of values of the columns a, b, c."""
    names = "abc"[: len(values[0])]
    rows = pa.table(
        {name: pa.array(column, pa.string()) for name, column in zip(names, zip(*values, strict=True), strict=True)}
    )
    found = qualify(rows, config)
    qualifiers = [None] * len(values) if found is None else found.to_pylist()
    return list(zip(make(rows, config).to_pylist(), qualifiers, strict=True))


def check_one_to_one(values: Sequence[Any], found: Sequence[Any]) -> None:
    """Check that equal values have equal pairs of encoding and qualifier, and different values have different pairs."""
    by_pair: dict[Any, Any] = {}
    for value, pair in zip(values, found, strict=True):
        assert by_pair.setdefault(pair, value) == value
    assert len(by_pair) == len(set(values))


@pytest.mark.parametrize("columns", [2, 3])
def test_keys_and_qualifiers_belong_to_one_tuple_of_values(columns: int) -> None:
    values = [v for v in itertools.product(KEY_VALUES, repeat=columns) if any(v)]
    found = qualified(composite_keys, values, KeyConfig(tuple("abc"[:columns])), key_qualifiers)

    assert len({key for key, _ in found}) < len(values), "none of these values collide"
    check_one_to_one(values, found)


part = st.one_of(st.none(), st.sampled_from(KEY_VALUES), st.text(alphabet=',:abc_"\\n', max_size=8))


@settings(deadline=None)
@given(st.lists(st.tuples(part, part, part).filter(any), min_size=1, max_size=30))
def test_keys_of_random_values(values: list[tuple[str | None, ...]]) -> None:
    check_one_to_one(values, qualified(composite_keys, values, KeyConfig(("a", "b", "c")), key_qualifiers))


@pytest.mark.parametrize("style", [{}, {"hive_style": True}, {"url_encode": True}, {"slash_date": True}])
@pytest.mark.parametrize("columns", [1, 2, 3])
def test_paths_and_qualifiers_belong_to_one_tuple_of_values(columns: int, style: dict[str, bool]) -> None:
    """A null and an empty value are equal: they share a folder on purpose."""
    values = list(itertools.product(PATH_VALUES, repeat=columns))
    config = KeyConfig((), tuple("abc"[:columns]), **style)
    found = qualified(partition_paths, values, config, path_qualifiers)

    check_one_to_one([tuple(v or None for v in value) for value in values], found)


DATES = ["2024-01-02", "2024/01/02", "2024-01/02", "a", "b-c", "b/c", "a-b", "c", "-a"]


def test_slash_separated_dates() -> None:
    config = KeyConfig((), ("a",), slash_date=True)
    values = [(date,) for date in DATES]
    found = qualified(partition_paths, values, config, path_qualifiers)

    assert len({path for path, _ in found}) < len(DATES), "none of these values collide"
    check_one_to_one(values, found)


def mixed(rows: pa.Table, config: KeyConfig) -> pa.Array:
    return mixed_partition_paths(rows, config, lambda rows, _: pa.repeat("1970/01", rows.num_rows))


@pytest.mark.parametrize("style", [{}, {"slash_date": True}])
def test_columns_of_kind_simple_count(style: dict[str, bool]) -> None:
    values = list(itertools.product(DATES, repeat=2))
    config = KeyConfig((), ("a:simple", "b:SIMPLE"), **style)

    check_one_to_one(values, qualified(mixed, values, config, mixed_path_qualifiers))


def test_times_share_a_folder_on_purpose() -> None:
    rows = pa.table({"a": ["x/y", "x/y", "z"], "t": [0, 1, 2]})
    config = KeyConfig((), ("a:simple", "t:timestamp"))

    assert mixed(rows, config).to_pylist() == ["x/y/1970/01", "x/y/1970/01", "z/1970/01"]
    assert mixed_path_qualifiers(rows, config) is None


@pytest.mark.parametrize(
    ("columns", "config"),
    [
        ({"a": ["x,b:y", "__null__"]}, KeyConfig(("a",))),
        ({"a": ["x,a:y", None], "b": ["b:z", ",b"]}, KeyConfig(("a", "b"))),
        ({"a": [1, None], "b": [datetime.date(2024, 1, 1)] * 2}, KeyConfig(("a", "b"))),
        ({"a": [], "b": []}, KeyConfig(("a", "b"))),
        ({"b": ["x"]}, KeyConfig(("a", "b"))),
    ],
)
def test_keys_that_only_their_values_have(columns: dict[str, list[Any]], config: KeyConfig) -> None:
    assert key_qualifiers(pa.table(columns), config) is None


@pytest.mark.parametrize("type_", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())])
def test_text_of_any_type(type_: pa.DataType) -> None:
    rows = pa.table({"a": pa.array(["x", "x,b:y", None]).cast(type_), "b": pa.array(["y", "z", "u"]).cast(type_)})

    assert key_qualifiers(rows, KeyConfig(("a", "b"))).to_pylist() == [None, '"x,b:y","z"', None]


def test_parts_of_an_array_are_looked_at_alone() -> None:
    """Bytes of other rows in the same buffer do not affect a row."""
    a = pa.array(["x,b:y", "x", "x,b:y"])
    rows = pa.table({"a": a.slice(1, 1), "b": pa.array(["z"])})

    assert key_qualifiers(rows, KeyConfig(("a", "b"))) is None


def test_fields_of_structs() -> None:
    rows = pa.table({"s": [{"a": "x,b:y"}, None], "b": ["z", "z"]})

    assert key_qualifiers(rows, KeyConfig(("s.a", "b"))).to_pylist() == ['"x,b:y","z"', None]


MICROS = pa.array([1_700_000_000_000_000, 1_700_000_000_000_001, 1_700_000_000_001_000, -1], pa.timestamp("us", "UTC"))


def test_timestamps_whose_text_has_fewer_digits() -> None:
    rows, config = pa.table({"t": MICROS}), KeyConfig(("t",), ("t",), consistent_logical_timestamps=True)
    keys = composite_keys(rows, config).to_pylist()

    assert keys[0] == keys[1] != keys[2]
    assert key_qualifiers(rows, config).to_pylist() == [None, '"1700000000000001"', None, '"-1"']
    assert path_qualifiers(rows, config).to_pylist() == [None, '"1700000000000001"', None, '"-1"']
    assert key_qualifiers(rows, KeyConfig(("t",))) is None
    millis = pa.table({"t": MICROS.cast(pa.timestamp("ms", "UTC"), safe=False)})
    assert key_qualifiers(millis, config) is None
