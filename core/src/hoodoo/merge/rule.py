"""Merge rule of one table: folds a batch, merges it into stored rows and inserts new keys, for writes and reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError, PluginFault
from hoodoo.merge.adapters.payload_merger import PayloadMerger, Stage
from hoodoo.merge.adapters.row_rules import vectorised_merger, vectorised_payload
from hoodoo.merge.fold import fold
from hoodoo.merge.plugin_checks import GuardedMerger
from hoodoo.plugin.base import RuleMembers
from hoodoo.plugin.completion import completed
from hoodoo.plugin.faults import PluginCalls
from hoodoo.record import Choice, MergerConfig, Operation, Ordering, Outcome, RecordContext, Records, Source
from hoodoo.schema.columns import column_at, decoded, described, examples_of, null_array

__all__ = ["ALL_COLUMNS", "Rule", "kept_columns", "uses_ordering", "whole_versions"]

ALL_COLUMNS = "*"
"""The entry of `keeps_with_deletes` that stands for all columns."""


@frozen
class Rule:
    """A merge rule with the settings of its table.

    Attributes:
        batch: The rule for two versions of one batch.
        log: The rule for two versions in logs, of different commits.
        storage: The rule for a stored row and an incoming record.
        config: The settings of the table that the plugin receives.
        payload_ordering: Ordering columns that a payload compares against storage; for a merger, those of `config`.
        uses_ordering: Whether the rule compares ordering values.
        keeps_with_deletes: Columns that the rule reads of deletes, and that logs therefore keep.
        explaining: Whether the plugin must return reasons.
    """

    batch: GuardedMerger
    log: GuardedMerger
    storage: GuardedMerger
    config: MergerConfig
    payload_ordering: tuple[str, ...]
    uses_ordering: bool
    keeps_with_deletes: tuple[str, ...] = ()
    explaining: bool = False

    @classmethod
    def of_merger(cls, merger: Any, label: str, config: MergerConfig) -> Rule:
        """Return the rule of a merger.

        Raises:
            PluginFault: `keeps_with_deletes` is not a tuple of names, or `uses_ordering` raised an error.
        """
        guarded = GuardedMerger(vectorised_merger(merger), label, whole_versions(merger))
        kept = kept_columns(merger, label)
        return cls(guarded, guarded, guarded, config, config.ordering, uses_ordering(merger, label, config), kept)

    @classmethod
    def of_payload(
        cls, payload: Any, label: str, config: MergerConfig, payload_ordering: tuple[str, ...] | None = None
    ) -> Rule:
        """Return the rule of a payload: `pre_combine` in a batch, `combine_and_get_update_value` against storage.

        Raises:
            PluginFault: As `of_merger`.
        """
        vectorised = vectorised_payload(payload)
        batch, log, storage = (
            GuardedMerger(PayloadMerger(vectorised, stage, label), label, whole_versions(payload)) for stage in Stage
        )
        ordering, kept = payload_ordering or config.ordering, kept_columns(payload, label)
        return cls(batch, log, storage, config, ordering, uses_ordering(payload, label, config), kept)

    def incoming(
        self,
        table: pa.Table,
        schema: pa.Schema,
        keys: pa.Array,
        deletes: NDArray[np.bool_],
        has_data: NDArray[np.bool_] | None = None,
    ) -> Source:
        """Return the rows of one write as versions.

        Args:
            table: The rows, in the reader's types.
            schema: The reader's schema.
            keys: The record keys of the rows.
            deletes: A mask of the rows that are deletes.
            has_data: A mask of the rows with data; false for those of the operation `delete`, which have only a key and
                perhaps an ordering value. None if all rows have data.

        Raises:
            DataError: The rule compares ordering values, and an ordering column of a row with data is null (code
                `ordering_null`).
            PluginFault: The merger's method `prepare` failed, or returned wrong columns.
        """
        ordering = _ordering(table, schema, self.config.ordering)
        has_data = np.ones(table.num_rows, dtype=bool) if has_data is None else has_data
        self._check_ordering(ordering, keys, has_data)
        operation = np.where(deletes, Operation.DELETE, Operation.INSERT).astype(np.int8)
        return self.batch.prepared(Source(table, schema, keys, ordering, operation, has_data), self.config)

    def stored(self, table: pa.Table, schema: pa.Schema, keys: pa.Array) -> Source:
        """Return stored rows as versions, which are not deletes and may lack ordering values."""
        length = table.num_rows
        ordering = _ordering(table, schema, self.payload_ordering)
        return Source(table, schema, keys, ordering, np.zeros(length, dtype=np.int8), np.ones(length, dtype=bool))

    def fold(self, source: Source, arrival: NDArray[np.int64] | None = None) -> Records:
        """Return one record per key of a batch, to be merged into stored rows; `arrival` is that of `merge.fold`.

        Raises:
            DataError: The rule compares ordering values, `payload_ordering` differs from the ordering columns of
                `config`, and one of its columns is null in a folded row with data (code `ordering_null`).
            PluginFault: The rule failed, or returned a wrong result.
        """
        folded = fold(source, arrival, self.batch, self._context(source.schema), self.config)
        if self.payload_ordering == self.config.ordering:
            return folded
        ordering = _ordering(source.table, source.schema, self.payload_ordering)
        self._check_ordering(ordering.take(folded.rows), folded.keys, folded.has_data)
        return _with_source(folded, evolve(source, ordering=ordering))

    def fold_log(self, source: Source) -> Records:
        """Return one record per key from the log records of a file slice, to be merged into the base file.

        `source` has the log records, the oldest first.

        Raises:
            PluginFault: The rule failed, or returned a wrong result.
        """
        return fold(source, None, self.log, self._context(source.schema), self._storage_config)

    def combine(self, stored: Records, incoming: Records) -> Outcome:
        """Return the decision for each pair of a stored row and an incoming record. There must be at least one pair.

        Raises:
            PluginFault: The rule failed, or returned a wrong result.
        """
        return self.storage.merge(stored, incoming, self._context(stored.schema), self._storage_config)

    def insert(self, incoming: Records) -> Outcome:
        """Return the decision for each record whose key is not stored: TAKE adds it, KEEP, as for a delete, omits it.

        Raises:
            PluginFault: The rule failed, or returned a wrong result.
        """
        outcome = self.storage.insert(incoming, self._context(incoming.schema), self._storage_config)
        outcome = outcome or Outcome.all(Choice.TAKE, len(incoming))
        written = (outcome.choice == Choice.TAKE) & ~incoming.is_delete
        return evolve(outcome, choice=written.astype(np.int8))

    @property
    def _storage_config(self) -> MergerConfig:
        """Return the settings with the ordering columns that are compared against storage."""
        return evolve(self.config, ordering=self.payload_ordering)

    def _context(self, schema: pa.Schema) -> RecordContext:
        return RecordContext(schema, self.explaining)

    def _check_ordering(self, ordering: Ordering, keys: pa.Array, has_data: NDArray[np.bool_]) -> None:
        if not self.uses_ordering:
            return
        for name, values in zip(ordering.fields, ordering.values, strict=True):
            if not values.null_count:
                continue
            rows = np.flatnonzero(values.is_null().to_numpy(zero_copy_only=False) & has_data)
            if len(rows):
                examples = examples_of(keys.take(pa.array(rows)))
                raise DataError(
                    f"ordering column '{name}' is null in {len(rows)} incoming row{'' if len(rows) == 1 else 's'} "
                    f"(keys such as {examples}); give such rows a value, leave them out, or choose a rule that does "
                    "not compare ordering values",
                    code="ordering_null",
                )


def kept_columns(plugin: object, label: str) -> tuple[str, ...]:
    """Return the columns that a rule reads of deletes, as it declares them.

    Raises:
        PluginFault: The declaration is not a tuple of names.
    """
    names = completed(plugin, RuleMembers).keeps_with_deletes
    if not isinstance(names, tuple) or not all(isinstance(name, str) and name for name in names):
        raise PluginFault(
            f"{label} must declare the columns that it reads of deletes as a tuple of names, such as "
            f"keeps_with_deletes = ('source',), got {described(names)}"
        )
    return names


def whole_versions(plugin: Any) -> bool:
    """Return whether a merger or payload claims to change no column: it keeps one version, or none."""
    return bool(completed(plugin, RuleMembers).whole_versions)


def uses_ordering(plugin: Any, label: str, config: MergerConfig) -> bool:
    """Return whether a merger or payload compares ordering values.

    Raises:
        PluginFault: Its method `uses_ordering` raised an error.
    """
    rule = completed(plugin, RuleMembers)
    return bool(PluginCalls(label, rule).run("uses_ordering", lambda: rule.uses_ordering(config)))


def _with_source(records: Records, source: Source) -> Records:
    """Return the records as a view of another source, which has the same versions with other ordering values."""
    return Records(source, records.rows, records.patches, records.deleted, presence=records.presence)


def _ordering(table: pa.Table, schema: pa.Schema, fields: tuple[str, ...]) -> Ordering:
    columns = [column_at(table, name) for name in fields]
    values = [
        null_array(schema, name, table.num_rows) if column is None else decoded(column)
        for name, column in zip(fields, columns, strict=True)
    ]
    return Ordering.of(fields, values, table.num_rows)
