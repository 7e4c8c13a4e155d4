"""Options of the bloom filters in base files: they are not stored with the table."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.declare import option

__all__ = ["BloomOptions"]


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
