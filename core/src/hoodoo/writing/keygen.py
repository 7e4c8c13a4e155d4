"""Which key generator a write runs, and what it is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hoodoo.errors import OptionError
from hoodoo.options import KeyOptions
from hoodoo.plugin.catalog import Catalogue, PluginSpec
from hoodoo.record import KeyConfig

__all__ = ["hudi_class", "key_config", "keygen_options", "resolve_keygen"]

_TIMEBASED = "hoodie.keygen.timebased."
_OLD_TIMEBASED = "hoodie.deltastreamer.keygen.timebased."


def key_config(properties: Mapping[str, str], complex_encoding: str = "field") -> KeyConfig:
    """How keys and partition paths of a table are made."""

    def names(key: str) -> tuple[str, ...]:
        return tuple(name.strip() for name in properties.get(key, "").split(",") if name.strip())

    def flag(key: str) -> bool:
        return properties.get(f"hoodie.datasource.write.{key}", "false").lower() == "true"

    return KeyConfig(
        record_key=names("hoodie.table.recordkey.fields"),
        partition_by=names("hoodie.table.partition.fields"),
        hive_style=flag("hive_style_partitioning"),
        url_encode=flag("partitionpath.urlencode"),
        slash_date=flag("slash.separated.date.partitioning"),
        consistent_logical_timestamps=flag("keygenerator.consistent.logical.timestamp.enabled"),
        complex_encoding=complex_encoding,
    )


def resolve_keygen(
    given: KeyOptions, properties: Mapping[str, str], keys: KeyConfig, catalogue: Catalogue
) -> PluginSpec:
    """The key generator: what the table says, else what is given, else what the columns suggest.

    Raises:
        OptionError: the table has another one than was asked for.
        UnknownPlugin: it is not installed.
    """
    stored = properties.get("hoodoo.keygen") or properties.get("hoodie.table.keygenerator.class")
    if stored is None:
        stored = properties.get("hoodie.table.keygenerator.type")
    name = stored or given.keygen or _inferred(keys)
    found = catalogue.find("keygen", name)
    if stored and given.keygen and catalogue.find("keygen", given.keygen).name != found.name:
        raise OptionError(
            f"the table's key generator is '{found.name}' and '{given.keygen}' was asked for; "
            "keys made by two generators do not meet",
            code="contradiction",
        )
    options = keygen_options(properties)
    for key, value in (given.keygen_options or {}).items():
        if stored and options.get(key, value) != value:
            raise OptionError(
                f"options contradict the table's stored properties: '{key}' is {options[key]!r} "
                f"and {value!r} was asked for",
                code="contradiction",
            )
        options[key] = value
    return catalogue.spec("keygen", found.name, options)


def keygen_options(properties: Mapping[str, str]) -> dict[str, Any]:
    """The key generator's options that a table stores."""
    options = {}
    for key, value in properties.items():
        for prefix in (_TIMEBASED, _OLD_TIMEBASED):
            if key.startswith(prefix):
                options[_TIMEBASED + key.removeprefix(prefix)] = value
    return options


def hudi_class(catalogue: Catalogue, family: str, name: str) -> str | None:
    """The Java class that stands for a plugin in properties, None where Hudi knows no such thing."""
    aliases = catalogue.find(family, name).aliases
    classes = sorted(
        (a for a in aliases if a.startswith("org.apache.hudi.")), key=lambda a: ("Avro" in a.rsplit(".", 1)[1], a)
    )
    return classes[0] if classes else None


def _inferred(keys: KeyConfig) -> str:
    if not keys.partition_by:
        return "non-partitioned"
    if any(":" in name for name in keys.partition_by):
        return "custom"
    return "simple" if len(keys.partition_by) == 1 and len(keys.record_key) <= 1 else "complex"
