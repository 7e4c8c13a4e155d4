"""Entries of delete blocks in any types of ordering values, byte for byte as fastavro encodes them."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import DataError
from hoodoo.format.log.delete_encoder import EncodedOrdering, encode_deletes

from .test_delete_block import array, encoded, wrapped

INT, LONG = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)
FINITE = st.floats(allow_nan=False)
KINDS = {
    "Boolean": (pa.bool_(), st.booleans()),
    "Int": (pa.int32(), INT),
    "Long": (pa.int64(), LONG),
    "Float": (pa.float32(), st.floats(width=32, allow_nan=False)),
    "Double": (pa.float64(), FINITE),
    "Bytes": (pa.binary(), st.binary(max_size=300)),
    "String": (pa.string(), st.text(max_size=300)),
    "Date": (pa.date32(), st.dates()),
    "TimestampMicros": (
        pa.timestamp("us", "UTC"),
        st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2200, 1, 1), timezones=st.just(datetime.UTC)),
    ),
    "Decimal": (pa.decimal128(38, 15), st.decimals(-(10**14), 10**14, places=15)),
}


@st.composite
def deletes(draw):
    """Draw the types of one to three ordering columns, and rows of key, partition path and ordering values."""
    names = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3))
    rows = st.tuples(st.text(max_size=200), st.text(max_size=9), *(KINDS[name][1] for name in names))
    return names, draw(st.lists(rows, max_size=8))


@given(deletes())
def test_bytes_are_those_of_fastavro(given):
    names, rows = given
    wanted = []
    for _, _, *values in rows:
        each = [wrapped(name, _stored(name, value)) for name, value in zip(names, values, strict=True)]
        wanted.append(each[0] if len(each) == 1 else array(*each))
    columns = [pa.array([row[2 + place] for row in rows], KINDS[name][0]) for place, name in enumerate(names)]
    keys, partitions = (pa.array([row[place] for row in rows], pa.string()) for place in (0, 1))
    ordering = EncodedOrdering(columns)
    mask = ordering.present(len(rows))
    assert mask.to_pylist() == [True] * len(rows)
    named = [(row[0], row[1]) for row in rows]
    assert encode_deletes(keys, partitions, ordering.encoded(mask)) == encoded(wanted, named)
    assert encode_deletes(keys, partitions, None) == encoded([wrapped("Int", 0)] * len(rows), named)


def _stored(name, value):
    # the union of the schema has plain numbers for dates and times
    if name == "Date":
        return (value - datetime.date(1970, 1, 1)).days
    if name == "TimestampMicros":
        return (value - datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)) // datetime.timedelta(microseconds=1)
    return value


def test_slices_are_encoded_from_their_offset():
    columns = [pa.array([0.5, 1.5, None, 2.5]).slice(1), pa.array([7, 8, 9, -1]).slice(1)]
    ordering = EncodedOrdering(columns)
    mask = ordering.present(3)
    assert mask.to_pylist() == [True, False, True]
    keys = pa.array(["x", "a", "b"]).slice(1)
    wanted = [array(wrapped("Double", value), wrapped("Long", number)) for value, number in ((1.5, 8), (2.5, -1))]
    assert encode_deletes(keys, pa.array(["p", "q"]), ordering.encoded(mask)) == encoded(
        wanted, [("a", "p"), ("b", "q")]
    )


def test_no_field_leaves_all_deletes_unconditional():
    assert EncodedOrdering([]).present(2).to_pylist() == [False, False]


def test_a_type_that_no_delete_can_have_is_refused():
    with pytest.raises(DataError, match="list"):
        EncodedOrdering([pa.array([[1]])])
