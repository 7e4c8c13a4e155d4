"""Configuration of a merge rule: field names, delete options, and the user's options for the rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import OptionError

__all__ = ["DeleteContext", "KeyConfig", "MergerConfig", "RecordContext"]


@frozen
class DeleteContext:
    """Options that define deletes.

    `field` and `marker` are `hoodie.payload.delete.field` and `.marker`; both or neither must be set.
    Without them, only the built-in flag `_hoodie_is_deleted` marks deletes.
    """

    field: str | None = None
    marker: str | None = None

    def __attrs_post_init__(self) -> None:
        if (self.field is None) != (self.marker is None):
            missing = "hoodie.payload.delete.marker" if self.marker is None else "hoodie.payload.delete.field"
            raise OptionError(
                f"a custom delete needs a column and a marker; '{missing}' is not set", code="delete_config"
            )


@frozen
class KeyConfig:
    """Configuration of a key generator: record key, partition path and their encoding.

    `complex_encoding` is the form of a complex key of one field: `field` (`id:1`) or `value` (`1`).
    `instant` and `seed` belong to the write, for a generator that creates keys: the instant of the write, and 32 random
    hexadecimal digits that are the same in all its tasks. Both are empty before the write begins.
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

    `compat` is the Hudi release whose payload semantics apply: `legacy` (up to 1.0) or `1.1`.
    `options` are the user's `merger_options`, unchanged.
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

    If `explaining` is true, a rule that has `reasons` sets `Outcome.reason`; its decisions are the same.
    """

    schema: pa.Schema
    explaining: bool = False
