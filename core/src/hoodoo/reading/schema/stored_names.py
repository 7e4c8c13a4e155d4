"""Names of columns in files that are older than a change by Hudi's schema evolution on read.

With `hoodie.schema.on.read.enable`, Hudi identifies columns by ids and does not rewrite files. An older file stores a
renamed column under its old name, and a dropped column under a name that another column may have now.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import TypeVar

import msgspec
import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.filegroup import FileSlice
from hoodoo.properties import TableProperties
from hoodoo.schema.column_ids import LATEST, ColumnIds, NestedColumns, decoded_history
from hoodoo.schema.struct_fields import ELEMENT, VALUE, named_type, relabelled
from hoodoo.storage import HOODIE_FOLDER, Storage, name_of
from hoodoo.timeline import Instant, Timeline

__all__ = [
    "HISTORY_FOLDER",
    "StoredNames",
    "current_columns",
    "fixed_columns",
    "history_instant",
    "newest_ids",
    "schema_history",
    "stored_columns",
]

_T = TypeVar("_T")

Names = Mapping[str, str]
"""Names in a file, by the names in the table, of columns and struct fields whose two names differ.

A field has a dotted path of names in the table, such as `s.f`, `list.element.f` or `map.value.f`. Its name in the file
has no path.
"""

HISTORY_FOLDER = f"{HOODIE_FOLDER}/.schema"
_COMPLETED = ".schemacommit"
_ABSENT = " (dropped)"
"""Suffix of the stored name of a missing column or field, which is read as null: no name in Avro has this suffix."""


@frozen
class StoredNames:
    """Names of columns in files that were written before a change of names, as values that a plan in JSON can contain.

    Attributes:
        since: The instant of the last change, as text, for messages; "" if there are no versions.
        starts: The first instants of the versions, as numbers.
        versions: The names in the files of each version of the schema, the oldest version first.
        known: By instant, the names in its files, if its commit states another version of the schema than the version
            that was valid at the time of the instant.
    """

    since: str = ""
    starts: tuple[int, ...] = ()
    versions: tuple[Names, ...] = ()
    known: Mapping[str, Names] = field(factory=dict, hash=False)

    @classmethod
    def of(
        cls, storage: Storage, timeline: Timeline, slices: Iterable[FileSlice], columns: Iterable[str]
    ) -> StoredNames:
        """Return the names in the files of slices; without versions if all files have the current names.

        Args:
            storage: The table's files.
            timeline: The timeline. Its last commit with ids has the current ids of columns.
            slices: The file slices that a query reads.
            columns: The columns of the table. Those without an id are new.

        Raises:
            CorruptTableError: Hudi's history of the schema is damaged or missing, or the ids in a commit are damaged.
        """
        instants = _instants(slices)
        # changes before the oldest file are irrelevant
        found = newest_ids(timeline, min(instants)) if instants else None
        if found is None:
            return cls()
        commit, current = found
        named = current.by_name
        # a writer without schema evolution on read writes no ids, and may add columns
        ids = {name: named.get(name) for name in columns}
        stated = dict(_stated(timeline, instants))
        if all(int(time) >= current.version for time in instants) and all(
            each.version == current.version for each in stated.values()
        ):
            return cls()
        history = schema_history(storage, timeline)
        versions = sorted(history, key=attrgetter("version"))
        starts = tuple(version.version for version in versions)
        if not versions:
            raise CorruptTableError(
                f"'{HISTORY_FOLDER}' lacks the names of columns in older files, and commit {commit.time} has ids of "
                "columns; restore the folder",
                file=HISTORY_FOLDER,
            )
        known = {
            time: _version(ids, current, each)
            for time, each in stated.items()
            if versions[_place(starts, time)].version != each.version
        }
        return cls(str(current.version), starts, tuple(_version(ids, current, each) for each in versions), known)

    def of_instant(self, instant: str) -> Names:
        """Return the names in files or log blocks of an instant that differ from those in the table."""
        known = self.known.get(instant)
        if known is not None:
            return known
        return self.versions[_place(self.starts, instant)] if self.starts else {}

    def other_names(self, instant: str) -> Names:
        """Return `of_instant` without the columns that the files of the instant do not have."""
        return {name: stored for name, stored in self.of_instant(instant).items() if not stored.endswith(_ABSENT)}

    def are_current(self, instant: str, columns: Iterable[str]) -> bool:
        """Return whether files of an instant store the columns, and their fields, under the names of the table."""
        names = self.of_instant(instant)
        return not names or {_root(path) for path in names}.isdisjoint(columns)

    @property
    def changed(self) -> frozenset[str]:
        """Return the columns that have another name in some file, or whose name belongs to another column there.

        Columns with a field that has another name or is missing in some file are included.
        """
        return frozenset(_root(path) for each in (*self.versions, *self.known.values()) for path in each)

    def check(self, columns: Collection[str], fixed: Collection[str], slices: Iterable[FileSlice]) -> None:
        """Raise if the files of slices cannot be read under the names that the table has now.

        Args:
            columns: The columns to read.
            fixed: Paths of columns or fields that must have their names in all files, such as those of keys.
            slices: The file slices to read.

        Raises:
            UnsupportedTable: A path in `fixed`, whose column is in `columns`, has another name in a file, or its name
                belongs to another column there.
        """
        if not self.versions and not self.known:
            return
        for time in sorted(_instants(slices)):
            names = self.of_instant(time)
            for path in fixed:
                parts = path.split(".")
                other = [at for end in range(1, len(parts) + 1) if (at := ".".join(parts[:end])) in names]
                if other and parts[0] in columns:
                    raise UnsupportedTable(
                        f"{_described(other[0], names[other[0]])} in files that were written before "
                        f"{self.since}, and hoodoo finds key columns and ordering columns by their names; leave the "
                        "column out (option 'columns'), or rewrite these files with Hudi, for example by clustering",
                        code="renamed_column",
                    )


def newest_ids(timeline: Timeline, since: str = "") -> tuple[Instant, ColumnIds] | None:
    """Return the newest commit with ids of columns, and the ids; None if no commit that is read has any.

    Args:
        timeline: The timeline.
        since: Commits of earlier instants are not read; "" to read all.

    Raises:
        CorruptTableError: A commit is damaged, or its ids cannot be read.
    """
    for instant in (each for each in reversed(timeline.commits) if each.time >= since):
        text = timeline.commit_outline(instant).extra_metadata.get(LATEST)
        if text:
            return instant, _decoded(ColumnIds.decoded, text, timeline.path_of(instant))
    return None


def schema_history(storage: Storage, timeline: Timeline) -> tuple[ColumnIds, ...]:
    """Return all versions of the schema up to the last commit of a timeline; none without a history.

    Raises:
        CorruptTableError: The newest file of the history cannot be read.
    """
    files = [info.path for info in storage.list(HISTORY_FOLDER) if info.path.endswith(_COMPLETED)]
    found = {history_instant(path): path for path in files}
    # a failed commit leaves its file behind
    times = [time for time in found if timeline.is_visible(time)]
    if not times:
        return ()
    # each file also contains all earlier versions
    path = found[max(times)]
    return _decoded(decoded_history, storage.read(path), path)


def history_instant(path: str) -> str:
    """Return the instant of a file in the folder of histories; the completion time follows it in timeline layout 2."""
    return name_of(path).partition(".")[0].partition("_")[0]


def fixed_columns(properties: TableProperties) -> frozenset[str]:
    """Return the paths of the columns of keys, partition paths and ordering values, whose names must not change."""
    return frozenset((*properties.record_key, *properties.partition_by, *properties.ordering))


def stored_columns(schema: pa.Schema, names: Names) -> pa.Schema:
    """Return the columns to read from a file, under the names that they have there."""
    if not names:
        return schema
    nested = _nested_roots(names)
    return pa.schema(
        [
            _stored_column(column, names) if column.name in nested else column.with_name(_own(column.name, names))
            for column in schema
        ]
    )


def current_columns(rows: Iterable[pa.Table], schema: pa.Schema, names: Names) -> Iterator[pa.Table]:
    """Return rows that were read with `stored_columns`, under the names of the table, which `schema` has."""
    if not names:
        return iter(rows)
    roots = _nested_roots(names)
    nested = [place for place, name in enumerate(schema.names) if name in roots]
    return (_current(batch, schema, nested) for batch in rows)


def _current(batch: pa.Table, schema: pa.Schema, nested: Sequence[int]) -> pa.Table:
    """Return a batch of rows under the names of the table; `nested` has the positions of nested columns to rename."""
    batch = batch.rename_columns(schema.names)
    for place in nested:
        column = schema.field(place)
        batch = batch.set_column(place, column, relabelled(batch.column(place), column.type))
    return batch


def _stored_column(column: pa.Field, names: Names) -> pa.Field:
    return column.with_name(_own(column.name, names)).with_type(named_type(column.type, column.name, names))


def _own(name: str, names: Names) -> str:
    return names.get(name, name)


def _root(path: str) -> str:
    return path.partition(".")[0]


def _nested_roots(names: Names) -> frozenset[str]:
    """Return the columns with a field that has another name in the file or is missing there."""
    return frozenset(_root(path) for path in names if "." in path)


def _stated(timeline: Timeline, times: Collection[str]) -> Iterator[tuple[str, ColumnIds]]:
    """Yield the ids in the commits of the given instants, by instant; commits without ids are skipped."""
    decoded: dict[str, ColumnIds] = {}
    for instant in timeline.commits:
        if instant.time in times and (text := timeline.commit_outline(instant).extra_metadata.get(LATEST)):
            if text not in decoded:
                decoded[text] = _decoded(ColumnIds.decoded, text, timeline.path_of(instant))
            yield instant.time, decoded[text]


def _place(starts: Sequence[int], instant: str) -> int:
    """Return the position of the version of files of an instant; files before the first version have that version."""
    return max(0, bisect_right(starts, int(instant)) - 1)


def _version(ids: Mapping[str, int | None], current: ColumnIds, then: ColumnIds) -> Names:
    """Return the names that files of a version have for the columns with the current ids, and for their fields."""
    stored, taken = {id_: name for name, id_ in then.by_name.items()}, then.by_name
    numbered = {column.name: column for column in current.columns.fields}
    earlier = {column.id: column for column in then.columns.fields}
    names: dict[str, str] = {}
    for name, id_ in ids.items():
        if id_ in stored:
            if stored[id_] != name:
                names[name] = stored[id_]
            names |= _inner_names(numbered[name].type, earlier[id_].type, name)
        elif name in taken:
            names[name] = f"{name}{_ABSENT}"
    return names


def _inner_names(current: str | NestedColumns, then: str | NestedColumns, path: str) -> dict[str, str]:
    """Return the names that fields of a type have in a version, where they differ. A field may also be missing there.

    A missing field is always in the result: Spark's reader returns null for a struct if the file has none of the
    fields that a query needs.
    """
    if not (isinstance(current, NestedColumns) and isinstance(then, NestedColumns)):
        return {}
    names: dict[str, str] = {}
    earlier = {column.id: column for column in then.fields}
    for column in current.fields:
        at, stored = f"{path}.{column.name}", earlier.get(column.id)
        if stored is None:
            names[at] = f"{column.name}{_ABSENT}"
            continue
        if stored.name != column.name:
            names[at] = stored.name
        names |= _inner_names(column.type, stored.type, at)
    names |= _inner_names(current.element, then.element, f"{path}.{ELEMENT}")
    return names | _inner_names(current.value, then.value, f"{path}.{VALUE}")


def _described(name: str, stored: str) -> str:
    if stored.endswith(_ABSENT):
        return f"column '{name}' has the name of a dropped column"
    return f"column '{name}' was called '{name[: name.rfind('.') + 1]}{stored}'"


def _instants(slices: Iterable[FileSlice]) -> set[str]:
    """Return the instants that wrote the files of slices."""
    found: set[str] = set()
    for file_slice in slices:
        if file_slice.path is not None:
            found.add(file_slice.base_instant)
        for log in file_slice.logs:
            found.update(log.commits or (log.instant,))
    return found


def _decoded(decode: Callable[..., _T], body: str | bytes, file: str) -> _T:
    try:
        return decode(body)
    except (msgspec.MsgspecError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise CorruptTableError(
            f"the ids of columns in '{name_of(file)}' cannot be read: {error}; restore the file", file=file
        ) from error
