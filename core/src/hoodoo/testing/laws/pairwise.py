"""Function m(a, b) for many pairs at once: the merge of two versions, and the merge of a version with storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.merge import Rule
from hoodoo.merge.survivors import apply, concat
from hoodoo.record import Choice, Operation, Ordering, RecordContext, Records, Source
from hoodoo.testing.data.vector_records import Row, source_of, table_of

__all__ = ["Triples", "every_triple"]

Rows = NDArray[np.int64]


def every_triple(count: int) -> Rows:
    """Return all triples of `count` items as positions, in an array of shape (3, count³)."""
    return np.indices((count,) * 3).reshape(3, -1)


@frozen
class Triples:
    """Three versions of each of n keys.

    Attributes:
        rule: The rule that merges them.
        rows: The versions, in the notation of merge vectors.
        picks: Three rows of n positions in `rows`.
        columns: The types by column name; the first column is the record key.
        lacking: A column of the schema that no version has; None if there is no such column.
        source: All first, all second and all third versions, then one key-only delete without ordering value per key.
    """

    rule: Rule
    rows: Sequence[Row]
    picks: Rows
    columns: Mapping[str, Any]
    lacking: str | None = None
    source: Source = field(init=False)

    @source.default
    def _source(self) -> Source:
        """Return all first, all second and all third versions, then one unconditional delete per key."""
        count = self.picks.shape[1]
        table = table_of(self.rows, self.columns, self.rule.config.ordering)
        few = source_of(self.rule, self.rows, table, pa.array([""] * len(self.rows)), incoming=False)
        places = np.concatenate([self.picks.ravel(), np.zeros(count, dtype=np.int64)])
        ends = np.arange(len(places)) >= 3 * count
        key = table.column_names[0]
        keys = pa.array(np.arange(len(places)) % count).cast(pa.string())
        table = table.take(pa.array(places, mask=ends)).combine_chunks()
        table = table.set_column(0, table.schema.field(key), keys.cast(table.schema.field(key).type))
        ordering = [table[name].combine_chunks() for name in self.rule.config.ordering]
        return Source(
            table.drop_columns([self.lacking]) if self.lacking else table,
            few.schema,
            keys,
            Ordering.of(self.rule.config.ordering, ordering, len(places)),
            np.where(ends, Operation.DELETE, few.operation[places]).astype(np.int8),
            few.has_data[places] & ~ends,
            {name: mask[places] | ends for name, mask in few.present.items()},
        )

    @property
    def versions(self) -> list[Records]:
        """Return the first, the second and the third versions of all keys, as three views."""
        count = self.picks.shape[1]
        return [self.source.records(np.arange(n * count, (n + 1) * count)) for n in range(3)]

    def spelled(self, place: int) -> list[Row]:
        """Return the three versions of one key."""
        return [self.rows[pick] for pick in self.picks[:, place]]

    def in_batch(self, older: Records, newer: Records) -> Records:
        """Merge two versions of one batch."""
        context = RecordContext(self.source.schema)
        return apply(older, newer, self.rule.batch.merge(older, newer, context, self.rule.config))

    def in_log(self, older: Records, newer: Records) -> Records:
        """Merge two versions of different commits in logs."""
        context = RecordContext(self.source.schema)
        return apply(older, newer, self.rule.log.merge(older, newer, context, self.rule.config))

    def in_storage(self, older: Records, newer: Records) -> Records:
        """Merge a stored version and an incoming one.

        Storage does not keep deletes. If the stored version is a delete, the incoming version is inserted as a new row.
        A delete, or a row that the rule does not insert, becomes a delete without data and ordering value.
        """
        stored, absent = np.flatnonzero(~older.is_delete), np.flatnonzero(older.is_delete)
        matched, new = newer.take(stored), newer.take(absent)
        parts = []
        if len(stored):
            kept = older.take(stored)
            parts.append(apply(kept, matched, self.rule.combine(kept, matched)))
        ignored = np.zeros(len(older), dtype=bool)
        if len(absent):
            outcome = self.rule.insert(new)
            ignored[absent] = outcome.choice != Choice.TAKE
            parts.append(evolve(new, patches={**new.patches, **outcome.patch}))
        result = concat(parts).take(np.argsort(np.concatenate([stored, absent])))
        dead = result.is_delete | ignored
        nothing = self.source.records(len(self.source) - len(older) + np.arange(len(older)))
        places = np.arange(len(older))
        return concat([result, nothing]).take(np.where(dead, places + len(older), places))
