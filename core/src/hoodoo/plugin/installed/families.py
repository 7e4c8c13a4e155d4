"""The families of plugins: the hook of each one, its base class, and the members that its classes must have."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.plugin.base import (
    BaseAggregateFunction,
    BaseDeleteRule,
    BaseKeyGenerator,
    BaseLockProvider,
    MergerMembers,
    PayloadMembers,
)
from hoodoo.plugin.catalog_base import BaseCatalogProvider
from hoodoo.record import Law

__all__ = ["FAMILIES", "Family", "check_class", "family_of"]


@frozen
class Family:
    """One family of plugins.

    Attributes:
        name: The name in options and entry point groups.
        noun: The name in sentences.
        hook: The hook that returns a class of the family, or that is called with every commit.
        methods: Methods that a class must have.
        option: Option of a write that names a plugin of the family; "" if there is none.
        options: Option of a write that has the options of the plugin; "" if there is none.
        page: File in docs/ about the family; "" if there is none.
        claims_laws: Whether a class must have an attribute `laws`.
        texts: Class attributes that must be text, with the meaning of each.
        base: Base class with the members that a class may omit; None for hooks that are called with every commit.
        per_commit: Whether the hook returns no class and is called with every commit.
        optional: Whether a write can run without a plugin of the family.
    """

    name: str
    noun: str
    hook: str
    methods: tuple[str, ...]
    option: str = ""
    options: str = ""
    page: str = ""
    claims_laws: bool = False
    texts: Mapping[str, str] = MappingProxyType({})
    base: type | None = None
    per_commit: bool = False
    optional: bool = False

    @property
    def group(self) -> str:
        """Return the entry point group of the plugins."""
        return f"hoodoo.{self.name}"

    @property
    def alias_group(self) -> str:
        """Return the entry point group of the aliases: other names for the same modules."""
        return f"hoodoo.{self.name}.alias"


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family(
            "payload",
            "payload",
            "hoodoo_payload",
            ("pre_combine", "combine_and_get_update_value", "get_insert_value"),
            option="payload",
            options="merger_options",
            page="payloads.md",
            claims_laws=True,
            base=PayloadMembers,
        ),
        Family(
            "merger",
            "merger",
            "hoodoo_merger",
            ("merge",),
            option="merger",
            options="merger_options",
            page="mergers.md",
            claims_laws=True,
            base=MergerMembers,
        ),
        Family(
            "keygen",
            "key generator",
            "hoodoo_keygen",
            ("record_keys", "partition_paths"),
            option="keygen",
            options="keygen_options",
            page="key-generators.md",
            base=BaseKeyGenerator,
        ),
        Family(
            "delete",
            "delete rule",
            "hoodoo_delete_rule",
            ("is_delete",),
            option="delete_rule",
            options="delete_rule_options",
            page="delete-rules.md",
            base=BaseDeleteRule,
        ),
        Family(
            "aggregate",
            "aggregate function",
            "hoodoo_aggregate",
            ("accepts", "add"),
            option="agg",
            options="fields",
            page="mergers.md",
            claims_laws=True,
            texts=MappingProxyType({"takes": "the columns that it accepts, in words"}),
            base=BaseAggregateFunction,
            optional=True,
        ),
        Family(
            "lock",
            "lock provider",
            "hoodoo_lock",
            ("try_acquire", "describe"),
            option="lock_provider",
            options="lock_options",
            page="concurrency.md",
            base=BaseLockProvider,
            optional=True,
        ),
        Family(
            "catalog",
            "catalog provider",
            "hoodoo_catalog",
            (
                "describe",
                "has_database",
                "create_database",
                "find_table",
                "create_table",
                "alter_table",
                "find_partitions",
                "add_partitions",
                "move_partitions",
                "drop_partitions",
            ),
            option="catalogs",
            options="catalog_options",
            page="catalogs.md",
            base=BaseCatalogProvider,
            optional=True,
        ),
        Family("pre_commit", "pre-commit hook", "hoodoo_pre_commit", (), per_commit=True, optional=True),
        Family("post_commit", "post-commit hook", "hoodoo_post_commit", (), per_commit=True, optional=True),
    )
}


def family_of(name: str) -> Family:
    """Return the family of this name.

    Raises:
        OptionError: There is no such family.
    """
    if name not in FAMILIES:
        raise OptionError(f"there is no plugin family '{name}'; the families are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def check_class(family: str, cls: Any) -> list[str]:
    """Return the problems of a value that a hook returned as a plugin class, one sentence each."""
    declared = family_of(family)
    if not isinstance(cls, type):
        return [f"{declared.hook}() must return a class, got an object of type {type(cls).__name__}"]
    problems = [
        f"class {cls.__qualname__} has no method '{method}'{_similar(cls, method)}"
        for method in declared.methods
        if not callable(getattr(cls, method, None)) or _is_abstract(cls, method)
    ]
    if declared.claims_laws:
        problems += _check_laws(cls)
    return problems + [
        f"class {cls.__qualname__} must state {meaning} in a class attribute that is text: {name} = '...'"
        for name, meaning in declared.texts.items()
        if not (isinstance(text := getattr(cls, name, None), str) and text)
    ]


def _similar(cls: type, method: str) -> str:
    """Return advice to rename a method of the class that has a similar name; "" if there is none."""
    own = [name for name in vars(cls) if callable(getattr(cls, name)) and not name.startswith("__")]
    near = difflib.get_close_matches(method, own, n=1)
    return f"; rename its method '{near[0]}'" if near else ""


def _is_abstract(cls: type, method: str) -> bool:
    return bool(getattr(getattr(cls, method), "__isabstractmethod__", False))


def _check_laws(cls: type) -> list[str]:
    laws = getattr(cls, "laws", None)
    if isinstance(laws, frozenset) and all(isinstance(law, Law) for law in laws):
        return []
    # in an attrs class, an annotation makes `laws` a field, and the class attribute a descriptor
    text = (
        f"class {cls.__qualname__} must declare its laws in a class attribute without an annotation, a frozenset of "
        "hoodoo.record.Law members (empty if it claims none): laws = frozenset({Law.IDEMPOTENT})"
    )
    return [text]
