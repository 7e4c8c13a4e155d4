"""A table with a metadata table that the crate hudi-core and hoodoo write, the rows it must have, and its checks.

A dict predicts the rows, and Python functions the rows of filters.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from attrs import define, frozen

import hoodoo
from tests.interop.comparing import difference
from tests.interop.processes.native_side import Filter, NativeSide

from .test_turns import OPERATIONS
from .written_table import WrittenTable

__all__ = ["Form", "NativeTable", "Writer"]

Writer = Literal["native", "hoodoo"]

PARTITIONS = ("files", "column_stats", "partition_stats", "record_index")
"""Partitions of the metadata table: those that the crate writes."""
SERVICES: Mapping[str, Any] = {
    "clean_after_commits": 2,
    "commits_retained": 2,
    "keep_min_commits": 4,
    "keep_max_commits": 5,
    "metadata_compact_after_commits": 4,
}
"""Options with which hoodoo's services run often: all of them happen in a history."""
NATIVE_SERVICES: Mapping[str, str] = {
    "hoodie.keep.min.commits": "4",
    "hoodie.keep.max.commits": "6",
    "hoodie.metadata.compact.max.delta.commits": "5",
}
"""Options with which the crate's services run often; the crate never cleans."""
NATIVE_OPERATIONS = tuple(name for name in OPERATIONS if name in ("upsert", "late", "delete"))
"""Operations that the crate executes."""
Keep = Callable[[Mapping[str, Any]], bool]
LITERALS: Mapping[str, Callable[[Any], str]] = {
    "v": str,
    "big": str,
    "s": str,
    "day": str,
    "dec": str,
}
"""Texts of the crate for the values of columns with statistics; it cannot cast texts to timestamps with a time zone."""


@frozen
class Form:
    """Kind of a table.

    Attributes:
        type_: The table type, `COPY_ON_WRITE` or `MERGE_ON_READ`.
        version: The table version, such as 9.
        creator: The writer that creates the table and writes its first rows.
    """

    type_: str
    version: int
    creator: Writer = "hoodoo"

    @property
    def partitions(self) -> set[str]:
        """Return the partitions of the metadata table."""
        return set(PARTITIONS) - ({"partition_stats"} if self.version == 6 else set())

    def __str__(self) -> str:
        return f"{self.type_}-{self.version}-{self.creator}"


