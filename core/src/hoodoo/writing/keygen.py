"""Which key generator a write runs, and what it is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hoodoo.errors import OptionError
from hoodoo.options import KeyOptions
from hoodoo.plugin.catalog import Catalogue, PluginSpec
from hoodoo.record import KeyConfig

__all__ = ["hudi_class", "keygen_properties", "resolve_keygen"]

_OPTIONS = "hoodoo.keygen.options"
_TIMEBASED = "hoodie.keygen.timebased."
_OLD_TIMEBASED = "hoodie.deltastreamer.keygen.timebased."


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
    if stored is None and found.name == "non-partitioned" and keys.partition_by:
        raise OptionError(
            "key generator 'non-partitioned' makes no partitions and 'partition_by' names "
            f"{', '.join(keys.partition_by)}; leave one of them out"
        )
    if stored and given.keygen and catalogue.find("keygen", given.keygen).name != found.name:
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
    return catalogue.spec("keygen", found.name, options)


def keygen_properties(spec: PluginSpec, catalogue: Catalogue) -> dict[str, str]:
    """What a new table stores about its key generator: Hudi's keys where the options have one, else ours."""
    keys = {option.name: option.key or "" for option in catalogue.load("keygen", spec.name).options}
    stored = {keys[name]: str(value) for name, value in spec.options.items() if keys[name].startswith("hoodie.")}
    ours = {name: value for name, value in spec.options.items() if not keys[name].startswith("hoodie.")}
    if ours:
        stored[_OPTIONS] = json.dumps(ours, sort_keys=True)
    return {"hoodoo.keygen": spec.name, **stored}


def _stored_options(properties: Mapping[str, str]) -> dict[str, Any]:
    options: dict[str, Any] = json.loads(properties.get(_OPTIONS, "{}"))
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
