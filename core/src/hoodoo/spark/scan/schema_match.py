"""Selection of base files that Spark's Parquet reader can read with the table's schema."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.reading import Split
from hoodoo.schema.consistency import columns_of
from hoodoo.spark.pyspark_version import WIDER_NUMBERS
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["misfit", "unreadable_instants"]

MOST_FOOTERS = 64

_SAME_BYTES = {(pa.string(), pa.binary()), (pa.binary(), pa.string())}
_WIDER_NUMBERS = {(pa.int32(), pa.int64()), (pa.int32(), pa.float64()), (pa.float32(), pa.float64())}
"""Pairs of numeric types (stored, read) that Spark converts from 4.0 on. For others it rejects the read or a filter."""


def misfit(stored: Iterable[pa.Field], wanted: Iterable[pa.Field]) -> str | None:
    """Return a description of a column that Spark does not read from files as `Split.read` does; None if all fit.

    Columns match by name. A column whose name differs only in case is another column, although Spark would read it.

    Args:
        stored: The columns of the files.
        wanted: The columns to read.
    """
    types = {field.name: field.type for field in stored}
    folded = {name.lower() for name in types}
    for field in wanted:
        type_ = types.get(field.name)
        if type_ is None:
            if field.name.lower() in folded:
                return f"column '{field.name}' under a name that differs in case"
        elif not _fits(type_, field.type):
            since = "" if (type_, field.type) not in _WIDER_NUMBERS else ", which Spark reads itself since 4.0"
            return f"column '{field.name}' stored as {_short(type_)} and read as {_short(field.type)}{since}"
    return None


def unreadable_instants(
    storage: Storage, timeline: Timeline, splits: Iterable[Split], wanted: pa.Schema
) -> dict[str, str]:
    """Return the instants of base files from which Spark cannot read the wanted columns, each with a reason.

    The schema of a file is that of its commit. If the commit was archived or has no schema, the schema is read from the
    footer of one of its files, for at most `MOST_FOOTERS` commits, which takes little time. Files of older commits
    without a known schema are assumed to be readable; if they are not, Spark raises an error.

    Raises:
        CorruptTableError: A file is damaged or missing.
    """
    files = {split.file_slice.base_instant: split.path for split in splits if split.path is not None}
    texts = {i.time: text for i in timeline.commits if (text := timeline.commit_outline(i).schema)}
    by_text = {text: _misfit_of(text, wanted) for text in {texts[time] for time in files if time in texts}}
    found = {time: by_text[texts[time]] for time in files if time in texts}
    for time in sorted(files.keys() - texts.keys())[-MOST_FOOTERS:]:
        with open_base_file(storage, files[time]) as file:
            found[time] = misfit(file.schema_arrow, wanted)
    return {time: reason for time, reason in found.items() if reason is not None}


def _misfit_of(text: str, wanted: pa.Schema) -> str | None:
    try:
        return misfit(columns_of(text), wanted)
    except SchemaError:
        return "a schema that cannot be decoded"


def _short(type_: pa.DataType) -> str:
    """Return the name of a type; for a nested type, whose name is long, only its kind."""
    return str(type_).partition("<")[0]


def _fits(stored: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_struct(stored) and pa.types.is_struct(wanted):
        return misfit(stored, wanted) is None
    if pa.types.is_list(stored) and pa.types.is_list(wanted):
        return _fits(stored.value_type, wanted.value_type)
    if pa.types.is_map(stored) and pa.types.is_map(wanted):
        return _fits(stored.key_type, wanted.key_type) and _fits(stored.item_type, wanted.item_type)
    pair = (stored, wanted)
    return bool(stored == wanted) or pair in _SAME_BYTES or (pair in _WIDER_NUMBERS and WIDER_NUMBERS.is_available())