def filters_of(rows: Sequence[Mapping[str, Any]], number: int) -> list[tuple[list[Filter], Keep]]:
    """Return conditions of the crate for the rows after a turn, with a function for the rows that they keep."""
    chance = random.Random(number)
    one, two = (chance.choice(rows) for _ in range(2))
    key, other, part, ts = one["id"], two["id"], one["part"], two["ts"]
    kept: list[tuple[list[Filter], Keep]] = [
        ([("id", "=", key)], lambda row: row["id"] == key),
        ([("_hoodie_record_key", "=", key)], lambda row: row["id"] == key),
        ([("id", "IN", f"{key},{other},absent")], lambda row: row["id"] in (key, other)),
        ([("id", "=", key), ("ts", "<", str(ts))], lambda row: row["id"] == key and row["ts"] < ts),
        ([("ts", "=", str(ts))], lambda row: row["ts"] == ts),
        ([("ts", ">", str(number - 2))], lambda row: row["ts"] > number - 2),
        ([("ts", "<=", str(number // 2))], lambda row: row["ts"] <= number // 2),
        ([("part", "=", part), ("ts", "<", str(ts))], lambda row: row["part"] == part and row["ts"] < ts),
    ]
    for column in sorted(LITERALS):
        values = [row[column] for row in rows if row[column] is not None]
        if values:
            bound, least = chance.choice(values), min(values)
            kept.append(([(column, ">=", LITERALS[column](bound))], _at_least(column, bound)))
            kept.append(([(column, "=", LITERALS[column](least))], _equal(column, least)))
    return kept


def _at_least(column: str, value: Any) -> Keep:
    return lambda row: row[column] is not None and bool(row[column] >= value)


def _equal(column: str, value: Any) -> Keep:
    return lambda row: bool(row[column] == value)


@define
class NativeTable(WrittenTable):
    """Table that the crate and hoodoo write, with its predicted rows.

    Attributes:
        form: The kind of the table.
        native: The process of the crate.
        dropped: Columns of the batches of the history that the table does not have.
        skipped: The number of filters for which the crate skipped file slices.
        without_files: The number of look-ups of an absent key for which the crate read no file.
    """

    form: Form
    native: NativeSide
    dropped: tuple[str, ...] = ()
    skipped: int = 0
    without_files: int = 0

    def write(self, writer: Writer) -> None:
        """Let a writer execute the next operation of the history, which changes the predicted rows."""
        number = len(self.turns) + 1
        operation, rows = self.history.turn(number, NATIVE_OPERATIONS if writer == "native" else OPERATIONS)
        rows = rows.drop_columns(list(self.dropped))
        batch = rows.select(["id", "part", "ts"]).to_pylist()
        self.turns.append(f"{number}: {writer} {operation} {batch}")
        if writer == "hoodoo":
            hoodoo.write(rows, self.path, {**self._options(), "operation": operation})
            return
        if not self.path.exists():
            self._create()
        if operation == "delete":
            answer = self.native.delete(self.path, rows["id"].to_pylist(), self._native_options())
            assert answer["deletes"] == rows.num_rows, self.told
        else:
            self.native.upsert(self.path, rows, self._native_options())
        assert self.native.warnings == [], self.told

    def check(self) -> None:
        """Check each entry of the metadata table, and the rows that hoodoo reads with it and without it."""
        self.check_entries()
        table = hoodoo.Table(self.path)
        for metadata_table in (True, False):
            rows = table.to_arrow(columns=["id", "part", "ts"], metadata_table=metadata_table).to_pylist()
            assert {row["id"]: (row["part"], row["ts"]) for row in rows} == self.history.rows, self.told
            assert len(rows) == len(self.history.rows), self.told
        assert set(table.properties.metadata_partitions) == self.form.partitions, self.told

    def check_by_native(self) -> None:
        """Check the rows that the crate reads with the metadata table and without it, and by filters."""
        rows = hoodoo.Table(self.path).to_arrow()
        found, slices = self.native.read(self.path)
        assert not difference(rows, found), self.told
        assert self.native.warnings == [], self.told
        plain = self._without_metadata()
        assert not difference(rows, self.native.read(plain)[0]), f"without the metadata table\n{self.told}"
        listed = rows.to_pylist()
        for conditions, keep in filters_of(listed, len(self.turns)) if listed else []:
            wanted = sorted(row["id"] for row in listed if keep(row))
            for path in (self.path, plain):
                kept, opened = self.native.read(path, conditions)
                assert sorted(kept["id"].to_pylist()) == wanted, f"{path.name} {conditions}\n{self.told}"
                assert opened <= slices, f"{conditions}\n{self.told}"
                assert self.native.warnings == [], f"{conditions}\n{self.told}"
                self.skipped += path == self.path and opened < slices
        absent, opened = self.native.read(self.path, [("id", "=", "k1x")])
        assert absent.num_rows == 0, self.told
        self.without_files += opened == 0
        shutil.rmtree(plain)

    def _without_metadata(self) -> Path:
        """Return the path of a copy of the table without a metadata table, so that the crate lists its folders."""
        copy = self.folder / "copy"
        shutil.copytree(self.path, copy)
        hoodoo.Table(copy).drop_indexes(*self.form.partitions)
        return copy

    def _create(self) -> None:
        enabled = dict.fromkeys(("metadata", "record_index", "column_stats", "partition_stats"), True)
        fields = {"key": ["id"], "partition": ["part"], "ordering": ["ts"]}
        self.native.create(
            self.path, name="native", type=self.form.type_, version=self.form.version, **fields, **enabled
        )

    def _options(self) -> dict[str, Any]:
        options = dict(SERVICES)
        if not self.path.exists():
            options |= {
                "table_name": "native",
                "record_key": "id",
                "ordering": "ts",
                "partition_by": "part",
                "table_type": self.form.type_,
                "table_version": self.form.version,
                "hoodie.metadata.enable": "true",
                "hoodie.metadata.index.column.stats.enable": "true",
                "hoodie.metadata.record.index.enable": "true",
            }
            if "partition_stats" in self.form.partitions:
                options["hoodie.metadata.index.partition.stats.enable"] = "true"
        if self.form.type_ == "MERGE_ON_READ":
            options |= {"compact_inline": True, "compact_after_commits": 3}
        return options

    def _native_options(self) -> dict[str, str]:
        options = dict(NATIVE_SERVICES)
        if self.form.type_ == "MERGE_ON_READ":
            options |= {"hoodie.compact.inline": "true", "hoodie.compact.inline.max.delta.commits": "4"}
        return options
