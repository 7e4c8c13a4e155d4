"""Rows of a split for an engine that reads it in two parts."""

from __future__ import annotations

import pyarrow as pa
from attrs import evolve

from hoodoo.reading import Split
from tests.support.rows import Row, assert_same, rows_of

__all__ = ["rows_in_two_parts"]


def rows_in_two_parts(split: Split) -> list[Row]:
    """Return the rows of the base file of a split that the deletion vector keeps, and the rows that logs changed."""
    changes = split.divided()
    base = evolve(split, merge=None).read().read_all()
    changed = split.changed().read().read_all()
    if changes.surviving is not None:
        assert_same(rows_of(split.changed(changes.surviving).read().read_all()), rows_of(changed), "surviving records")
    return rows_of(base.filter(pa.array(~changes.deletion_vector))) + rows_of(changed)
