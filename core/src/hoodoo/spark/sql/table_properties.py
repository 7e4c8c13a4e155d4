"""Properties of tables in SQL: options under Hudi's names, and free properties without effect, such as a note."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from hoodoo.options.groups import ALL_GROUPS
from hoodoo.options.parsing.declare import keys_of
from hoodoo.properties import property_keys

__all__ = ["PATHS", "SQL_NAMES", "without_free"]

SQL_NAMES = {
    "primarykey": "record_key",
    "precombinefield": "ordering",
    "orderingfields": "ordering",
    "type": "table_type",
    "payloadclass": "payload",
    "recordmergemode": property_keys.MERGE_MODE,
    "recordmergestrategyid": property_keys.STRATEGY_ID,
}
"""Properties that Hudi's SQL has in addition to keys, in lower case, with the options that they set."""

PATHS = ("path", "basepath")
"""Properties with the path of a table, in lower case."""

_FREE = ("comment",)
_PREFIXES = ("hoodie.", "hoodoo.")


@cache
def _known() -> frozenset[str]:
    keys = (key.lower() for group in ALL_GROUPS for field in attrs.fields(group) for key in keys_of(field))
    return frozenset({*keys, *SQL_NAMES, *PATHS})


def _is_free(key: str) -> bool:
    """Return whether a key is `comment`, or neither an option nor similar to one, and thus no misspelt option."""
    name = key.lower()
    if name in _FREE:
        return True
    if name in _known() or name.startswith(_PREFIXES):
        return False
    return not difflib.get_close_matches(name, _known(), n=1, cutoff=0.6)


def without_free(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries that are options or may be misspelt options."""
    return {key: value for key, value in properties.items() if not _is_free(key)}
