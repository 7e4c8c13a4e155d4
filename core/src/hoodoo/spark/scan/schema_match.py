"""Which base files Spark's Parquet reader reads as the table's schema says, told by the schemas of their commits."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from hoodoo.errors import SchemaError
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.reading import Split
from hoodoo.schema.consistency import columns_of
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["fits", "misfits"]

MOST_FOOTERS = 64

_READ_AS = {
    (pa.int32(), pa.int64()),
    (pa.int32(), pa.float64()),
    (pa.float32(), pa.float64()),
    (pa.string(), pa.binary()),
    (pa.binary(), pa.string()),
}
"""Types that Spark widens while it reads; others it refuses, or refuses some filters on them."""


def fits(stored: Iterable[pa.Field], wanted: Iterable[pa.Field]) -> bool:
    """Whether Spark reads the wanted columns from files with the stored ones as `Split.read` does.

    Spark takes columns by name, and so it does here, but for a name that differs by case only: Spark reads that column
    too, and it is another one.
    """
    types = {field.name: field.type for field in stored}
    folded = {name.lower() for name in types}
    for field in wanted:
        type_ = types.get(field.name)
        if type_ is None:
            if field.name.lower() in folded:
                return False
        elif not _fits(type_, field.type):
            return False
    return True


def misfits(storage: Storage, timeline: Timeline, splits: Iterable[Split], wanted: pa.Schema) -> frozenset[str]:
    """The instants of base files from which Spark does not read the wanted columns.

    The commit of a file says what is in it. Where it was archived, the footer of one of its files does, for so many
    commits that it costs next to nothing; files of others are taken to fit: Spark refuses those that do not.

    Raises:
        CorruptTableError: a file is damaged or gone.
    """
    files = {split.file_slice.base_instant: split.path for split in splits if split.path is not None}
    texts = {i.time: text for i in timeline.commits if (text := timeline.commit_outline(i).schema)}
    fit = {text: _text_fits(text, wanted) for text in {texts[time] for time in files if time in texts}}
    found = {time for time in files if time in texts and not fit[texts[time]]}
    for time in sorted(files.keys() - texts.keys())[-MOST_FOOTERS:]:
        with open_base_file(storage, files[time]) as file:
            if not fits(file.schema_arrow, wanted):
                found.add(time)
    return frozenset(found)


def _text_fits(text: str, wanted: pa.Schema) -> bool:
    try:
        return fits(columns_of(text), wanted)
    except SchemaError:
        return False


def _fits(stored: pa.DataType, wanted: pa.DataType) -> bool:
    if pa.types.is_struct(stored) and pa.types.is_struct(wanted):
        return fits(stored, wanted)
    if pa.types.is_list(stored) and pa.types.is_list(wanted):
        return _fits(stored.value_type, wanted.value_type)
    if pa.types.is_map(stored) and pa.types.is_map(wanted):
        return _fits(stored.key_type, wanted.key_type) and _fits(stored.item_type, wanted.item_type)
    return bool(stored == wanted) or (stored, wanted) in _READ_AS
