"""Record keys of stored rows."""

from __future__ import annotations

import pyarrow as pa
import pytest

from hoodoo.errors import CorruptTableError
from hoodoo.plugin import default_catalogue
from hoodoo.properties import TableProperties
from hoodoo.properties import property_keys as keys
from hoodoo.table_rules.stored_keys import StoredKeys, key_config

GENERATOR = "org.apache.hudi.keygen."


def of_table(generator, record_key="id", meta="true"):
    stored = {keys.KEYGEN_CLASS: GENERATOR + generator, keys.RECORD_KEY_FIELDS: record_key}
    properties = TableProperties({**stored, keys.POPULATE_META_FIELDS: meta})
    return StoredKeys.of_table(properties, default_catalogue())


def test_the_meta_column_has_the_key():
    found = of_table("ComplexKeyGenerator", "id,n")
    assert found.columns == ("_hoodie_record_key",)
    rows = pa.table({"_hoodie_record_key": ["a", "b"]})
    assert found.of(rows, "here", file="f").to_pylist() == ["a", "b"]


def test_a_row_without_a_key_is_damage():
    rows = pa.table({"_hoodie_record_key": ["a", None]})
    with pytest.raises(CorruptTableError, match="here has rows without _hoodie_record_key") as damaged:
        of_table("SimpleKeyGenerator").of(rows, "here", file="f", offset=3)
    assert (damaged.value.file, damaged.value.offset) == ("f", 3)


@pytest.mark.parametrize(
    ("generator", "record_key", "expected"),
    [
        ("SimpleKeyGenerator", "id", ["a", "b"]),
        ("ComplexKeyGenerator", "id", ["id:a", "id:b"]),
        ("ComplexKeyGenerator", "id,n", ["id:a,n:1", "id:b,n:2"]),
        ("CustomKeyGenerator", "id,n", ["id:a,n:1", "id:b,n:2"]),
        ("GlobalDeleteKeyGenerator", "id", ["id:a", "id:b"]),
    ],
)
def test_without_meta_columns_the_key_is_made_of_its_columns(generator, record_key, expected):
    found = of_table(generator, record_key, meta="false")
    assert found.columns == tuple(record_key.split(","))
    rows = pa.table({"id": ["a", "b"], "n": [1, 2]})
    assert found.of(rows, "here", file="f").to_pylist() == expected


def test_a_key_that_a_column_repeats_is_compared_with_it():
    found = of_table("SimpleKeyGenerator")
    assert found.twin == "id"
    assert of_table("ComplexKeyGenerator").twin is None
    good = pa.table({"_hoodie_record_key": ["a"], "id": ["a"], "_hoodie_partition_path": ["p"]})
    found.check(good, "here", file="p/f", offset=0)
    # the column of a partial record has no value
    found.check(good.set_column(1, "id", pa.array([None], pa.string())), "here", file="p/f", offset=0)
    for name, value in (("id", "z"), ("_hoodie_partition_path", "z"), ("_hoodie_partition_path", None)):
        bad = good.set_column(good.column_names.index(name), name, pa.array([value], pa.string()))
        with pytest.raises(CorruptTableError, match="here is damaged"):
            found.check(bad, "here", file="p/f", offset=0)


def test_the_configuration_of_keys_and_paths():
    config = key_config(
        {
            keys.RECORD_KEY_FIELDS: "a,b",
            keys.PARTITION_FIELDS: "p",
            keys.PARTITION_KINDS: "p:simple",
            keys.HIVE_STYLE: "TRUE",
        }
    )
    assert (config.record_key, config.partition_by, config.partition_columns) == (("a", "b"), ("p:simple",), ("p",))
    assert (config.hive_style, config.url_encode, config.complex_encoding) == (True, False, "field")
