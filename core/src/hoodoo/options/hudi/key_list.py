"""List of Hudi's configuration keys, which `tests/interop/hudi_keys/make_hudi_keys.py` extracts from Hudi's bundles."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources

import msgspec

__all__ = ["earlier_keys", "listed_keys", "preferred_name"]


class _List(msgspec.Struct, frozen=True):
    """Content of `hudi_keys.json`.

    Attributes:
        release: The release of Hudi that has the keys.
        keys: The alternative names of each key.
        earlier: Keys that only earlier releases have, each with the last examined release that has it.
    """

    release: str
    keys: dict[str, list[str]]
    earlier: dict[str, str]


@functools.cache
def _list() -> _List:
    file = resources.files("hoodoo.options.hudi") / "hudi_keys.json"
    return msgspec.json.decode(file.read_bytes(), type=_List)


def listed_keys() -> Mapping[str, list[str]]:
    """Return the keys of the newest release, each with its alternative names."""
    return _list().keys


def earlier_keys() -> Mapping[str, str]:
    """Return the keys that only earlier releases have, each with the last examined release that has it."""
    return _list().earlier


@functools.cache
def preferred_name(key: str) -> str:
    """Return the preferred name of a key in Hudi; the key itself if it is not an alternative name."""
    return next((name for name, others in listed_keys().items() if key in others), key)
