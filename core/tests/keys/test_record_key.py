"""Record keys, bare and composite."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import DataError, HoodooError, OptionError, SchemaError
from hoodoo.keys import composite_keys, plain_keys
from hoodoo.record import KeyConfig


def plain(rows: pa.Table, *fields: str) -> list[str]:
    return plain_keys(rows, KeyConfig(record_key=fields), "simple").to_pylist()


def composite(rows: pa.Table, *fields: str, encoding: str = "field") -> list[str]:
    return composite_keys(rows, KeyConfig(record_key=fields, complex_encoding=encoding)).to_pylist()


def test_plain_keys_are_the_value() -> None:
    rows = pa.table({"id": [7, 8], "s": [{"a": "x"}, {"a": "y"}]})

    assert plain(rows, "id") == ["7", "8"]
    assert plain(rows, "s.a") == ["x", "y"]


def test_chunked_columns() -> None:
    rows = pa.concat_tables([pa.table({"id": [1]}), pa.table({"id": [2]})])

    assert plain(rows, "id") == ["1", "2"]
    assert composite(rows, "id") == ["id:1", "id:2"]


@pytest.mark.parametrize("missing", [None, ""])
def test_a_row_without_a_key_is_refused(missing: str | None) -> None:
    rows = pa.table({"id": pa.array(["a", missing, "b", missing, missing, missing], pa.string())})

    with pytest.raises(
        DataError, match=r"'id' is null or empty in 4 of 6 rows \(counted from 0: 1, 3, 4, \.\.\.\)"
    ) as e:
        plain(rows, "id")
    assert e.value.code == "key_null_or_empty"


def test_composite_keys_name_their_parts() -> None:
    rows = pa.table({"a": ["1", None, ""], "b": [2, 3, 4]})

    assert composite(rows, "a", "b") == ["a:1,b:2", "a:__null__,b:3", "a:__empty__,b:4"]
    assert composite(rows, "b", "a") == ["b:2,a:1", "b:3,a:__null__", "b:4,a:__empty__"]


def test_all_parts_blank_is_refused() -> None:
    rows = pa.table({"a": ["1", None], "b": ["", ""]})

    with pytest.raises(DataError, match=r"'a', 'b' is null or empty in 1 of 2 rows \(counted from 0: 1\)") as caught:
        composite(rows, "a", "b")
    assert caught.value.code == "key_null_or_empty"


def test_encodings_of_a_single_field() -> None:
    rows = pa.table({"id": [1]})

    assert composite(rows, "id") == ["id:1"]
    assert composite(rows, "id", encoding="value") == ["1"]
    with pytest.raises(OptionError, match="complex_encoding"):
        composite(rows, "id", encoding="other")


def test_the_value_encoding_is_for_a_single_field_only() -> None:
    assert composite(pa.table({"a": [1], "b": [2]}), "a", "b", encoding="value") == ["a:1,b:2"]


def test_a_blank_single_field_is_refused_in_the_value_encoding() -> None:
    with pytest.raises(DataError):
        composite(pa.table({"id": [""]}), "id", encoding="value")


@pytest.mark.parametrize(
    ("make", "fields", "error", "code"),
    [
        (plain, ("zz",), DataError, "key_null_or_empty"),
        (plain, (), OptionError, "key_fields_missing"),
        (plain, ("id", "b"), OptionError, "simple_needs_one_field"),
        (composite, ("id", "zz"), SchemaError, "key_field_missing"),
        (composite, (), OptionError, "key_fields_missing"),
    ],
)
def test_columns_that_do_not_fit(make: object, fields: tuple[str, ...], error: type[HoodooError], code: str) -> None:
    assert callable(make)
    with pytest.raises(error) as caught:
        make(pa.table({"id": [1], "b": [2]}), *fields)
    assert caught.value.code == code


def test_timestamps_in_keys_follow_the_option() -> None:
    rows = pa.table({"t": pa.array([0], pa.timestamp("us"))})
    config = KeyConfig(record_key=("t",), consistent_logical_timestamps=True)

    assert plain(rows, "t") == ["0"]
    assert plain_keys(rows, config, "simple").to_pylist() == ["1970-01-01 00:00:00.0"]
    assert composite_keys(rows, config).to_pylist() == ["t:1970-01-01 00:00:00.0"]
