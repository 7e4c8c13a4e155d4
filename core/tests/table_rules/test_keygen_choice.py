"""The key generator of a write."""

from __future__ import annotations

import pytest

from hoodoo.errors import CorruptTableError, OptionError
from hoodoo.options import KeyOptions, NoEffectWarning
from hoodoo.plugin import default_catalogue
from hoodoo.properties import property_keys as keys
from hoodoo.record import KeyConfig
from hoodoo.table_rules.keygen_choice import (
    fitting_keys,
    inferred_keygen,
    keygen_class,
    keygen_properties,
    resolve_keygen,
)

CLASS = "org.apache.hudi.keygen."
PLAIN = KeyConfig(("id",), ("p",))


def chosen(config=PLAIN, stored=None, deletes_anywhere=False, **options):
    properties = {} if stored is None else {keys.KEYGEN_CLASS: CLASS + stored, keys.RECORD_KEY_FIELDS: "id"}
    given = KeyOptions(**options)
    return resolve_keygen(given, properties, config, default_catalogue(), deletes_anywhere=deletes_anywhere).name


@pytest.mark.parametrize(
    ("record_key", "partition_by", "name"),
    [
        (("id",), (), "non-partitioned"),
        (("id",), ("p",), "simple"),
        (("id", "n"), ("p",), "complex"),
        (("id",), ("p", "q"), "complex"),
        (("id",), ("p:simple",), "custom"),
    ],
)
def test_columns_suggest_a_generator(record_key, partition_by, name):
    config = KeyConfig(record_key, partition_by)
    assert inferred_keygen(config) == name
    assert chosen(config) == name


def test_the_table_comes_before_the_option_and_the_option_before_the_columns():
    assert chosen(stored="ComplexKeyGenerator") == "complex"
    assert chosen(keygen="complex") == "complex"
    with pytest.raises(OptionError, match=r"'complex' and the write names 'simple'") as refused:
        chosen(stored="ComplexKeyGenerator", keygen="simple")
    assert refused.value.code == "contradiction"


def test_a_table_without_record_key_columns_generates_keys():
    properties = {keys.KEYGEN_CLASS: CLASS + "SimpleKeyGenerator"}
    config = KeyConfig((), ("p",))
    assert resolve_keygen(KeyOptions(), properties, config, default_catalogue()).name == "auto"


@pytest.mark.parametrize(
    ("config", "keygen", "text"),
    [
        (PLAIN, "non-partitioned", "makes no partitions"),
        (KeyConfig(("id",), ()), "uuid", "generates keys"),
        (KeyConfig((), ()), "simple", "names none"),
    ],
)
def test_columns_that_a_generator_does_not_take_are_refused(config, keygen, text):
    with pytest.raises(OptionError, match=text):
        chosen(config, keygen=keygen)


def test_a_delete_anywhere_may_use_the_generator_of_deletes_where_keys_are_equal():
    named = KeyConfig(("id",), ("p",), complex_encoding="field")
    assert chosen(named, "ComplexKeyGenerator", deletes_anywhere=True, keygen="global-delete") == "complex"
    with pytest.raises(OptionError, match="'id:1'"):
        chosen(named, "SimpleKeyGenerator", deletes_anywhere=True, keygen="global-delete")


def test_the_class_that_hudi_has_for_a_generator():
    catalogue = default_catalogue()
    assert keygen_class(catalogue, "simple", PLAIN) == CLASS + "SimpleKeyGenerator"
    assert keygen_class(catalogue, "auto", PLAIN) == CLASS + "SimpleKeyGenerator"
    assert keygen_class(catalogue, "complex", PLAIN) == CLASS + "ComplexKeyGenerator"


def test_options_of_a_generator_are_stored_under_hudis_keys():
    options = {"timestamp_type": "EPOCHMILLISECONDS", "output_format": "yyyy"}
    spec = default_catalogue().spec("keygen", "timestamp", options)
    stored = keygen_properties(spec, default_catalogue())
    assert "EPOCHMILLISECONDS" in stored.values()
    assert all(key.startswith(("hoodie.", "hoodoo.")) for key in stored)


def test_partition_columns_have_no_effect_with_a_generator_without_partitions():
    given = KeyOptions(record_key=("id",), partition_by=("p",), keygen=CLASS + "NonpartitionedKeyGenerator")
    with pytest.warns(NoEffectWarning, match=r"'partition_by' \(p\) has no effect"):
        found = fitting_keys(given, default_catalogue())
    assert found == KeyOptions(record_key=("id",), keygen=given.keygen)


@pytest.mark.parametrize("keygen", [None, "simple", "no-such-generator", "non-partitioned"])
def test_other_options_of_keys_are_kept(keygen, recwarn):
    given = KeyOptions(record_key=("id",), partition_by=() if keygen == "non-partitioned" else ("p",), keygen=keygen)
    assert fitting_keys(given, default_catalogue()) is given
    assert not recwarn.list


def test_options_of_timestamps_have_no_effect_on_a_generator_without_timestamps():
    options = {"hoodie.keygen.timebased.timestamp.type": "DATE_STRING"}
    with pytest.warns(NoEffectWarning, match=r"'simple' has no options of timestamps.*without an effect: .*\.type"):
        assert chosen(keygen_options=options) == "simple"
    with pytest.raises(OptionError, match="no option 'pattern'"):
        chosen(keygen_options={"pattern": "x"})
    with pytest.raises(OptionError, match=r"no option 'hoodie\.keygen\.timebased\.pattern'"):
        chosen(keygen="timestamp", keygen_options={"hoodie.keygen.timebased.pattern": "x"})


def test_stored_options_that_are_not_json_are_damage():
    with pytest.raises(CorruptTableError, match=f"'{keys.KEYGEN_OPTIONS}' is not valid JSON"):
        resolve_keygen(KeyOptions(), {keys.KEYGEN: "simple", keys.KEYGEN_OPTIONS: "{"}, PLAIN, default_catalogue())
