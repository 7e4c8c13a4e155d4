"""Checks of the decisions that a method of a merger or payload returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, frozen
from numpy.typing import NDArray

from hoodoo.errors import PluginFault
from hoodoo.plugin.faults import PluginCalls
from hoodoo.record import Choice, Outcome, Records
from hoodoo.schema.columns import described, has_column, mask_advice, one_array

__all__ = ["OutcomeCheck"]


@frozen
class OutcomeCheck:
    """Check of the result of a merger's method for some records.

    Attributes:
        calls: The calls of the plugin, for messages.
        method: The name of the method.
        records: The records for which the method was called.
    """

    calls: PluginCalls
    method: str
    records: Records

    def fault(self, problem: str) -> PluginFault:
        """Return the fault of the method, with the keys of the records."""
        return self.calls.fault(self.method, problem, self.records.keys)

    def checked(self, outcome: Any) -> Outcome:
        """Return the outcome, with choices as int8 and patches in one chunk.

        Raises:
            PluginFault: It is not an `Outcome`, or a part of it has a wrong type, length or value.
        """
        length, records = len(self.records), self.records
        pairs = "the pair" if length == 1 else f"each of {length} pairs"
        if not isinstance(outcome, Outcome):
            advice = "write `return Outcome.take_where(mask)` or `return Outcome(choice, patch)`"
            raise self.fault(f"must return an Outcome, got {described(outcome)}; {advice}")
        choice = outcome.choice
        if not isinstance(choice, np.ndarray) or choice.dtype.kind not in "iu" or choice.shape != (length,):
            advice = "; Outcome.take_where(mask) makes choices of a mask" if _is_mask(choice) else ""
            raise self.fault(f"must return one choice for {pairs}, got {described(choice)}{advice}")
        if length and (choice.min() < 0 or choice.max() > 2):
            wrong = pa.array(np.flatnonzero((choice < 0) | (choice > 2)))
            raise self.calls.fault(
                self.method,
                "returned a choice that is not a Choice; use KEEP, TAKE or DELETE",
                records.keys.take(wrong),
            )
        self._check_flags(outcome.patched)
        reason = outcome.reason
        if reason is not None and (
            not isinstance(reason, np.ndarray) or reason.dtype.kind != "i" or len(reason) != length
        ):
            raise self.fault(f"must return one reason for {pairs}, or none, got {described(reason)}")
        if not isinstance(outcome.patch, Mapping):
            raise self.fault(f"must return its patch as arrays by column name, got {described(outcome.patch)}")
        patched = np.ones(length, dtype=bool) if outcome.patched is None else outcome.patched
        needed = patched & (choice != Choice.DELETE) & ~(records.is_delete & (choice == Choice.TAKE))
        patch = {name: self.checked_patch(name, values, needed) for name, values in outcome.patch.items()}
        return evolve(outcome, choice=choice.astype(np.int8, copy=False), patch=patch)

    def _check_flags(self, flags: Any) -> None:
        length = len(self.records)
        if flags is not None and (
            not isinstance(flags, np.ndarray) or flags.dtype != np.bool_ or flags.shape != (length,)
        ):
            pairs = "the pair" if length == 1 else f"each of {length} pairs"
            problem = f"must return one `patched` flag for {pairs}, got {described(flags)}"
            raise self.fault(problem + mask_advice(flags))

    def checked_patch(self, name: str, values: Any, needed: NDArray[np.bool_]) -> pa.Array:
        """Return the values of a patched column in one chunk.

        Args:
            name: The name of the column.
            values: The values that the plugin returned.
            needed: A mask of the records whose value is used; these are null only if the schema allows it.

        Raises:
            PluginFault: The table lacks the column, it was not read, or its values have a wrong type, length or null.
        """
        records = self.records
        if not has_column(records.schema, name):
            if name in records.source.unread:
                raise self.fault(
                    f"patched column '{name}', which was not read because the method `needs` does not name it; add "
                    f"'{name}' to what `needs` returns, or patch only columns of `context.schema`"
                )
            raise self.fault(f"patched column '{name}', which the table does not have; use only columns of the table")
        if isinstance(values, pa.ChunkedArray):
            values = one_array(values)
        if not isinstance(values, pa.Array) or len(values) != len(records):
            count = "1 value" if len(records) == 1 else f"{len(records)} values"
            raise self.fault(f"must patch column '{name}' with {count}, got {described(values)}")
        field = records.schema.field(name)
        if values.type != field.type:
            raise self.fault(f"patched column '{name}' with type {values.type}; the table has {field.type}; cast it")
        # a partial version lacks the column, and is filled later
        needed = needed if (lacking := records.lacking(name)) is None else needed & ~lacking
        if not field.nullable and (values.is_null().to_numpy(zero_copy_only=False) & needed).any():
            raise self.fault(f"patched column '{name}', which is not nullable, with nulls; replace them")
        return values


def _is_mask(values: Any) -> bool:
    if isinstance(values, np.ndarray):
        return bool(values.dtype == np.bool_)
    return isinstance(values, (pa.Array, pa.ChunkedArray)) and pa.types.is_boolean(values.type)
