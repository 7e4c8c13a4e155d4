"""Each column keeps its last value that is not null, in order of arrival."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.errors import DataError
from hoodoo.plugin import hookimpl, option
from hoodoo.plugin.helpers.partial_update import fill, fillable, nulls
from hoodoo.record import Choice, Law, MergerConfig, Outcome, RecordContext, Records

__version__ = "0.1.0"


@frozen(slots=False)
class NullPartial:
    """Merger of Paimon's `partial-update` without sequence groups: null means "not set", so no column can become null.

    Deletes are errors, unless an option defines their effect. A row after a delete that removed its key gets no older
    values.
    """

    ignore_delete: bool = option(default=False, help="Drop deletes instead of raising an error.")
    remove_on_delete: bool = option(default=False, help="Remove the row of a delete instead of raising an error.")

    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})
    reasons = MappingProxyType(
        {0: "a delete is ignored", 1: "the newer arrival wins, and its nulls are filled from the older"}
    )

    def __attrs_post_init__(self) -> None:
        if self.ignore_delete and self.remove_on_delete:
            raise ValueError("ignore_delete and remove_on_delete contradict each other; set one of them")
        if self.remove_on_delete:
            # not associative: it depends on the grouping of the fold whether a delete separates two updates
            object.__setattr__(self, "laws", self.laws - {Law.ASSOCIATIVE})

    def uses_ordering(self, config: MergerConfig) -> bool:
        """Return False: ordering columns are merged like other columns."""
        return False

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return no columns: each column is filled separately, and ordering columns are always read."""
        return ()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE, with the newer version's nulls filled from the older one if neither version is a delete.

        The outcome is KEEP if the newer version is a delete that is ignored.

        Raises:
            DataError: A version is a delete, and no option defines its effect.
        """
        self._refuse_deletes(older)
        self._refuse_deletes(newer)
        take = ~newer.is_delete if self.ignore_delete else np.ones(len(newer), dtype=bool)
        outcome = fill(older, newer, take, nulls, fillable(context.schema))
        return evolve(outcome, reason=take.astype(np.int8)) if context.explaining else outcome

    def insert(self, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE for all records. Raises `DataError` if one is a delete, and no option defines its effect."""
        self._refuse_deletes(newer)
        return Outcome.all(Choice.TAKE, len(newer))

    def _refuse_deletes(self, records: Records) -> None:
        if self.ignore_delete or self.remove_on_delete or not records.is_delete.any():
            return
        keys = records.keys.filter(pa.array(records.is_delete))
        raise DataError(
            f"merger 'null-partial' does not support deletes, and {len(keys)} incoming "
            f"row{' is a delete' if len(keys) == 1 else 's are deletes'} (keys such as "
            f"{', '.join(map(repr, keys[:3].to_pylist()))}); remove them, or set remove_on_delete or ignore_delete",
            code="delete_unsupported",
        )


@hookimpl
def hoodoo_merger() -> type[NullPartial]:
    """Return the class of the plugin."""
    return NullPartial
