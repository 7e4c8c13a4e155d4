"""Checks of the values that plugins return. The error names the plugin, its distribution and example keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.errors import HoodooError, PluginFault
from hoodoo.plugin.base import BaseDeleteRule, BaseKeyGenerator, BaseMerger, RuleMembers
from hoodoo.plugin.completion import completed, defines
from hoodoo.plugin.interface import DeleteRule, KeyGenerator, RecordMerger
from hoodoo.record import Choice, DeleteContext, KeyConfig, Law, MergerConfig, Outcome, RecordContext, Records, Source
from hoodoo.schema.columns import described, examples_of, has_column, one_array

__all__ = ["GuardedDeleteRule", "GuardedKeyGenerator", "GuardedMerger", "check_table"]


def _completed_merger(merger: RecordMerger) -> BaseMerger:
    return completed(merger, BaseMerger)


def _completed_keygen(generator: KeyGenerator) -> BaseKeyGenerator:
    return completed(generator, BaseKeyGenerator)


def _completed_delete_rule(rule: DeleteRule) -> BaseDeleteRule:
    return completed(rule, BaseDeleteRule)


@frozen
class GuardedMerger:
    """A merger whose results are checked.

    Attributes:
        merger: The merger.
        label: Plugin, distribution and version, for messages.
        whole_versions: Whether its plugin claims that it changes no column.
    """

    merger: BaseMerger = field(converter=_completed_merger)
    label: str
    whole_versions: bool

    @property
    def laws(self) -> frozenset[Law]:
        """Return the laws that the merger claims."""
        return self.merger.laws

    @property
    def reasons(self) -> Mapping[int, str]:
        """Return the merger's sentences by the codes in `Outcome.reason`; empty if it has none."""
        return self.merger.reasons

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return the merger's decisions, checked."""
        outcome = _run(self.label, newer.keys, lambda: self.merger.merge(older, newer, context, config))
        return self._checked(outcome, newer)

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome | None:
        """Return the merger's decisions, checked; None if the merger does not decide about inserts."""
        if not defines(self.merger, BaseMerger, "insert"):
            return None
        outcome = _run(self.label, newer.keys, lambda: self.merger.insert(newer, context, config))
        return self._checked(outcome, newer)

    def prepared(self, source: Source, config: MergerConfig) -> Source:
        """Return incoming versions in which the merger's `prepare` has changed columns, if it has one."""
        if not defines(self.merger, BaseMerger, "prepare"):
            return source
        records, table = source.records(), source.table
        columns = _run(self.label, source.keys, lambda: self.merger.prepare(records, config))
        if not isinstance(columns, Mapping):
            raise PluginFault(f"{self.label} must prepare columns by name, got {described(columns)}")
        for name, values in columns.items():
            place = table.schema.get_field_index(name)
            given = place >= 0  # the rows may lack a column that the table has
            prepared = _checked_patch(self.label, name, values, records, source.has_data & given)
            if given:
                table = table.set_column(place, table.schema.field(place), prepared)
        return evolve(source, table=table)

    def _checked(self, outcome: Any, newer: Records) -> Outcome:
        checked = _checked(self.label, outcome, newer)
        if self.whole_versions and checked.patch:
            raise PluginFault(
                f"{self.label} claims whole_versions, and changed column '{min(checked.patch)}'{_examples(newer.keys)}"
            )
        return checked


@frozen
class GuardedKeyGenerator:
    """A key generator whose results are checked."""

    generator: BaseKeyGenerator = field(converter=_completed_keygen)
    label: str

    @property
    def generates_keys(self) -> bool:
        """Return whether keys come from the position of a row in its write, not from its columns."""
        return bool(self.generator.generates_keys)

    @property
    def path_per_value(self) -> bool:
        """Return whether rows of equal partition columns, and no others, share a path."""
        return bool(self.generator.path_per_value)

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the generator's record keys, checked: one non-null string per row."""
        keys = _run(self.label, None, lambda: self.generator.record_keys(rows, config))
        return _checked_strings(self.label, "record keys", keys, rows.num_rows)

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """Return the generator's partition paths, checked: one non-null string per row."""
        paths = _run(self.label, None, lambda: self.generator.partition_paths(rows, config))
        return _checked_strings(self.label, "partition paths", paths, rows.num_rows)

    @property
    def qualifies_keys(self) -> bool:
        """Return whether the generator has qualifiers of record keys (`key_qualifiers`)."""
        return defines(self.generator, BaseKeyGenerator, "key_qualifiers")

    @property
    def qualifies_paths(self) -> bool:
        """Return whether the generator has qualifiers of partition paths (`path_qualifiers`)."""
        return defines(self.generator, BaseKeyGenerator, "path_qualifiers")

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the checked qualifiers of record keys; None if the generator has none, or lacks this method."""
        return self._qualifiers("key qualifiers", self.generator.key_qualifiers, rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the checked qualifiers of paths; None if the generator has none, or lacks this method."""
        return self._qualifiers("path qualifiers", self.generator.path_qualifiers, rows, config)

    def _qualifiers(
        self, what: str, qualify: Callable[[pa.Table, KeyConfig], pa.Array | None], rows: pa.Table, config: KeyConfig
    ) -> pa.Array | None:
        qualifiers = _run(self.label, None, lambda: qualify(rows, config))
        if qualifiers is None:
            return None
        return _checked_strings(self.label, what, qualifiers, rows.num_rows, nullable=True)


