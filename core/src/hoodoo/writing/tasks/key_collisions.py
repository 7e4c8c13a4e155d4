"""Detection of different values under one record key or partition path, in a batch and against stored rows."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, field
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.merge.match import pairs
from hoodoo.merge.plugin_checks import GuardedKeyGenerator
from hoodoo.record import KeyConfig, Records, Source
from hoodoo.schema.columns import column_at, decoded, one_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan
from hoodoo.writing.tasks.stored_rows import rows_under

__all__ = ["Collisions", "check_origins"]

SHOWN_CHARACTERS = 100

Rows = NDArray[np.int64]
Qualifiers: TypeAlias = "pa.Array | None"
Qualify = Callable[[pa.Table, KeyConfig], Qualifiers]

_ONE_RECORD = (
    "Hudi writes both alike, so that their rows would be one record; change the values or the key columns, or set "
    "'allow_key_collisions' to true if you want one record"
)
_ONE_FOLDER = (
    "Hudi writes both alike, so that their rows would share a folder, and be one record if their record keys are "
    "equal; change the values, create the table with 'url_encode' if they contain slashes, or set "
    "'allow_key_collisions' to true if you want one folder"
)


@define
class Collisions:
    """Comparison of rows of equal keys by the qualifiers of the key generator, if it has any.

    Nothing is compared in a write that allows collisions. Usually no value has a qualifier, and the comparison only
    scans the bytes of the key columns.
    """

    plan: TaskPlan
    _generator: GuardedKeyGenerator = field(init=False)
    _source: weakref.ref[Source] | None = field(init=False, default=None)
    _qualifiers: tuple[Qualifiers, Qualifiers] = field(init=False, default=(None, None))
    _takes_rows: bool = field(init=False, default=False)

    @_generator.default
    def _made(self) -> GuardedKeyGenerator:
        return self.plan.keys.make_generator()

    def check_batch(self, rows: pa.Table, keys: pa.Array) -> None:
        """Compare the rows of a batch that have equal record keys.

        Args:
            rows: Rows that are merged by their record key: those of one partition, or of all partitions with a global
                index.
            keys: Their record keys.

        Raises:
            DataError: Rows of one record key have different values in the key columns (code `key_collision`).
        """
        qualifiers = None if self.plan.keys.may_collide else self._generator.key_qualifiers(rows, self.plan.keys.config)
        if qualifiers is None or qualifiers.null_count == len(qualifiers):
            return
        doubtful = pc.is_in(keys, value_set=keys.filter(qualifiers.is_valid()).unique())
        places = np.flatnonzero(doubtful.to_numpy(zero_copy_only=False))
        suspects = pa.array(places)
        found = _differing(keys.take(suspects), qualifiers.take(suspects))
        if found is not None:
            first, second, count = found
            here, there = int(places[first]), int(places[second])
            names = self.plan.keys.config.record_key
            raise DataError(
                f"rows with different values in the record key columns have the same record key, in {count} "
                f"case{'' if count == 1 else 's'}: {_values(rows, here, names)} and {_values(rows, there, names)} "
                f"have {_quoted(keys[here])}; {_ONE_RECORD}",
                code="key_collision",
            )

    def origin(self, partition: str, rows: pa.Table) -> tuple[str | None, str] | None:
        """Return the qualifier of a partition path (None without one), and the text of its partition values.

        The result is None if there is nothing to compare.

        Args:
            partition: The partition path of the rows.
            rows: Rows of a batch. With a global index, rows whose own path is another one are left out.

        Raises:
            DataError: Different values of the partition columns share the path (code `path_collision`).
        """
        by = self.plan.keys.config.partition_columns
        if self.plan.keys.may_collide or not by or not self._generator.qualifies_paths:
            return None
        rows = rows.select([name for name in self._columns if name in rows.column_names])
        if self.plan.spans_partitions:
            rows = rows.filter(pc.equal(self._generator.partition_paths(rows, self.plan.keys.config), partition))
        if not rows.num_rows:
            return None
        qualifiers = self._generator.path_qualifiers(rows, self.plan.keys.config)
        if qualifiers is None:
            return None, _values(rows, 0, by)
        found = _differing(pa.repeat(partition, rows.num_rows), qualifiers)
        if found is not None:
            raise _shared_path(partition, *(_values(rows, row, by) for row in found[:2]))
        return qualifiers[0].as_py(), _values(rows, 0, by)

    def check_matched(self, partition: str, stored: pa.Table, rows: Rows, newer: Records, partners: Rows) -> None:
        """Compare stored rows with the incoming records of equal record keys.

        Args:
            partition: The partition path of the stored rows.
            stored: Stored rows, with record key and key columns.
            rows: The positions of the stored rows with the key of a record.
            newer: Incoming records.
            partners: The position of the record for each of `rows`.

        Raises:
            DataError: The key columns of a stored row have other values than those of its record (code
                `key_collision`); or, without a global index, the partition columns have (code `path_collision`).
        """
        generator = self._generator
        if self.plan.keys.may_collide or not len(rows) or not (generator.qualifies_keys or generator.qualifies_paths):
            return
        incoming, config = newer.rows[partners], self.plan.keys.config
        keys, paths = self._of(newer.source)
        known = pa.table({name: decoded(one_array(stored.column(name))) for name in (RECORD_KEY, *self._columns)})
        found = _differing_pairs(keys, incoming, self._of_stored(generator.key_qualifiers, known, rows))
        if len(found):
            differing = known.take(pa.array(rows[found])).combine_chunks()
            same = _true(pc.equal(generator.record_keys(differing, config), one_array(differing.column(RECORD_KEY))))
            self._refuse(differing.filter(pa.array(same)), newer.source.table, incoming[found[same]], by_path=None)
        if self.plan.spans_partitions:
            return
        found = _differing_pairs(paths, incoming, self._of_stored(generator.path_qualifiers, known, rows))
        if len(found):
            differing = known.take(pa.array(rows[found])).combine_chunks()
            same = _true(pc.equal(generator.partition_paths(differing, config), partition))
            self._refuse(differing.filter(pa.array(same)), newer.source.table, incoming[found[same]], by_path=partition)

    def check_unread(self, storage: Storage, partition: str, ref: SliceRef, newer: Records) -> None:
        """Compare records with the rows of their keys in a slice that the write does not read otherwise.

        Rows are read only for records with a qualifier. A stored row with a qualifier is therefore not compared with a
        record that has none.

        Raises:
            DataError: The values differ, with the codes of `check_matched`.
        """
        if self.plan.keys.may_collide or not len(newer) or not ref.is_stored:
            return
        given = [of.is_valid() for of in self._of(newer.source) if of is not None]
        if not given:
            return
        qualified = np.zeros(len(newer.source), dtype=bool)
        for mask in given:
            qualified |= mask.to_numpy(zero_copy_only=False)
        chosen = np.flatnonzero(qualified[newer.rows])
        if len(chosen):
            records = newer.take(chosen)
            stored = rows_under(self.plan, storage, partition, ref, records.keys, self._columns)
            rows, partners = pairs(one_array(stored.column(RECORD_KEY)), records.keys)
            self.check_matched(partition, stored, rows, records, partners)

    @property
    def _columns(self) -> list[str]:
        """Return the names of the columns of the table from which keys and paths are made."""
        named = (*self.plan.keys.config.record_key, *self.plan.keys.config.partition_columns)
        roots = dict.fromkeys(name if name in self.plan.table.schema.names else name.split(".")[0] for name in named)
        return [name for name in roots if name in self.plan.table.schema.names]

    def _of(self, source: Source) -> tuple[Qualifiers, Qualifiers]:
        """Return the qualifiers of incoming versions; they are computed once for all file groups of these versions."""
        if self._source is None or self._source() is not source:
            rows = source.table
            paths = None if self.plan.spans_partitions else self._generator.path_qualifiers(rows, self.plan.keys.config)
            self._qualifiers = self._generator.key_qualifiers(rows, self.plan.keys.config), paths
            self._source = weakref.ref(source)
        return self._qualifiers

    def _of_stored(self, qualify: Qualify, stored: pa.Table, rows: Rows) -> Qualifiers:
        """Return the qualifiers of the stored rows at the positions `rows`; None if there are none.

        Most batches have none, and scanning a whole batch costs less than selecting rows of it. After a batch with
        qualifiers, the rows are selected first, because computing the qualifiers of the other rows would cost more.
        """
        if self._takes_rows:
            return qualify(stored.take(pa.array(rows)).combine_chunks(), self.plan.keys.config)
        found = qualify(stored, self.plan.keys.config)
        if found is None:
            return None
        self._takes_rows = True
        return found.take(pa.array(rows))

    def _refuse(self, stored: pa.Table, rows: pa.Table, incoming: Rows, *, by_path: str | None) -> None:
        """Raise `DataError` for pairs of a stored row and an incoming row, if there are any."""
        if not stored.num_rows:
            return
        here = int(incoming[0])
        key = f"the record key {_quoted(stored.column(RECORD_KEY)[0])}"
        if by_path is None:
            what, names, shared, advice = "record key", self.plan.keys.config.record_key, key, _ONE_RECORD
        else:
            what, names = "partition", self.plan.keys.config.partition_columns
            shared, advice = f"{key} and the partition path {by_path!r}", _ONE_FOLDER
        raise DataError(
            f"incoming rows would change stored rows that have other values in the {what} columns, in "
            f"{stored.num_rows} case{'' if stored.num_rows == 1 else 's'}: {_values(rows, here, names)} in a row, and "
            f"{_values(stored, 0, names)} in the table, have {shared}; {advice}",
            code="key_collision" if by_path is None else "path_collision",
        )


def check_origins(statuses: Iterable[FileStatus]) -> None:
    """Compare the partition values that the tasks of a write report for each partition path.

    Raises:
        DataError: Different values of the partition columns share a path (code `path_collision`).
    """
    origins: dict[str, tuple[str | None, str]] = {}
    for status in statuses:
        if status.origin is None:
            continue
        qualifier, values = origins.setdefault(status.partition, status.origin)
        if qualifier != status.origin[0]:
            raise _shared_path(status.partition, values, status.origin[1])


def _shared_path(partition: str, first: str, second: str) -> DataError:
    return DataError(
        f"rows with different values in the partition columns have the same partition path: {first} and {second} have "
        f"{partition!r}; {_ONE_FOLDER}",
        code="path_collision",
    )


def _differing(keys: pa.Array, qualifiers: pa.Array) -> tuple[int, int, int] | None:
    """Return the first two rows of a key whose qualifiers differ, and the number of such keys; None without any."""
    codes = keys.dictionary_encode().indices.to_numpy(zero_copy_only=False)
    kinds = qualifiers.dictionary_encode(null_encoding="encode").indices.to_numpy(zero_copy_only=False)
    order = np.lexsort((np.arange(len(codes)), kinds, codes))
    code, kind = codes[order], kinds[order]
    at = np.flatnonzero((code[1:] == code[:-1]) & (kind[1:] != kind[:-1]))
    if not len(at):
        return None
    first, second = sorted(order[[at[0], at[0] + 1]].tolist())
    return first, second, len(np.unique(code[at]))


def _differing_pairs(qualifiers: Qualifiers, rows: Rows, stored: Qualifiers) -> Rows:
    """Return the positions of the pairs of an incoming row and a stored row whose qualifiers differ."""
    if qualifiers is None and stored is None:
        return np.empty(0, dtype=np.int64)
    none = pa.nulls(len(rows), pa.string())
    mine = none if qualifiers is None else qualifiers.take(pa.array(rows))
    theirs = none if stored is None else stored
    differ = pc.or_(pc.xor(mine.is_null(), theirs.is_null()), pc.fill_null(pc.not_equal(mine, theirs), False))
    return np.flatnonzero(_true(differ))


def _true(mask: pa.Array) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = pc.fill_null(mask, False).to_numpy(zero_copy_only=False)
    return found


def _values(rows: pa.Table, row: int, names: Iterable[str]) -> str:
    """Format the values of the named columns in one row, for a message."""
    columns = {name: column_at(rows, name) for name in names}
    return ", ".join(f"{name}={_quoted(column[row])}" for name, column in columns.items() if column is not None)


def _quoted(value: Any) -> str:
    found = value.as_py()
    text = "null" if found is None else repr(found) if isinstance(found, str) else str(found)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
