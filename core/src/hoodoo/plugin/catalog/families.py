"""The families of plugins: the hook that each one uses, and what its classes must have."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo.plugin.interface import RowMerger, RowPayload
from hoodoo.record import Law

__all__ = ["FAMILIES", "Family", "check_class", "family_of"]


@frozen
class Family:
    """One family of plugins.

    `name` is what options and entry point groups call it, `noun` what a sentence does.
    `option` is the option of a write that names a plugin of the family, `options` the one that holds the options of the
    plugin, and `page` the file in docs/ about the family; "" where there is none. An aggregate function is named for a
    column, in the option `fields` of a merger.
    `base` is the class that plugins written one record at a time derive from; `placeholders` are its methods that do
    nothing but raise, so that inheriting them is not having them. `texts` are class attributes that must be text, with
    what each is for. `per_commit` is the family whose hook hands over no class: it is called with every commit.
    A write can do without those that are `optional`.
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
    placeholders: tuple[str, ...] = ()
    per_commit: bool = False
    optional: bool = False

    @property
    def group(self) -> str:
        """The entry point group of the plugins."""
        return f"hoodoo.{self.name}"

    @property
    def alias_group(self) -> str:
        """The entry point group of other names for the same modules."""
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
            base=RowPayload,
            placeholders=("pre_combine", "combine_and_get_update_value"),
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
            base=RowMerger,
            placeholders=("merge",),
        ),
        Family(
            "keygen",
            "key generator",
            "hoodoo_keygen",
            ("record_keys", "partition_paths"),
            option="keygen",
            options="keygen_options",
            page="key-generators.md",
        ),
        Family(
            "delete",
            "delete rule",
            "hoodoo_delete_rule",
            ("is_delete",),
            option="delete_rule",
            options="delete_rule_options",
            page="delete-rules.md",
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
            optional=True,
        ),
        Family("pre_commit", "pre-commit hook", "hoodoo_pre_commit", (), per_commit=True, optional=True),
        Family("post_commit", "post-commit hook", "hoodoo_post_commit", (), per_commit=True, optional=True),
    )
}


def family_of(name: str) -> Family:
    """The family of this name.

    Raises:
        OptionError: there is none.
    """
    if name not in FAMILIES:
        raise OptionError(f"there is no plugin family '{name}'; the families are {', '.join(FAMILIES)}")
    return FAMILIES[name]


def check_class(family: str, cls: Any) -> list[str]:
    """What keeps a hook's answer from being a plugin class of the family, one sentence each; empty where it is one."""
    asked = family_of(family)
    if not isinstance(cls, type):
        return [f"{asked.hook}() must return a class, got {cls!r}"]
    problems = [
        f"class {cls.__qualname__} has no method '{method}'"
        for method in asked.methods
        if not callable(getattr(cls, method, None)) or _is_placeholder(asked, cls, method)
    ]
    if asked.claims_laws:
        problems += _check_laws(cls)
    return problems + [
        f"class {cls.__qualname__} must say {meaning} in a class attribute that is text: {name} = '...'"
        for name, meaning in asked.texts.items()
        if not isinstance(getattr(cls, name, None), str)
    ]


def _is_placeholder(family: Family, cls: type, method: str) -> bool:
    return method in family.placeholders and getattr(cls, method) is getattr(family.base, method)


def _check_laws(cls: type) -> list[str]:
    laws = getattr(cls, "laws", None)
    if isinstance(laws, frozenset) and all(isinstance(law, Law) for law in laws):
        return []
    # an annotation makes it a field in an attrs class, and the class is left with a descriptor of that name
    text = (
        f"class {cls.__qualname__} must claim its laws in a class attribute without an annotation, a frozenset of "
        "hoodoo.record.Law members (empty where it claims none): laws = frozenset({Law.IDEMPOTENT})"
    )
    return [text]
