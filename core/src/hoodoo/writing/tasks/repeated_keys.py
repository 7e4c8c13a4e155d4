"""Check that the record keys of a batch are unique, if `combine_before_upsert` is false."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.errors import DataError
from hoodoo.schema.columns import examples_of

__all__ = ["check_no_repeats"]


def check_no_repeats(keys: pa.Array, distinct: int) -> None:
    """Raise if two rows have the same record key.

    Args:
        keys: The record keys of the rows.
        distinct: The number of different keys.

    Raises:
        DataError: A key occurs twice (code `repeated_key`).
    """
    if len(keys) == distinct:
        return
    counts = pc.value_counts(keys)
    repeated = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
    raise DataError(
        f"'combine_before_upsert' (hoodie.combine.before.upsert) is false, and record keys such as "
        f"{examples_of(repeated)} occur in several incoming rows; set the option to true to merge these rows, or leave "
        "one row of each key in the batch",
        code="repeated_key",
    )
