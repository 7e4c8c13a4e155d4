"""Options of the index, and of the bloom filters in base files."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options import defaults
from hoodoo.options.declare import option

__all__ = ["BloomOptions", "IndexOptions"]


@frozen
class IndexOptions:
    """How the file group of a key is found."""

    index: str | None = option(
        "hoodie.index.type",
        choices=("simple", "bloom", "bucket", "global-simple", "global-bloom"),
        shown_default=defaults.INDEX,
        help="Index: `simple` reads the keys of the touched partitions, `bloom` only those of files whose footers "
        "do not rule the incoming keys out, `bucket` hashes the key. `global-simple` and `global-bloom` do the same in "
        "all partitions: a key is unique in the whole table.",
    )
    update_partition: bool | None = option(
        "hoodie.simple.index.update.partition.path",
        "hoodie.bloom.index.update.partition.path",
        kind="flag",
        shown_default="`true`",
        help="With a global index: whether a stored row moves to the partition of the incoming one that it is merged "
        "with; otherwise it stays in its partition.",
    )
    buckets: int | None = option(
        "hoodie.bucket.index.num.buckets",
        kind="integer",
        minimum=1,
        shown_default="4",
        help="Number of buckets per partition of a bucket index.",
    )
    bucket_by: tuple[str, ...] | None = option(
        "hoodie.bucket.index.hash.field",
        kind="names",
        shown_default="`record_key`",
        help="Record key columns that a bucket index hashes.",
    )


@frozen
class BloomOptions:
    """Bloom filters of record keys, in the footers of base files."""

    bloom_filter: bool | None = option(
        "hoodie.parquet.bloom.filter.enabled",
        kind="flag",
        shown_default="`true` with a bloom index",
        help="Whether new base files have a filter; other writers need them for their bloom index.",
    )
    bloom_entries: int = option(
        "hoodie.index.bloom.num_entries",
        kind="integer",
        minimum=1,
        default=60_000,
        help="Keys that a filter is made for; a dynamic one grows by as many.",
    )
    bloom_fpp: float = option(
        "hoodie.index.bloom.fpp",
        kind="number",
        default=1e-9,
        help="The share of strange keys that a full filter takes for its own, between 0 and 1.",
    )
    bloom_type: str = option(
        "hoodie.bloom.index.filter.type",
        default="DYNAMIC_V0",
        choices=("DYNAMIC_V0", "SIMPLE"),
        help="Whether a filter grows with the file.",
    )
    bloom_max_entries: int = option(
        "hoodie.bloom.index.filter.dynamic.max.entries",
        kind="integer",
        minimum=1,
        default=100_000,
        help="Keys up to which a dynamic filter grows.",
    )
