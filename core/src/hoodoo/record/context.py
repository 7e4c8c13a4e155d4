"""What a rule is told besides the records: field names, delete options, the user's own options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import OptionError

__all__ = ["DeleteContext", "KeyConfig", "MergerConfig", "RecordContext"]


@frozen
class DeleteContext:
    """The options that say which records are deletes.

    `field` and `marker` are `hoodie.payload.delete.field` and `.marker`: both or neither.
    Without either, the built-in flag `_hoodie_is_deleted` counts alone.
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
    """How keys and partition paths are made; what every key generator is told.

    `complex_encoding` says how a complex key of one field is written: `field` (`id:1`) or `value` (`1`).
    `instant` and `seed` are those of the write, for a generator that makes keys by itself: the instant that is being
    written, and 32 random hexadecimal digits, the same in all its tasks. Both are empty before the write has begun.
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
        """The partition columns, without the kinds that some key generators take after a colon."""
        return tuple(name.partition(":")[0] for name in self.partition_by)


@frozen
class MergerConfig:
    """The configuration of one merge: RFC HUDI-9798's MergerConfig.

    `compat` says whose semantics a payload has where Hudi releases differ: `legacy` (up to 1.0) or `1.1`.
    `options` are the user's `merger_options`, as given.
    """

    record_key: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    ordering: tuple[str, ...] = ()
    delete: DeleteContext = field(factory=DeleteContext)
    compat: str = "legacy"
    options: Mapping[str, Any] = field(factory=dict)


@frozen
class RecordContext:
    """How a rule inspects data: the reader's schema, and whether reasons are wanted.

    Where `explaining` is true a rule that has `reasons` fills `Outcome.reason`; what it decides is the same.
    """

    schema: pa.Schema
    explaining: bool = False
