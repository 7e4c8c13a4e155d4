"""Bloom filter of a base file: a new one, or that of the replaced file with the keys that are new."""

from __future__ import annotations

from collections.abc import Mapping

from hoodoo.format.bloom import BloomFilter, BloomShape, KeyFooter
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.options import BloomOptions
from hoodoo.properties import TableProperties
from hoodoo.storage import Storage

__all__ = ["filter_to_extend", "wanted_filter"]


def wanted_filter(options: BloomOptions, used: bool, properties: Mapping[str, str]) -> BloomShape | None:
    """Return the bloom filter of new base files; None if they have none.

    Args:
        options: The options of bloom filters.
        used: Whether the index of the table reads them.
        properties: The properties of the table; a table that fills no meta columns has no filters, as in Hudi.

    Raises:
        OptionError: A filter with these sizes is not possible.
    """
    wanted = used if options.bloom_filter is None else options.bloom_filter
    shape = BloomShape(
        options.bloom_entries,
        options.bloom_fpp,
        "SIMPLE" if options.bloom_type == "SIMPLE" else "DYNAMIC_V0",
        options.bloom_max_entries,
    )
    filled = TableProperties(properties).populate_meta_fields
    return shape if wanted and filled else None


def filter_to_extend(storage: Storage, path: str, shape: BloomShape) -> BloomFilter | None:
    """Return the filter of a stored base file, to add new keys to; None if a new one must be built from all keys.

    Removed keys remain in a filter. A filter with many removed keys is not extended.
    """
    with open_base_file(storage, path) as file:
        footer = KeyFooter.of(file)
    bloom = footer.bloom
    if bloom is None or not bloom.has_shape(shape) or bloom.count is None:
        return None
    if bloom.count - footer.rows > footer.rows // 4:
        return None
    bloom.max_entries = shape.max_entries
    return bloom
