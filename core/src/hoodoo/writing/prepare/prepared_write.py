"""A write that has passed every check that needs no rows."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from attrs import field, frozen

from hoodoo.filegroup import FileSlice
from hoodoo.format.bloom import BloomShape
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.options import ConcurrencyOptions, FileOptions, WriteOptions
from hoodoo.plugin.catalog.catalog import PluginSpec
from hoodoo.record import KeyConfig
from hoodoo.timeline import Timeline

__all__ = ["Prepared"]


@frozen
class Prepared:
    """A write that has passed every check that needs no rows.

    Attributes:
        properties: What the table stores, or what it will store once it is created.
        schema: The table's data columns after the write.
        keygen: The key generator.
        keys: What it is told.
        rule: The merge rule.
        buckets: Number of buckets, 0 without a bucket index.
        bucket_by: Hashed columns of a bucket index.
        index: Of this write, as its option says.
        moves: Whether rows follow their key to another partition, with a global index.
        bloom: The filter that new base files get; None for none.
        write: Operation and arrival.
        event_time: The column whose smallest and largest values the commit states; "" for none.
        files: Sizes and encoding.
        concurrency: How the write stands beside others.
        drops_metadata: Whether the table's metadata table is removed before the write begins.
        timeline: What has been committed; None where there is no table yet.
        slices: The file slices that it shows.
    """

    properties: Mapping[str, str]
    schema: pa.Schema
    keygen: PluginSpec
    keys: KeyConfig
    rule: RuleSpec
    buckets: int
    bucket_by: tuple[str, ...]
    index: str
    moves: bool
    bloom: BloomShape | None
    write: WriteOptions
    event_time: str
    files: FileOptions
    concurrency: ConcurrencyOptions
    drops_metadata: bool = False
    timeline: Timeline | None = None
    slices: list[FileSlice] = field(factory=list)

    @property
    def is_global(self) -> bool:
        """Whether a key is unique in the whole table."""
        return self.index.startswith("global-")

    @property
    def dup_policy(self) -> str:
        """What an insert does with keys that are stored."""
        return "drop" if self.write.drop_duplicates else self.write.dup_policy or "none"

    @property
    def appends(self) -> bool:
        """Whether changes go to logs."""
        return self.properties["hoodie.table.type"] == "MERGE_ON_READ"

    @property
    def table_name(self) -> str:
        """The table's name."""
        return self.properties["hoodie.table.name"]
