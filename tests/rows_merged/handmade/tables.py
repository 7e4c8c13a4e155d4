"""Small tables for tests of one feature: short rows, numbered instants, and the rows of both readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.support.rows import hoodoo_rows, hudi_rows
from tests.support.versions import META

from .blocks import Delete, Wrapped
from .builder import Builder
from .columns import TYPES, Columns
from .instants import Operation, Written

__all__ = ["COLUMNS", "GROUP", "T", "Table", "built", "long", "seen", "shown", "wheel"]

Row = dict[str, Any]

COLUMNS: Columns = {"id": TYPES["string"], "ts": TYPES["long"], "v": TYPES["string"]}
GROUP = "0f9e8d7c-6b5a-4433-8211-00ffeeddccbb-0"


def T(number: int) -> str:  # noqa: N802 - it stands for the time in every test
    """Return the time of the instant with a number from 0 to 99."""
    return f"202401010000{number:02d}000"


def long(value: int) -> Wrapped:
    """Return an ordering value of the column `ts`."""
    return Wrapped(3, value)


def seen(path: Path, *columns: str, **query: Any) -> list[tuple[Any, ...]]:
    """Return the rows that hoodoo reads, sorted; by default the columns `id`, `ts` and `v`."""
    return shown(hoodoo_rows(path, **query), columns)


def wheel(path: Path, *columns: str, **options: Any) -> list[tuple[Any, ...]]:
    """Return the rows that the `hudi` package reads, in the form of `seen`."""
    return shown(hudi_rows(path, **options), columns)


def shown(rows: Iterable[Row], columns: Sequence[str] = ()) -> list[tuple[Any, ...]]:
    """Return the named columns of rows, sorted; by default the columns `id`, `ts` and `v`."""
    return sorted((tuple(row[name] for name in columns or ("id", "ts", "v")) for row in rows), key=repr)


class Table(Builder):
    """A table ordered by `ts`, by default with one file group, `GROUP`."""

    def __init__(self, path: Path, version: int, columns: Columns = COLUMNS, **settings: Any) -> None:
        super().__init__(path, version, columns, **{"ordering": "ts", **settings})
        self.slice = ""
        self._seqno = 0

    def row(self, time: str, *values: Any, partition: str = "", file_id: str = GROUP, **more: Any) -> Row:
        """Return a row with meta columns. `values` are those of the first columns, `more` has others by name."""
        self._seqno += 1
        row = {**dict.fromkeys(self.columns), **dict(zip(self.columns, values, strict=False)), **more}
        meta: tuple[str | None, ...] = (None, None, None, None, file_id)
        if self.meta:
            meta = (time, f"{time}_0_{self._seqno}", str(row["id"]), partition, file_id)
        return {**dict(zip(META, meta, strict=True)), **row}

    def write_base(self, number: int, *rows: Sequence[Any], file_id: str = GROUP, partition: str = "") -> Written:
        """Write a commit with a base file at an instant, completed before the next one."""
        time = T(number)
        found = [self.row(time, *row, partition=partition, file_id=file_id) for row in rows]
        file = self.base(partition, file_id, time, found)
        self.commit("commit", time, f"{time[:-3]}500", [file])
        self.slice = time
        return file

    def write_log(
        self, number: int, *entries: Sequence[Any] | Delete | bytes, file_id: str = GROUP, partition: str = "",
        version: int | None = None, completed: str | None = "",
    ) -> Written:  # fmt: skip
        """Write a delta commit at an instant, by default completed before the next one; None leaves it pending.

        Each entry becomes a block: a row, a delete, or a block as it is.
        """
        time = T(number)
        blocks = []
        for entry in entries:
            if isinstance(entry, Delete):
                blocks.append(self.deletes(time, [entry]))
            elif isinstance(entry, bytes):
                blocks.append(entry)
            else:
                blocks.append(self.avro(time, [self.row(time, *entry, partition=partition, file_id=file_id)]))
        file = self.put_log(number, blocks, version, file_id=file_id, partition=partition)
        if completed is None:
            self.timeline.begin("deltacommit", time)
        else:
            self.commit("deltacommit", time, completed or f"{time[:-3]}500", [file])
        return file

    def put_log(
        self, number: int, blocks: Sequence[bytes], version: int | None = None, *, file_id: str = GROUP,
        partition: str = "", token: str = "0-0-0",
    ) -> Written:  # fmt: skip
        """Write a log file of an instant, without a commit, named as the table version requires.

        Without `version`, the version of the log in its name is `number` in table version 6, and 1 in later versions.
        """
        self.slice = self.slice or T(number)
        instant = self.slice if self.version == 6 else T(number)
        if version is None:
            version = number if self.version == 6 else 1
        return self.log(partition, file_id, instant, blocks, version, token)

    def plan_compaction(self, number: int, base: int | None, file_id: str = GROUP, partition: str = "") -> None:
        """Write a pending compaction at an instant; new logs of version 6 are named after it.

        `base` is the number of the instant of the base file, None if the group has only logs.
        """
        name = None if base is None else f"{file_id}_0-0-0_{T(base)}.parquet"
        operation = Operation(partition, file_id, T(base or number), name)
        self.request_compaction(T(number), [operation])
        self.slice = T(number)

    def write_compaction(self, number: int, completed: int, *rows: Row, partition: str = "") -> Written:
        """Complete a planned compaction with a base file of rows with their meta columns, and return the file."""
        file = self.base(partition, GROUP, T(number), rows)
        self.commit("commit", T(number), T(completed), [file], operation="COMPACT", begun=True)
        return file


def built(path: Path, version: int, base: Any, logs: Any, columns: Any = COLUMNS, **settings: Any) -> Table:
    """Write a table with a base file, unless `base` is None, and a delta commit for each list of entries in `logs`."""
    table = Table(path, version, columns, **settings)
    if base is not None:
        table.write_base(1, *base)
    for number, entries in enumerate(logs, start=2):
        table.write_log(number, *entries)
    return table
