"""Which key generator a write runs, and what it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import OptionError
from hoodoo.options import KeyOptions
from hoodoo.options.parse import TIMEBASED_PREFIXES
from hoodoo.plugin.catalog.catalog import Catalogue, PluginSpec
from hoodoo.plugin.catalog.official import KNOWN
from hoodoo.properties.property_keys import KEYGEN, KEYGEN_CLASS, KEYGEN_OPTIONS, KEYGEN_TYPE, RECORD_KEY_FIELDS
from hoodoo.record import KeyConfig

__all__ = ["hudi_class", "inferred_keygen", "keygen_class", "keygen_properties", "resolve_keygen"]

_UUID = ".UuidKeyGenerator"
_WITHOUT_PARTITIONS = ("non-partitioned", "global-delete")


def resolve_keygen(
    given: KeyOptions,
    properties: Mapping[str, str],
    keys: KeyConfig,
    catalogue: Catalogue,
    *,
    deletes_anywhere: bool = False,
) -> PluginSpec:
    """The key generator: what the table says, else what is given, else what the columns suggest.

    Args:
        given: What was asked for.
        properties: The table's, or those that it will have.
        keys: What the key generator is told.
        catalogue: Where it is looked up.
        deletes_anywhere: Whether the write deletes keys in whatever partition they are.

    Raises:
        OptionError: the table has another one than was asked for, or one that does not go with the columns.
        UnknownPlugin: it is not installed.
    """
    stored = _stored(properties)
    found = catalogue.find("keygen", stored or given.keygen or inferred_keygen(keys))
    asked = catalogue.find("keygen", given.keygen).name if given.keygen else found.name
    if stored is None and found.name in _WITHOUT_PARTITIONS and keys.partition_by:
        raise OptionError(
            f"key generator '{found.name}' makes no partitions and 'partition_by' names "
            f"{', '.join(keys.partition_by)}; leave one of them out"
        )
    if deletes_anywhere and asked == "global-delete" != found.name:
        _check_same_keys(found.name, keys)
    elif asked != found.name:
        raise OptionError(
            f"the table's key generator is '{found.name}' and '{given.keygen}' was asked for; "
            "keys made by two generators do not meet",
            code="contradiction",
        )
    plugin = catalogue.load("keygen", found.name)
    options = dict(plugin.convert(_stored_options(properties)))
    hudi = {option.name: option.key for option in plugin.options}
    for key, value in plugin.convert(given.keygen_options or {}).items():
        if stored and options.get(key, value) != value:
            raise OptionError(
                "options contradict the table's stored properties: key generator option "
                f"'{key}' ({hudi[key] or 'no Hudi key'}) is {options[key]!r} and {value!r} was asked for",
                code="contradiction",
            )
        options[key] = value
    generates = getattr(plugin.cls, "generates_keys", False)
    if generates and keys.record_key:
        raise OptionError(
            f"key generator '{found.name}' generates keys and 'record_key' names {', '.join(keys.record_key)}; "
            "leave one of them out"
        )
    if not generates and not keys.record_key:
        raise OptionError(
            "a new table needs a key: give the option 'record_key', or 'keygen' = 'auto' where no column is one"
        )
    return catalogue.spec("keygen", found.name, options)


def _stored(properties: Mapping[str, str]) -> str | None:
    """The table's key generator; Hudi generates keys where a table names no record key columns, and does not say so."""
    if KEYGEN in properties:
        return properties[KEYGEN]
    stored = properties.get(KEYGEN_CLASS) or properties.get(KEYGEN_TYPE)
    generated = stored is not None and not properties.get(RECORD_KEY_FIELDS)
    return "auto" if generated and not str(stored).endswith(_UUID) else stored


def _check_same_keys(name: str, keys: KeyConfig) -> None:
    """Hudi deletes by a key generator that needs no partition columns, whose keys are those of the table or are not."""
    named = len(keys.record_key) > 1 or (name == "complex" and keys.complex_encoding == "field")
    if not named:
        raise OptionError(
            f"key generator 'global-delete' makes keys such as '{keys.record_key[0]}:1' and those of this table are "
            "plain values; leave the option 'keygen' out: a delete by a global index needs no partition columns",
            code="contradiction",
        )


def keygen_properties(spec: PluginSpec, catalogue: Catalogue) -> dict[str, str]:
    """What a new table stores about its key generator: Hudi's keys where the options have one, else ours."""
    keys = {option.name: option.key or "" for option in catalogue.load("keygen", spec.name).options}
    stored = {keys[name]: str(value) for name, value in spec.options.items() if keys[name].startswith("hoodie.")}
    ours = {name: value for name, value in spec.options.items() if not keys[name].startswith("hoodie.")}
    if ours:
        stored[KEYGEN_OPTIONS] = json.dumps(ours, sort_keys=True)
    return {KEYGEN: spec.name, **stored}


def _stored_options(properties: Mapping[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(properties.get(KEYGEN_OPTIONS, "{}"))
    for key, value in properties.items():
        for prefix in TIMEBASED_PREFIXES:
            if key.startswith(prefix):
                options[TIMEBASED_PREFIXES[0] + key.removeprefix(prefix)] = value
    return options


def hudi_class(catalogue: Catalogue, family: str, name: str) -> str | None:
    """The Java class that stands for a plugin in properties, None where Hudi knows no such thing."""
    aliases = catalogue.find(family, name).aliases
    classes = sorted(
        (a for a in aliases if a.startswith("org.apache.hudi.")), key=lambda a: ("Avro" in a.rsplit(".", 1)[1], a)
    )
    return classes[0] if classes else None


def keygen_class(catalogue: Catalogue, name: str, keys: KeyConfig) -> str:
    """What a table stores as its key generator's class: Hudi's where it has one, else our name.

    Hudi stores no generator of generated keys, but the one that makes the partition paths.
    """
    if name == "auto":
        return next(a for a in KNOWN["keygen"][inferred_keygen(keys)] if a.startswith("org.apache.hudi."))
    return hudi_class(catalogue, "keygen", name) or name


def inferred_keygen(keys: KeyConfig) -> str:
    """The key generator that the columns suggest, as Hudi infers it."""
    if not keys.partition_by:
        return "non-partitioned"
    if any(":" in name for name in keys.partition_by):
        return "custom"
    return "simple" if len(keys.partition_by) == 1 and len(keys.record_key) <= 1 else "complex"
