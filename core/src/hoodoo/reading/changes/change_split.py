"""Splits of the format `cdc`: the changes of one commit to one file group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc
from attrs import field, frozen

from hoodoo.errors import CorruptTableError
from hoodoo.reading.changes.change_log import LoggedChanges, logged_changes
from hoodoo.reading.changes.change_table import DELETED, INSERTED, changes
from hoodoo.reading.changes.compared_rows import ComparedSide, compared, images
from hoodoo.reading.changes.json_text import structs
from hoodoo.reading.split import Split
from hoodoo.schema.columns import one_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.storage import Storage

__all__ = ["ChangeSplit"]


@frozen
class ChangeSplit(Split):
    """Changes of one commit to one file group, and everything that is needed to compute them.

    Attributes:
        instant: The instant of the commit.
        image: The columns of an image, which is a row before or after a change, without meta columns.
        before: The rows before the commit; None if the file group is new, or if the change logs have the images.
        after: The rows after the commit; None if the commit replaced the file group, or if the change logs have the
            images.
        logs: Table-relative paths of the change logs of the commit; if there are none, the changes are the
            differences of `before` and `after`.
        image_values: The values, from the partition path, of columns that the files lack.
    """

    instant: str = ""
    image: pa.Schema = field(factory=lambda: pa.schema([]))
    before: Split | None = None
    after: Split | None = None
    logs: tuple[str, ...] = ()
    image_values: Mapping[str, str | None] = field(factory=dict, hash=False)

    @property
    def is_plain(self) -> bool:
        """Return False, because the rows are computed."""
        return False

    @property
    def is_divisible(self) -> bool:
        """Return False, because the rows are computed."""
        return False

    @property
    def size(self) -> int:
        """Return the size of the files to read in bytes, without the change logs."""
        return sum(side.size for side in (self.before, self.after) if side is not None)

    def stored_rows(self) -> int:
        """Return 0: the number of changes is unknown."""
        return 0

    def _rows(self, storage: Storage) -> Iterator[pa.Table]:
        if self.logs:
            yield from self._logged(storage)
        elif self.before is None:
            for rows in _tables(self.after):
                yield changes(INSERTED, self.instant, None, images(rows))
        elif self.after is None:
            for rows in _tables(self.before):
                yield changes(DELETED, self.instant, images(rows), None)
        else:
            yield from compared(_versions(self.before), _versions(self.after), self.instant)

    def _logged(self, storage: Storage) -> Iterator[pa.Table]:
        read = logged_changes(storage, self.logs, self.instant, self.image, self.image_values)
        incomplete: list[tuple[LoggedChanges, pa.Array]] = []
        for logged in read:
            if logged.keys is None:
                yield changes(logged.operations, self.instant, logged.before, logged.after)
            else:
                incomplete.append((logged, logged.keys))
        if not incomplete:
            return
        wanted = pa.concat_arrays([keys for _, keys in incomplete])
        before, after = (_Side(split, wanted, self.logs[0]) for split in (self.before, self.after))
        for logged, keys in incomplete:
            old = before.images_of(logged.operations, keys, INSERTED) if logged.before is None else logged.before
            yield changes(logged.operations, self.instant, old, after.images_of(logged.operations, keys, DELETED))


class _Side:
    """Images before or after a commit that its change logs lack."""

    def __init__(self, split: Split | None, keys: pa.Array, log: str) -> None:
        tables = [rows.filter(pc.is_in(rows[RECORD_KEY], value_set=keys)) for rows in _tables(split)]
        rows = pa.concat_tables(tables) if tables else None
        self._images = None if rows is None else structs(images(rows))
        self._keys = pa.array([], pa.string()) if rows is None else one_array(rows[RECORD_KEY])
        self._log = log

    def images_of(self, operations: pa.Array, keys: pa.Array, without: str) -> pa.StructArray | None:
        """Return the image of each change; null where the operation is `without`, and None if the split has no batches.

        Raises:
            CorruptTableError: The file slice lacks a row that the change log names.
        """
        has_image = pc.not_equal(operations, without)
        places = pc.if_else(has_image, pc.index_in(keys, value_set=self._keys), pa.scalar(None, pa.int32()))
        lost = pc.and_(has_image, places.is_null())
        if pc.any(lost).as_py():
            key = keys.filter(lost)[0]
            raise CorruptTableError(
                f"change log '{self._log}' names record key '{key}', which its file slice does not have; "
                "restore the files",
                file=self._log,
            )
        return None if self._images is None else self._images.take(places)


def _versions(split: Split) -> ComparedSide:
    return ComparedSide(lambda: _tables(split), is_merged=split.merge is not None)


def _tables(split: Split | None) -> Iterator[pa.Table]:
    """Yield the rows of a split in batches; none if the split is None."""
    if split is not None:
        for batch in split.read():
            yield pa.Table.from_batches([batch])
