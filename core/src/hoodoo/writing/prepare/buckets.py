"""The buckets of a table with a bucket index."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hoodoo.errors import OptionError
from hoodoo.filegroup import FileSlice
from hoodoo.index.bucket_index import bucket_of
from hoodoo.options import defaults
from hoodoo.record import KeyConfig

__all__ = ["resolve_buckets"]

DEFAULT_BUCKETS = 4
_LOW_BUCKET = re.compile(r"000\d{5}-")


def resolve_buckets(
    properties: Mapping[str, str], slices: list[FileSlice], keys: KeyConfig
) -> tuple[int, tuple[str, ...]]:
    """Number of buckets (0: no bucket index) and hashed columns, as the table has them."""
    index = properties.get("hoodoo.index", defaults.INDEX)
    if index != "bucket":
        for option in ("buckets", "bucket_by"):
            if f"hoodoo.{option}" in properties:
                raise OptionError(
                    f"'{option}' is given and the index is {index}; give 'index' = 'bucket', or leave it out"
                )
        if slices and all(_LOW_BUCKET.match(s.file_id) for s in slices):
            raise OptionError(
                "the table's file groups are numbered buckets and it does not store how many there are; "
                "give 'index' = 'bucket' and 'buckets'"
            )
        return 0, ()
    buckets = int(properties.get("hoodoo.buckets", DEFAULT_BUCKETS))
    for file_slice in slices:
        if not file_slice.file_id[:8].isdigit() or bucket_of(file_slice.file_id) >= buckets:
            raise OptionError(
                f"a bucket index of {buckets} buckets does not fit the table: file group '{file_slice.file_id}' in "
                f"partition '{file_slice.partition}' is no bucket of it",
                code="contradiction",
            )
    by = tuple(name for name in properties.get("hoodoo.bucket_by", "").split(",") if name)
    unknown = [name for name in by if name not in keys.record_key]
    if unknown:
        raise OptionError(f"'bucket_by' names {', '.join(unknown)}; it takes columns of the record key only")
    return buckets, by
