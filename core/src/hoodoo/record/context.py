"""Configuration of merge rules, delete rules and key generators: column names, and options of the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import OptionError

__all__ = ["DeleteContext", "KeyConfig", "MergerConfig", "RecordContext"]


@frozen
class DeleteContext:
    """Options that define deletes by a marker in a column; either both are set, or neither is.

    Without them, only the columns that delete rules name themselves mark deletes, such as the flag
    `_hoodie_is_deleted`.

    Attributes:
        field: The column that marks deletes, `hoodie.payload.delete.field`.
        marker: The text of that column in a delete, `hoodie.payload.delete.marker`.

    Raises:
        OptionError: Only one of the two is set.
    """

    field: str | None = None
    marker: str | None = None

    def __attrs_post_init__(self) -> None:
        if (self.field is None) != (self.marker is None):
            missing = "hoodie.payload.delete.marker" if self.marker is None else "hoodie.payload.delete.field"
            raise OptionError(
                f"a custom delete needs a column and a marker; set '{missing}' as well", code="delete_config"
            )


@frozen
class KeyConfig:
    """Configuration of a key generator: record key, partition path and their encoding.

    Attributes:
        record_key: The record key columns.
        partition_by: The partition columns, with the `:kind` suffix that some key generators accept.
        hive_style: Whether a partition path has the form `column=value`.
        url_encode: Whether characters of a partition value that are special in a path are encoded.
        slash_date: Whether a single partition column is a date that gives three folders, `yyyy/MM/dd`.
        consistent_logical_timestamps: Whether a timestamp in a key is written as date and time; it is a number
            otherwise.
        complex_encoding: The form of a complex key of one column: `field` (`id:1`) or `value` (`1`).
        instant: The instant of the write, for a generator that creates keys; empty before the write begins.
        seed: 32 random hexadecimal digits that are the same in all tasks of the write; empty before the write begins.
    """

    record_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    hive_style: bool = False
    url_encode: bool = False
    slash_date: bool = False
    consistent_logical_timestamps: bool = False
    complex_encoding: str = "field"
    instant: str = ""
    seed: str = ""

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """Return the partition columns, without the `:kind` suffix that some key generators accept."""
        return tuple(name.partition(":")[0] for name in self.partition_by)


@frozen
class MergerConfig:
    """Configuration of one merge, as defined in RFC HUDI-9798.

    Attributes:
        record_key: The record key columns.
        partition_by: The partition columns.
        ordering: The ordering columns; empty for a table without ordering values.
        delete: The options that define deletes.
        compat: The Hudi release whose payload semantics apply: `legacy` (up to 1.0) or `1.1`.
        options: The user's `merger_options`, unchanged.
    """

    record_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()
    delete: DeleteContext = field(factory=DeleteContext)
    compat: str = "legacy"
    options: Mapping[str, Any] = field(factory=dict)


@frozen
class RecordContext:
    """The reader's schema, and whether reasons are requested.

    Attributes:
        schema: The columns of the records, with their types.
        explaining: Whether a rule that has `reasons` must set `Outcome.reason`; its decisions are the same.
    """

    schema: pa.Schema
    explaining: bool = False
