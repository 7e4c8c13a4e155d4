"""Partial updates: columns that the winning version lacks (gaps) are filled from the losing one.

Each rule defines its gaps: a column that is absent, null, equal to its default, or a marker.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import Attribute
from numpy.typing import NDArray

from hoodoo.plugin.declarations import PartialUpdate
from hoodoo.plugin.option import option
from hoodoo.record.outcome import Outcome
from hoodoo.record.records import Records
from hoodoo.schema.defaults import default_of, equals

__all__ = [
    "PARTIAL_MODES",
    "PARTIAL_UPDATES",
    "UNAVAILABLE_VALUE",
    "Gaps",
    "absent",
    "defaulted",
    "fill",
    "fillable",
    "nulls",
    "partial_gaps",
    "partial_option",
    "unavailable",
    "unavailable_value_option",
]

Mask = NDArray[np.bool_]
Gaps = Callable[[Records, str], Mask]
"""Function of versions and a column name that returns a mask: true for versions that do not set the column."""

UNAVAILABLE_VALUE = "__debezium_unavailable_value"
"""Value that Debezium writes for a column that the database did not log."""


def absent(records: Records, name: str) -> Mask:
    """Return a mask of the versions that do not have the column; a null is a value."""
    present = records.present(name)
    return np.zeros(len(records), dtype=bool) if present is None else ~present


def nulls(records: Records, name: str) -> Mask:
    """Return a mask of the versions whose value is null, or that do not have the column."""
    values = records.column(name)
    if not values.null_count:
        return np.zeros(len(records), dtype=bool)
    mask: Mask = values.is_null().to_numpy(zero_copy_only=False)
    return mask


def defaulted(records: Records, name: str) -> Mask:
    """Return a mask of the versions whose value equals the default of the column, which is null if none is declared.

    Raises:
        SchemaError: The declared default is not a value of the column's type, or its text is not JSON.
    """
    return equals(records.column(name), default_of(records.schema.field(name)))


def unavailable(marker: str) -> Gaps:
    """Return a function that finds the marker in string and bytes columns; other columns have no gaps."""

    def gaps(records: Records, name: str) -> Mask:
        type_ = records.schema.field(name).type
        if pa.types.is_string(type_) or pa.types.is_large_string(type_):
            return equals(records.column(name), pa.scalar(marker, type_))
        if pa.types.is_binary(type_) or pa.types.is_large_binary(type_):
            return equals(records.column(name), pa.scalar(marker.encode(), type_))
        return np.zeros(len(records), dtype=bool)

    return gaps


PARTIAL_MODES = ("keep-values", "ignore-defaults", "fill-unavailable")
"""Hudi's partial update modes (`hoodie.table.partial.update.mode`); names with `_` or in capitals are equivalent."""

_PREFIX = "hoodie.record.merge.property."
_MARKER = (
    f"{_PREFIX}partial.update.unavailable.value",
    f"{_PREFIX}hoodie.write.partial.update.unavailable.value",
)
"""The properties with the marker: the package `hudi` reads the first one, and Hudi writes and reads the second one."""

PARTIAL_UPDATES = (
    PartialUpdate("IGNORE_DEFAULTS", {"partial": "ignore-defaults"}),
    PartialUpdate("FILL_UNAVAILABLE", {"partial": "fill-unavailable"}, {"unavailable_value": _MARKER}),
    PartialUpdate("IGNORE_MARKERS", {"partial": "fill-unavailable"}, {"unavailable_value": _MARKER}, is_written=False),
    PartialUpdate("KEEP_VALUES", {"partial": "keep-values"}, is_written=False),
)
"""Hudi's partial update modes for a merger with the options `partial` and `unavailable_value`."""


def partial_gaps(mode: str, unavailable_value: str) -> Gaps:
    """Return the function that finds gaps in a partial update mode.

    Raises:
        ValueError: There is no such mode.
    """
    known = mode.lower().replace("_", "-")
    if known not in PARTIAL_MODES:
        raise ValueError(f"'partial' must be one of {', '.join(PARTIAL_MODES)}, got '{mode}'")
    if known == "keep-values":
        return absent
    return defaulted if known == "ignore-defaults" else unavailable(unavailable_value)


def fillable(schema: pa.Schema, protected: Iterable[str] = ()) -> list[str]:
    """Return the columns that may be filled.

    These are all columns except `_hoodie_*`, `protected`, and structs with a protected field.
    """
    kept = {name for path in protected for name in (path, path.partition(".")[0])}
    return [name for name in schema.names if not name.startswith("_hoodie_") and name not in kept]


def fill(
    older: Records, newer: Records, take: Mask, gaps: Gaps, columns: Sequence[str], pairs: Mask | None = None
) -> Outcome:
    """Return an outcome that takes the winner of each pair and fills its gaps from the other version.

    A column that the winner does not have is filled regardless of `gaps`. A gap is not filled if the loser has the same
    gap. A winner without filled gaps has no patch.

    Args:
        older: The version of each pair that arrived first.
        newer: The version of each pair that arrived later.
        take: True where the newer version wins.
        gaps: Function that finds the gaps of a column.
        columns: The columns that may be filled.
        pairs: True for pairs whose versions fill each other; by default, pairs without a delete.
    """
    choice, patched = take.astype(np.int8), np.zeros(len(take), dtype=bool)
    patch: dict[str, pa.Array] = {}
    if pairs is None:
        pairs = ~older.is_delete & ~newer.is_delete
    for name in columns if pairs.any() else ():
        lacks_older, lacks_newer = absent(older, name), absent(newer, name)
        filled = _only_winner(lacks_older, lacks_newer, take)
        if gaps is not absent:
            filled |= _only_winner(gaps(older, name) | lacks_older, gaps(newer, name) | lacks_newer, take)
        filled &= pairs
        if filled.any():
            patch[name] = pc.if_else(pa.array(take ^ filled), newer.column(name), older.column(name))
            patched |= filled
    return Outcome(choice, patch, patched) if patch else Outcome(choice)


def _only_winner(older: Mask, newer: Mask, take: Mask) -> Mask:
    """Return a mask of the pairs in which the winner has a gap and the loser does not."""
    mask: Mask = (older != newer) & (newer == take)
    return mask


def partial_option() -> Any:
    """Declare the option of a merger for its partial update mode, one of `PARTIAL_MODES`."""

    def is_mode(instance: Any, attribute: Attribute[str], value: str) -> None:
        partial_gaps(value, UNAVAILABLE_VALUE)

    return option(
        validator=is_mode,
        help=f"Partial update mode: {', '.join(PARTIAL_MODES)}. All modes fill absent columns; the second one also "
        "fills columns with their default value, and the third one columns with the marker.",
    )


def unavailable_value_option() -> Any:
    """Declare the option of a merger for the marker of `fill-unavailable`."""
    return option(
        default=UNAVAILABLE_VALUE,
        key="hoodie.write.partial.update.unavailable.value",
        help="The marker that fill-unavailable replaces in string and bytes columns.",
    )
