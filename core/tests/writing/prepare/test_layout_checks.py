"""Tables whose files lack values that readers make of others."""

from __future__ import annotations

import pytest

from hoodoo.errors import OptionError

TIMES = {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy-MM-dd"}


@pytest.mark.parametrize(
    "options",
    [
        {"record_key": "id"},
        {"record_key": "id,ts", "index": "bloom"},
        {"record_key": "id", "keygen": "org.apache.hudi.keygen.ComplexKeyGenerator", "index": "bucket"},
        {"record_key": "id", "partition_by": None},
    ],
)
def test_keys_are_made_of_the_columns_of_three_key_generators(prepared, options):
    found = prepared(meta_columns=False, **options)
    assert not found.table.fills_meta
    assert found.files.bloom is None
    assert found.properties["hoodie.populate.meta.fields"] == "false"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"partition_by": "p:simple"}, "key generator is 'custom'"),
        ({"partition_by": "ts", "keygen": "timestamp", "keygen_options": TIMES}, "key generator is 'timestamp'"),
        ({"record_key": None, "ordering": None}, "no record key columns"),
    ],
)
def test_other_keys_cannot_be_made_without_meta_columns(prepared, options, words):
    with pytest.raises(OptionError, match=words) as refused:
        prepared(meta_columns=False, **options)
    assert refused.value.code == "meta_columns"


def test_a_table_with_meta_columns_stores_no_property_for_them(prepared):
    assert "hoodie.populate.meta.fields" not in prepared(meta_columns=True).properties
