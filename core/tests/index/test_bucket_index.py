"""The bucket hash equals java.util.List.hashCode over java.lang.String.hashCode."""

from __future__ import annotations

import re
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import DataError, OptionError, TableError
from hoodoo.index.bucket_index import bucket_file_id, bucket_ids, bucket_of

WHOLE_RANGE = 2**31 - 1
"""With this many buckets, the bucket number is the masked hash, except for the hash 2**31 - 1 itself."""

texts = st.text(st.characters(exclude_categories=["Cs"]))


def string_hash(text: str) -> int:
    units = text.encode("utf-16-le")
    value = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + low + (high << 8)) & 0xFFFFFFFF
    return value


def list_bucket(values: list[str], buckets: int = WHOLE_RANGE) -> int:
    value = 1
    for text in values:
        value = (31 * value + string_hash(text)) & 0xFFFFFFFF
    return (value & 0x7FFFFFFF) % buckets


def buckets_of(*keys: str, fields: tuple[str, ...] = ()) -> list[int]:
    return bucket_ids(pa.array(keys, pa.string()), WHOLE_RANGE, fields).tolist()


# computed by java.lang.String.hashCode
JAVA_STRING_HASHES = {
    "": 0,
    "1": 49,
    "TXN-001": -166313938,
    "Straße": -1808122922,
    "\U0001f600": 1772899,
    "key-\U0001f600-z": -2139820738,
    "日本語のキー": -841196058,
    "\x00": 0,
    "\uffff": 65535,
    "polygenelubricants": -2147483648,
    "0123456789abcdef": 285443752,
}


@pytest.mark.parametrize(("key", "java"), JAVA_STRING_HASHES.items())
def test_one_key_is_a_list_of_one(key: str, java: int) -> None:
    expected = ((31 + java) & 0x7FFFFFFF) % WHOLE_RANGE

    assert buckets_of(key) == [expected]
    assert string_hash(key) == java & 0xFFFFFFFF


def test_reference_hashes() -> None:
    assert buckets_of("1", "TXN-001") == [80, 1981169741]
    assert buckets_of("id:1,name:Alice", fields=("id", "name")) == [63352848]
    assert buckets_of("a:é,b:\U0001f600", fields=("a", "b")) == [1781083]
    assert buckets_of("a:__null__,b:__empty__", fields=("a", "b")) == [961]


@given(st.lists(texts, max_size=8))
def test_equals_a_plain_string_hash(values: list[str]) -> None:
    keys = [text.replace(":", ".") for text in values]

    assert buckets_of(*keys) == [list_bucket([key]) for key in keys]


@given(st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=6))
def test_composite_keys_hash_the_values(rows: list[tuple[str, str, str]]) -> None:
    plain = [tuple(re.sub("[,:]", ".", text) for text in row) for row in rows]
    keys = [f"a:{a},b:{b},ccc:{c}" for a, b, c in plain]
    none = {"__null__": "", "__empty__": ""}
    values = [tuple(none.get(text, text) for text in row) for row in plain]

    assert buckets_of(*keys, fields=("a", "b", "ccc")) == [list_bucket(list(row)) for row in values]
    assert buckets_of(*keys, fields=("b",)) == [list_bucket([row[1]]) for row in values]
    assert buckets_of(*keys) == [list_bucket(list(row)) for row in values]


@pytest.mark.parametrize(
    ("key", "fields", "values"),
    [
        ("id:1", ("id",), ["id:1"]),
        ("a,b", ("a",), ["a,b"]),
        ("id:1,5", ("id",), ["1,5"]),
        ("a:10:20,b:2", ("a", "b"), ["10:20", "2"]),
        ("a:1,x,b:2", ("a", "b"), ["1,x", "2"]),
        ("a:1,b:2:3,4", ("b",), ["2:3,4"]),
        ("a:1,b:2", ("b", "a"), ["1", "2"]),
        ("a:1,b:2", ("z",), ["a:1,b:2"]),
        ("x,a:1", ("a",), ["x,a:1"]),
        ("a:1,b:", ("a", "b"), ["1", ""]),
        (",:", ("",), [",:"]),
    ],
)
def test_where_values_hold_commas_and_colons(key: str, fields: tuple[str, ...], values: list[str]) -> None:
    """Keys with commas and colons in their values are hashed in one call with plain keys."""
    assert buckets_of("k", key, "", key, "a:7,b:8", fields=fields)[1::2] == [list_bucket(values)] * 2


def test_many_keys_sliced_arrays_and_every_string_type() -> None:
    values = [f"key-{number}{'ü' * (number % 3)}" for number in range(70_000)]
    expected = [list_bucket([value], 97) for value in values[5:]]

    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        keys = pa.array(values, pa.string()).cast(kind).slice(5)
        ids = bucket_ids(keys, 97)
        assert ids.dtype == np.int32
        assert ids.tolist() == expected


def test_no_keys() -> None:
    assert bucket_ids(pa.array([], pa.string()), 4).tolist() == []


def test_index_fields_default_to_the_key_fields() -> None:
    keys = pa.array(["a:1,b:2,c:3"])

    assert bucket_ids(keys, WHOLE_RANGE, (), ("a", "c")).tolist() == [list_bucket(["1", "3"])]
    assert bucket_ids(keys, WHOLE_RANGE, ("c",), ("a", "c")).tolist() == [list_bucket(["3"])]


def test_what_cannot_be_hashed_is_refused() -> None:
    with pytest.raises(OptionError, match=r"num\.buckets"):
        bucket_ids(pa.array(["1"]), 0)
    with pytest.raises(OptionError, match=r"names z; name only record key columns \(a\)"):
        bucket_ids(pa.array(["1"]), 4, ("z",), ("a",))
    with pytest.raises(DataError, match="record keys that are null: 1 of 2"):
        bucket_ids(pa.array(["1", None]), 4)
    broken = pa.array([b"\xff"]).cast(pa.string(), safe=False)
    with pytest.raises(DataError, match="not valid UTF-8"):
        bucket_ids(broken, 4)


def test_file_ids_carry_the_bucket(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("uuid.uuid4", lambda: UUID("12345678-9abc-4def-8123-456789abcdef"))
        assert bucket_file_id(3) == "00000003-9abc-4def-8123-456789abcdef-0"
    assert bucket_of(bucket_file_id(255)) == 255
    assert bucket_file_id(1) != bucket_file_id(1)
    assert bucket_of("00000007-0000-0000-0000-000000000000-0") == 7


@pytest.mark.parametrize("file_id", ["", "3", "abcdef01-9abc-4def-8123-456789abcdef-0", "00000003"])
def test_other_file_ids_are_refused(file_id: str) -> None:
    with pytest.raises(TableError, match="bucket number of eight digits"):
        bucket_of(file_id)
