"""Check for columns that Hudi's schema evolution on read renamed.

With `hoodie.schema.on.read.enable`, Hudi identifies columns by ids and does not rewrite files, so that older files use
the old names. hoodoo identifies columns by name: a renamed column would be null, and a column with the name of a
dropped one would have its values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from operator import attrgetter
from typing import TypeVar

import msgspec

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup import FileSlice
from hoodoo.reading.schema.table_schema import commit_schemas
from hoodoo.storage import Storage, name_of
from hoodoo.timeline import Timeline

__all__ = ["check_renamed"]

_T = TypeVar("_T")
_CURRENT = "latest_schema"
_FOLDER = ".hoodie/.schema"
_COMPLETED = ".schemacommit"


class _Type(msgspec.Struct):
    """A record, a list or a map, with the JSON keys that Hudi uses for them."""

    fields: tuple[_Column, ...] = ()
    element: str | _Type = ""
    element_id: int = -1
    key: str | _Type = ""
    key_id: int = -1
    value: str | _Type = ""
    value_id: int = -1

    def ids(self, above: str = "") -> Iterator[tuple[str, int]]:
        """Yield the full names of all columns in the type with their ids, parents before children."""
        for column in self.fields:
            yield from _ids(above + column.name, column.id, column.type)
        for name, id_, type_ in (
            ("element", self.element_id, self.element),
            ("key", self.key_id, self.key),
            ("value", self.value_id, self.value),
        ):
            if type_:
                yield from _ids(above + name, id_, type_)


class _Column(msgspec.Struct):
    id: int
    name: str
    type: str | _Type


class _Version(_Type):
    """Columns of the files that are written from an instant on, which is the version id."""

    version_id: int = 0


class _History(msgspec.Struct):
    schemas: tuple[_Version, ...]


def check_renamed(storage: Storage, timeline: Timeline, columns: Iterable[str], slices: Iterable[FileSlice]) -> None:
    """Check that the files of slices have the columns to read under the names that the table has now.

    Args:
        storage: The table's files.
        timeline: The timeline. Its last commit with a schema contains the current ids of columns.
        columns: The names of the columns to read.
        slices: The file slices to read.

    Raises:
        UnsupportedTable: A column was renamed after one of the files was written, or has the name of a column that
            was dropped after that.
        CorruptTableError: Hudi's history of the schema is damaged.
    """
    newest, _ = next(commit_schemas(timeline), (None, ""))
    if newest is None or not (text := timeline.commit_outline(newest).extra_metadata.get(_CURRENT)):
        return
    current = _decoded(text.encode(), _Version, timeline.path_of(newest))
    older = {int(time) for file_slice in slices for time in _instants(file_slice)}
    older = {time for time in older if time < current.version_id}
    if not older:
        return
    wanted = frozenset(columns)
    now = {name: id_ for name, id_ in current.ids() if name.partition(".")[0] in wanted}
    for then in _versions_of(storage, older):
        _check(now, dict(then.ids()), current.version_id)


def _check(now: Mapping[str, int], then: Mapping[str, int], since: int) -> None:
    names = {id_: name for name, id_ in then.items()}
    for name, id_ in now.items():
        if names.get(id_, name) != name:
            change = f"column '{name}' was called '{names[id_]}'"
        elif then.get(name, id_) != id_:
            change = f"column '{name}' has the name of a column that was dropped"
        else:
            continue
        raise UnsupportedTable(
            f"{change} in files that were written before {since}, and hoodoo finds columns by their names; leave the "
            "column out (option 'columns'), or rewrite these files with Hudi, for example by clustering",
            code="renamed_column",
        )


def _versions_of(storage: Storage, times: Iterable[int]) -> list[_Version]:
    """Return the versions of the schema with which files of these instants were written.

    Raises:
        CorruptTableError: The versions are lost.
    """
    kept = sorted(info.path for info in storage.list(_FOLDER) if info.path.endswith(_COMPLETED))
    # each file also contains all earlier versions
    history = _decoded(storage.read(kept[-1]), _History, kept[-1]).schemas if kept else ()
    if not history:
        raise CorruptTableError(
            f"'{_FOLDER}' lacks the names of columns in older files, and the last commit has ids of columns; "
            "restore the folder",
            file=kept[-1] if kept else _FOLDER,
        )
    versions = sorted(history, key=attrgetter("version_id"))
    starts = [version.version_id for version in versions]
    # files from before the first version have its names
    return [versions[number] for number in {max(0, bisect_right(starts, time) - 1) for time in times}]


def _instants(file_slice: FileSlice) -> Iterator[str]:
    if file_slice.path is not None:
        yield file_slice.base_instant
    for log in file_slice.logs:
        yield from log.commits or (log.instant,)


def _ids(name: str, id_: int, type_: str | _Type) -> Iterator[tuple[str, int]]:
    yield name, id_
    if isinstance(type_, _Type):
        yield from type_.ids(f"{name}.")


def _decoded(body: bytes, type_: type[_T], file: str) -> _T:
    try:
        return msgspec.json.decode(body, type=type_)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise CorruptTableError(
            f"the ids of columns in '{name_of(file)}' cannot be read: {error}; restore the file", file=file
        ) from error
