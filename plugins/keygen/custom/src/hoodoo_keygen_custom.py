"""Partition columns of kinds: `column:simple` is a folder of its value, `column:timestamp` one of its time."""

from __future__ import annotations

import pyarrow as pa
from attrs import frozen

from hoodoo.keys import (
    TimeOptions,
    composite_keys,
    key_qualifiers,
    mixed_partition_paths,
    mixed_path_qualifiers,
    plain_keys,
)
from hoodoo.plugin import hookimpl
from hoodoo.record import KeyConfig

__version__ = "0.1.0"


@frozen
class CustomKeyGenerator(TimeOptions):
    """Hudi's CustomKeyGenerator. The time options say how the columns of kind `timestamp` become folders."""

    hudi_class = "org.apache.hudi.keygen.CustomKeyGenerator"
    takes_kinds = True

    def __attrs_post_init__(self) -> None:
        # options that cannot be honoured are refused before any row is looked at
        if self.has_times:
            self.time_format()

    def record_keys(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """The bare text of a lone record key column, the named values of several."""
        several = len(config.record_key) > 1
        return composite_keys(rows, config) if several else plain_keys(rows, config, "custom")

    def partition_paths(self, rows: pa.Table, config: KeyConfig) -> pa.Array:
        """One part per partition column, made as its kind says."""
        return mixed_partition_paths(rows, config, self.time_format)

    def key_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the qualifiers of record keys."""
        return key_qualifiers(rows, config)

    def path_qualifiers(self, rows: pa.Table, config: KeyConfig) -> pa.Array | None:
        """Return the qualifiers of partition paths; times share a path on purpose."""
        return mixed_path_qualifiers(rows, config)


@hookimpl
def hoodoo_keygen() -> type[CustomKeyGenerator]:
    """The class behind the name."""
    return CustomKeyGenerator
