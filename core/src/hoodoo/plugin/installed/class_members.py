"""Checks that the members that a plugin class declares have the right types and are not options by mistake."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from hoodoo.plugin.declarations import LoneKey, MergeMode, Substitute
from hoodoo.plugin.installed.families import family_of
from hoodoo.schema.columns import described

__all__ = ["class_place", "is_pairs", "member_problems"]


def is_pairs(value: Any) -> bool:
    """Return whether a value is a tuple of pairs of non-empty strings, the form of `uses`."""
    return isinstance(value, tuple) and all(_is_texts(pair) and len(pair) == 2 for pair in value)


def _is_texts(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(item, str) and item for item in value)


def _of(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types)


_NONE = type(None)
_FLAG = (_of(bool), "True or False")
_CHECKS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "delete_rules": (_is_texts, "a tuple of names, such as ('acme-rule',)"),
    "uses": (is_pairs, "a tuple of pairs of family and name, such as (('aggregate', 'acme-function'),)"),
    "reasons": (_of(Mapping), "a dictionary of sentences by number"),
    "merge_mode": (_of(MergeMode, _NONE), "a MergeMode, such as MergeMode('CUSTOM', '<UUID>')"),
    "substitute": (_of(Substitute, _NONE), "a Substitute, such as Substitute('acme-merger')"),
    "hudi_class": (_of(str, _NONE), "the text of a Java class name"),
    "lone_key": (_of(LoneKey, _NONE), "a LoneKey, such as LoneKey.VALUE"),
    "presets": (_of(Mapping), "a dictionary of options by alias"),
    "laws_of_retraction": (_of(frozenset), "a frozenset of hoodoo.record.Law members"),
    **dict.fromkeys(("whole_versions", "generates_keys", "makes_partitions", "takes_kinds", "path_per_value"), _FLAG),
}
"""The check of each class attribute, and a description of a correct value for messages."""


def member_problems(family: str, cls: type) -> Iterator[str]:
    """Yield the problems of the members that a plugin class declares, one sentence each."""
    base = family_of(family).base
    options = {field.name for field in attrs.fields(cls)} if attrs.has(cls) else set()
    for name, (fits, expected) in _CHECKS.items():
        if base is None or not hasattr(base, name) or not hasattr(cls, name):
            continue
        value = inspect.getattr_static(cls, name)
        if name not in options and not hasattr(value, "__get__") and not fits(value):
            yield f"class {cls.__qualname__} must declare `{name}` as {expected}, got {_shown(value)}"
    for name in sorted(options):
        if base is not None and hasattr(base, name) and name != "laws":
            yield (
                f"class {cls.__qualname__} declares `{name}` with an annotation, which makes it an option of the user; "
                f"write `{name} = ...` without an annotation"
            )


def class_place(cls: Any) -> str:
    """Return file and line of a class in the form of Python's tracebacks; "" if they are unknown."""
    try:
        return f'File "{inspect.getsourcefile(cls)}", line {inspect.getsourcelines(cls)[1]}'
    except (OSError, TypeError):
        return ""


def _shown(value: Any) -> str:
    return repr(value) if isinstance(value, str) else described(value)
