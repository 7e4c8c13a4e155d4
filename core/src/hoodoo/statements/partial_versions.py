"""Partial versions of a statement: the columns that they need, and whether logs may contain such records."""

from __future__ import annotations

from hoodoo.merge.required_columns import needed_columns, roots_of
from hoodoo.plugin.declarations import CUSTOM_MODE
from hoodoo.properties import TableProperties
from hoodoo.writing.prepare.prepared_write import Prepared

__all__ = ["logs_partial_records", "needed_columns_of"]

_FIRST_VERSION = 8
"""The first table version whose readers support partial records."""

_FIRST_IN_ALL_MODES = 9
"""The first table version whose readers support partial records in both merge modes.

Hudi 1.0.2, which reads version 8, rejects such records in the mode COMMIT_TIME_ORDERING.
"""


def needed_columns_of(write: Prepared) -> frozenset[str] | None:
    """Return the columns that versions need in addition to those of keys and partitions; None for all columns.

    Whole versions are needed for a rule that changes columns or keeps columns of deletes, for a global index (with
    which a row may move to another partition), and for generated keys.
    """
    schema = write.table.schema
    if write.index.is_global or not write.keys.config.record_key:
        return None
    if not write.rule.whole_versions or write.kept_deletes is not None:
        return None
    needed = needed_columns(write.rule, schema)
    if not write.table.fills_meta:
        needed |= roots_of(write.keys.config.record_key, schema)
    return needed | frozenset(write.table.path_columns.names)


def logs_partial_records(write: Prepared) -> bool:
    """Return whether updates of a merge-on-read table are logged as records that lack columns.

    Readers of tables below version 8 do not support such records, and it is not known whether readers support them for
    rules other than Hudi's two merge modes. If versions are compared by ordering values, readers take the columns that
    a partial record lacks from a late version, although it loses. In this case, and in version 8, only the option
    `partial_records` allows them.
    """
    properties = TableProperties(write.properties)
    if properties.version < _FIRST_VERSION or properties.merge_mode in (None, CUSTOM_MODE):
        return False
    if write.options.partial_records is not None:
        return write.options.partial_records
    return properties.version >= _FIRST_IN_ALL_MODES and not write.rule.make_rule().uses_ordering