@frozen
class GuardedDeleteRule:
    """A delete rule whose results are checked."""

    rule: BaseDeleteRule = field(converter=_completed_delete_rule)
    label: str

    def is_delete(self, rows: pa.Table, context: DeleteContext, keys: pa.Array | None = None) -> NDArray[np.bool_]:
        """Return the rule's deletes, checked: one boolean per row; `keys` are the rows' record keys, for messages."""
        return self._checked(_run(self.label, keys, lambda: self.rule.is_delete(rows, context)), rows, keys)

    @property
    def may_drop(self) -> bool:
        """Return whether the rule decides which rows are left out."""
        return defines(self.rule, BaseDeleteRule, "drops")

    def drops(
        self, rows: pa.Table, deletes: NDArray[np.bool_], context: DeleteContext, keys: pa.Array | None = None
    ) -> NDArray[np.bool_]:
        """Return the rows that the rule leaves out, checked: one boolean per row."""
        return self._checked(_run(self.label, keys, lambda: self.rule.drops(rows, deletes, context)), rows, keys)

    def check(self, schema: pa.Schema, context: DeleteContext) -> None:
        """Raise if the rule does not accept a table with these columns."""
        _run(self.label, None, lambda: self.rule.check(schema, context))

    def _checked(self, mask: Any, rows: pa.Table, keys: pa.Array | None) -> NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (rows.num_rows,):
            raise PluginFault(
                f"{self.label} must return one boolean for each of {rows.num_rows} rows, got {described(mask)}"
                f"{_examples(keys)}"
            )
        return mask


def check_table(plugin: object, label: str, schema: pa.Schema, config: MergerConfig) -> None:
    """Raise if a merger or payload does not accept a table with these columns."""
    rule = completed(plugin, RuleMembers)
    _run(label, None, lambda: rule.check(schema, config))


def _run(label: str, keys: pa.Array | None, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except PluginFault as fault:
        raise PluginFault(
            f"{label}: {fault}{_examples(keys) if keys is not None and 'key' not in str(fault) else ''}"
        ) from fault
    except HoodooError:
        raise
    except Exception as error:
        raise PluginFault(f"{label} raised {type(error).__name__}: {error}{_examples(keys)}") from error


def _checked(label: str, outcome: Any, records: Records) -> Outcome:
    keys, length = records.keys, len(records)
    if not isinstance(outcome, Outcome):
        raise PluginFault(f"{label} must return an Outcome, got {described(outcome)}{_examples(keys)}")
    choice = outcome.choice
    if not isinstance(choice, np.ndarray) or choice.dtype.kind not in "iu" or choice.shape != (length,):
        raise PluginFault(
            f"{label} must return one choice for each of {length} pairs, got {described(choice)}{_examples(keys)}"
        )
    if length and (choice.min() < 0 or choice.max() > 2):
        wrong = np.flatnonzero((choice < 0) | (choice > 2))
        raise PluginFault(f"{label} returned a choice that is not a Choice{_examples(keys.take(pa.array(wrong)))}")
    if outcome.patched is not None and outcome.patched.shape != (length,):
        raise PluginFault(f"{label} must return one `patched` flag for each of {length} pairs{_examples(keys)}")
    if outcome.reason is not None and (
        not isinstance(outcome.reason, np.ndarray) or outcome.reason.dtype.kind != "i" or len(outcome.reason) != length
    ):
        raise PluginFault(f"{label} must return one reason for each of {length} pairs, or none{_examples(keys)}")
    patched = np.ones(length, dtype=bool) if outcome.patched is None else outcome.patched
    needed = patched & (choice != Choice.DELETE) & ~(records.is_delete & (choice == Choice.TAKE))
    patch = {name: _checked_patch(label, name, values, records, needed) for name, values in outcome.patch.items()}
    return evolve(outcome, choice=choice.astype(np.int8, copy=False), patch=patch)


def _checked_patch(label: str, name: str, values: Any, records: Records, needed: NDArray[np.bool_]) -> pa.Array:
    if not has_column(records.schema, name):
        raise PluginFault(f"{label} patched column '{name}', which the table does not have{_examples(records.keys)}")
    if isinstance(values, pa.ChunkedArray):
        values = one_array(values)
    if not isinstance(values, pa.Array) or len(values) != len(records):
        raise PluginFault(
            f"{label} must patch column '{name}' with {len(records)} values, "
            f"got {described(values)}{_examples(records.keys)}"
        )
    field = records.schema.field(name)
    if values.type != field.type:
        raise PluginFault(
            f"{label} patched column '{name}' with type {values.type}; "
            f"the table has {field.type}{_examples(records.keys)}"
        )
    # a partial version lacks the column, and is filled later
    needed = needed if (lacking := records.lacking(name)) is None else needed & ~lacking
    if not field.nullable and (values.is_null().to_numpy(zero_copy_only=False) & needed).any():
        raise PluginFault(
            f"{label} patched column '{name}', which is not nullable, with nulls{_examples(records.keys)}"
        )
    return values


def _checked_strings(label: str, what: str, values: Any, length: int, *, nullable: bool = False) -> pa.Array:
    if isinstance(values, pa.ChunkedArray):
        values = one_array(values)
    fits = isinstance(values, pa.Array) and values.type == pa.string() and len(values) == length
    if not fits or (values.null_count and not nullable):
        allowed = "strings or null, or None" if nullable else "strings and never null"
        raise PluginFault(f"{label} must return {length} {what}, {allowed}, got {described(values)}")
    return values


def _examples(keys: pa.Array | None) -> str:
    if keys is None or not len(keys):
        return ""
    return f" (keys such as {examples_of(keys)})"
