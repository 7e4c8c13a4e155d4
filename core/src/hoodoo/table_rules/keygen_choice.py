"""The key generator of a write, with its options."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from hoodoo.caller import warn_caller
from hoodoo.errors import OptionError, PluginError
from hoodoo.options import TIMEBASED_PREFIXES, KeyOptions, NoEffectWarning, default_plugins
from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.plugin.declarations import LoneKey
from hoodoo.plugin.installed.catalogue import Catalogue, PluginClass, PluginSpec
from hoodoo.properties.property_keys import KEYGEN, KEYGEN_CLASS, KEYGEN_OPTIONS, KEYGEN_TYPE, RECORD_KEY_FIELDS
from hoodoo.record import KeyConfig
from hoodoo.table_rules.stored_rule import stored_options

__all__ = ["fitting_keys", "inferred_keygen", "keygen_class", "keygen_properties", "resolve_keygen"]


def fitting_keys(given: KeyOptions, catalogue: Catalogue) -> KeyOptions:
    """Return the options; partition columns are removed with a warning if the given generator makes no partitions.

    The options are unchanged if the generator is not installed or cannot be loaded.
    """
    if not given.partition_by or not given.keygen:
        return given
    try:
        plugin = catalogue.load("keygen", given.keygen)
    except PluginError:
        return given  # the choice of the key generator raises the error, together with others
    if plugin.declared(BaseKeyGenerator).makes_partitions:
        return given
    warn_caller(
        f"key generator '{plugin.info.name}' makes no partitions, as in Hudi: 'partition_by' "
        f"({', '.join(given.partition_by)}) has no effect; leave it out, or, to partition a new table, leave "
        "'keygen' out",
        NoEffectWarning,
    )
    return evolve(given, partition_by=None)


def resolve_keygen(
    given: KeyOptions,
    properties: Mapping[str, str],
    keys: KeyConfig,
    catalogue: Catalogue,
    *,
    deletes_anywhere: bool = False,
) -> PluginSpec:
    """Return the key generator with its options: that of the table, else the given one, else a default.

    The default is the generator for tables without record key columns, or the one inferred from the columns.

    Args:
        given: The options of the user.
        properties: Properties of the table, or of the table to create.
        keys: The columns and styles that the key generator is called with.
        catalogue: Catalogue of the plugins.
        deletes_anywhere: Whether the write deletes keys in all partitions. It may then name a generator that makes no
            partitions, and keys of the same form as those of the table.

    Raises:
        OptionError: The given generator or an option of it contradicts the table, an option is not valid, `record_key`
            is empty, or the generator does not fit the columns.
        PluginError: As `Catalogue.spec`, for a key generator.
        CorruptTableError: The stored options of the key generator are not a JSON object.
    """
    stored = _stored(properties, catalogue)
    if given.record_key == ():
        raise OptionError("'record_key' names no column; name one, or leave the option out", code="new_table")
    without_key = default_plugins.KEYGEN_WITHOUT_KEY_COLUMNS if not keys.record_key else None
    plugin = catalogue.load("keygen", stored or given.keygen or without_key or inferred_keygen(keys))
    found, declared = plugin.info, plugin.declared(BaseKeyGenerator)
    requested = catalogue.find("keygen", given.keygen) if given.keygen else found
    if stored is None and not declared.makes_partitions and keys.partition_by:
        raise OptionError(
            f"key generator '{found.name}' makes no partitions and 'partition_by' names "
            f"{', '.join(keys.partition_by)}; leave 'keygen' or 'partition_by' out"
        )
    if requested.name != found.name:
        requested_class = catalogue.load("keygen", requested.name).declared(BaseKeyGenerator)
        if not deletes_anywhere or not _deletes_without_partitions(requested_class):
            raise OptionError(
                f"the table's key generator is '{found.name}' and the write names '{given.keygen}'; "
                "keys of two generators cannot be compared; leave 'keygen' out",
                code="contradiction",
            )
        _check_same_keys(requested.name, declared, keys)
    options = dict(plugin.convert(_stored_options(properties, plugin)))
    hudi = {option.name: option.key for option in plugin.options}
    for key, value in plugin.convert(_own_options(given.keygen_options or {}, plugin)).items():
        if stored and options.get(key, value) != value:
            raise OptionError(
                "options contradict the table's stored properties: key generator option "
                f"'{key}' ({hudi[key] or 'no Hudi key'}) is '{options[key]}' and the write has '{value}'; "
                "leave the option out",
                code="contradiction",
            )
        options[key] = value
    if declared.generates_keys and keys.record_key:
        raise OptionError(
            f"key generator '{found.name}' generates keys and 'record_key' names {', '.join(keys.record_key)}; "
            "leave 'keygen' or 'record_key' out"
        )
    if not declared.generates_keys and not keys.record_key:
        raise OptionError(
            f"key generator '{found.name}' makes keys from columns and 'record_key' names none; set "
            "'record_key', or leave 'keygen' out if no column is a key "
            f"('{default_plugins.KEYGEN_WITHOUT_KEY_COLUMNS}' then generates keys)",
            code="new_table",
        )
    return catalogue.spec("keygen", found.name, options)


def _stored(properties: Mapping[str, str], catalogue: Catalogue) -> str | None:
    """Return the key generator that the properties of a table name; None if they name none.

    For a table without record key columns, Hudi stores the generator of the partition paths. The result is then the
    generator of the keys.
    """
    if KEYGEN in properties:
        return properties[KEYGEN]
    stored = properties.get(KEYGEN_CLASS) or properties.get(KEYGEN_TYPE)
    if stored is None or properties.get(RECORD_KEY_FIELDS):
        return stored
    try:
        generates = catalogue.load("keygen", stored).declared(BaseKeyGenerator).generates_keys
    except PluginError:
        generates = False  # the generator of the partition paths need not be installed
    return stored if generates else default_plugins.KEYGEN_WITHOUT_KEY_COLUMNS


def _own_options(given: Mapping[str, Any], plugin: PluginClass) -> dict[str, Any]:
    """Return the options; Hudi's timestamp options are removed with a warning if the generator does not have them."""
    if any(key.startswith(TIMEBASED_PREFIXES) for option in plugin.options for key in option.hudi_keys):
        return dict(given)
    ignored = [key for key in given if key.lower().startswith(TIMEBASED_PREFIXES)]
    if ignored:
        warn_caller(
            f"key generator '{plugin.info.name}' has no options of timestamps, as in Hudi; leave out the options "
            f"without an effect: {', '.join(ignored)}",
            NoEffectWarning,
        )
    return {key: value for key, value in given.items() if key not in ignored}


