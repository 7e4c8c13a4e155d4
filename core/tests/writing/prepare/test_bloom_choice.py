"""Base files with a bloom filter, and the extension of the filter of a replaced file."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import OptionError
from hoodoo.format.bloom import BloomFilter, BloomShape
from hoodoo.format.parquet import BaseFileWriter
from hoodoo.options import BloomOptions
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import with_meta
from hoodoo.writing.prepare.bloom_choice import filter_to_extend, wanted_filter

SCHEMA = pa.schema([("id", pa.string())])
SHAPE = BloomShape(100, 0.01, "DYNAMIC_V0", 1000)


def base_file(storage, in_file, in_filter, bloom=True):
    """Write a base file of `in_file` rows, with a filter of `in_filter` keys if `bloom` is true; return its path."""
    names = [f"k{number:03}" for number in range(in_filter)]
    made = BloomFilter.empty(SHAPE)
    made.add(pa.array(names))
    columns = {name: ["x"] * in_file for name in with_meta(SCHEMA).names}
    columns |= {"_hoodie_record_key": names[:in_file]}
    with BaseFileWriter(storage, "f.parquet", SCHEMA, to_avro(SCHEMA, "t"), bloom=made if bloom else None) as file:
        file.write(pa.table(columns, schema=with_meta(SCHEMA)))
    return "f.parquet"


@pytest.mark.parametrize(
    ("given", "used", "wanted"), [(None, False, False), (None, True, True), (True, False, True), (False, True, False)]
)
def test_the_option_decides_and_else_the_index(given, used, wanted):
    assert (wanted_filter(BloomOptions(bloom_filter=given), used, {}) is not None) == wanted


def test_a_table_without_meta_columns_has_no_filters():
    assert wanted_filter(BloomOptions(bloom_filter=True), True, {"hoodie.populate.meta.fields": "false"}) is None


def test_the_options_give_the_sizes():
    options = BloomOptions(bloom_entries=10, bloom_fpp=0.5, bloom_type="SIMPLE", bloom_max_entries=30)
    assert wanted_filter(options, True, {}) == BloomShape(10, 0.5, "SIMPLE", 30)


def test_an_impossible_rate_is_refused():
    with pytest.raises(OptionError, match="bloom_fpp"):
        wanted_filter(BloomOptions(bloom_fpp=1.5), True, {})


def test_a_filter_of_the_stored_rows_is_extended(storage):
    found = filter_to_extend(storage, base_file(storage, 4, 4), SHAPE)
    assert found is not None
    assert found.count == 4


@pytest.mark.parametrize(("removed", "extended"), [(1, True), (2, False)])
def test_a_filter_with_more_than_a_quarter_of_removed_keys_is_made_again(storage, removed, extended):
    path = base_file(storage, 4, 4 + removed)
    assert (filter_to_extend(storage, path, SHAPE) is not None) == extended


def test_a_filter_of_another_size_is_made_again(storage):
    path = base_file(storage, 4, 4)
    assert filter_to_extend(storage, path, BloomShape(200, 0.01, "DYNAMIC_V0", 1000)) is None


def test_a_file_without_a_filter_has_none_to_extend(storage):
    assert filter_to_extend(storage, base_file(storage, 4, 4, bloom=False), SHAPE) is None
