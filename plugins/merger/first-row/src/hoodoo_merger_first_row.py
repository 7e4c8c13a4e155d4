"""The first row of a key to arrive is kept, regardless of later ones."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pyarrow as pa
from attrs import frozen

from hoodoo.errors import DataError
from hoodoo.plugin import hookimpl, option
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen
class FirstRow:
    """Merger of Paimon's `first-row`: the first arrival wins. Deletes are errors, or dropped with `ignore_delete`."""

    ignore_delete: bool = option(default=False, help="Drop deletes instead of raising an error.")

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    whole_versions = True
    reasons = MappingProxyType(
        {
            0: "the first row to arrive stays",
            1: "the older version is a delete that was ignored, and any row is the first",
        }
    )

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: ordering values are stored and not compared."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: the rule compares no values."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return KEEP, or TAKE if the older version is an ignored delete and the newer one a row.

        Raises:
            DataError: A version is a delete, and deletes are not ignored.
        """
        self._refuse_deletes(older)
        self._refuse_deletes(newer)
        take = older.is_delete & ~newer.is_delete
        return Outcome.take_where(take, take.astype(np.int8) if context.explaining else None)

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE for all records. Raises `DataError` if one is a delete, and deletes are not ignored."""
        self._refuse_deletes(newer)
        return Outcome.all(Choice.TAKE, len(newer))

    def _refuse_deletes(self, records: Records) -> None:
        if self.ignore_delete or not records.is_delete.any():
            return
        keys = records.keys.filter(pa.array(records.is_delete))
        raise DataError(
            f"merger 'first-row' does not support deletes, and {len(keys)} incoming "
            f"row{' is a delete' if len(keys) == 1 else 's are deletes'} (keys such as "
            f"{', '.join(map(repr, keys[:3].to_pylist()))}); remove them, or set ignore_delete to drop them",
            code="delete_unsupported",
        )


@hookimpl
def hoodoo_merger() -> type[FirstRow]:
    """Return the class of the plugin."""
    return FirstRow