def _deletes_without_partitions(requested: type[BaseKeyGenerator]) -> bool:
    """Return whether a delete with a global index may name a generator.

    The generator must make keys of the form `column:value`, and no partitions.
    """
    return requested.lone_key is LoneKey.NAMED and not requested.makes_partitions


def _check_same_keys(requested: str, table: type[BaseKeyGenerator], keys: KeyConfig) -> None:
    """Raise if the table's keys have another form than those of the generator that a delete names."""
    by_release = table.lone_key is LoneKey.BY_RELEASE and keys.complex_encoding == "field"
    if not (len(keys.record_key) > 1 or table.lone_key is LoneKey.NAMED or by_release):
        raise OptionError(
            f"key generator '{requested}' makes keys such as '{keys.record_key[0]}:1' and those of this table are "
            "plain values; leave the option 'keygen' out: a delete by a global index needs no partition columns",
            code="contradiction",
        )


def keygen_properties(spec: PluginSpec, catalogue: Catalogue) -> dict[str, str]:
    """Return the properties of a new table for its key generator; options that Hudi has are under Hudi's keys.

    Raises:
        PluginError: As `Catalogue.load`.
    """
    keys = {option.name: option.key or "" for option in catalogue.load("keygen", spec.name).options}
    stored = {keys[name]: str(value) for name, value in spec.options.items() if keys[name].startswith("hoodie.")}
    ours = {name: value for name, value in spec.options.items() if not keys[name].startswith("hoodie.")}
    if ours:
        stored[KEYGEN_OPTIONS] = json.dumps(ours, sort_keys=True)
    return {KEYGEN: spec.name, **stored}


def _stored_options(properties: Mapping[str, str], plugin: PluginClass) -> dict[str, Any]:
    """Return the options that a table keeps for its key generator."""
    options = stored_options(properties, KEYGEN_OPTIONS)
    for option in plugin.options:
        value = next((properties[key] for key in option.hudi_keys if key in properties), None)
        if value is not None:
            options[option.name] = value
    return options


def keygen_class(catalogue: Catalogue, name: str, keys: KeyConfig) -> str:
    """Return the class that a new table stores for its key generator: Hudi's, or the plugin's name if Hudi has none.

    Raises:
        PluginError: As `Catalogue.load`.
    """
    declared = catalogue.load("keygen", name).declared(BaseKeyGenerator)
    return declared.stored_class(keys) or name


def inferred_keygen(keys: KeyConfig) -> str:
    """Return the key generator that Hudi infers from the columns."""
    if not keys.partition_by:
        return default_plugins.KEYGEN_WITHOUT_PARTITIONS
    if any(":" in name for name in keys.partition_by):
        return default_plugins.KEYGEN_OF_KINDS
    one = len(keys.partition_by) == 1 and len(keys.record_key) <= 1
    return default_plugins.KEYGEN_OF_ONE_COLUMN if one else default_plugins.KEYGEN_OF_SEVERAL_COLUMNS
