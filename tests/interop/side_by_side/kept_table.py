"""A table with a metadata table that Hudi and hoodoo write in turn, the rows that it must have, and its checks.

Each of the two keeps the metadata table current with all partitions that hoodoo keeps. Hudi finds the rows of its
upserts by the record index, so that a wrong location makes a duplicate, and applies filters with data skipping. A dict
predicts the rows, and Python functions the rows of the filters.
"""

from __future__ import annotations

import datetime
import json
import random
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import define, field, frozen

import hoodoo
from hoodoo.archived_timeline import load_timeline
from hoodoo.metadata_table import MetadataTable
from hoodoo.options import NoEffectWarning
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from tests.interop.comparing import difference, parquet_table
from tests.interop.conftest import Sides

from .test_turns import WRITE
from .written_table import WrittenTable

__all__ = ["FORMS", "Form", "KeptTable"]

Writer = Literal["hudi", "hoodoo"]

_KILLED = 9
"""Exit code of a killed process."""


@frozen
class Form:
    """Kind of a table.

    Attributes:
        release: The release of Hudi, such as `1.2.0`.
        type_: The table type, `COPY_ON_WRITE` or `MERGE_ON_READ`.
        version: The table version: 6, 8 or 9.
        creator: The writer that creates the metadata table: `hoodoo late` does so in a table that has rows.
    """

    release: str
    type_: str
    version: int
    creator: str

    def late_wins(self, writer: Writer) -> bool:
        """Return whether a writer ignores ordering values, as the default payload of Hudi 0.15.0 does.

        Hudi 0.15.0 stores the payload of merge-on-read tables only, so that hoodoo compares ordering values in others.
        """
        is_default = (self.release, self.creator) == ("0.15.0", "hudi")
        return is_default and (writer == "hudi" or self.type_ == "MERGE_ON_READ")

    def __str__(self) -> str:
        return f"{self.release}-{self.type_}-{self.version}-{self.creator}"


FORMS = (
    Form("1.2.0", "COPY_ON_WRITE", 9, "hudi"),
    Form("1.2.0", "MERGE_ON_READ", 9, "hudi"),
    Form("1.2.0", "MERGE_ON_READ", 6, "hudi"),
    Form("1.0.2", "MERGE_ON_READ", 8, "hudi"),
    Form("0.15.0", "COPY_ON_WRITE", 6, "hudi"),
    Form("0.15.0", "MERGE_ON_READ", 6, "hudi"),
    Form("1.2.0", "COPY_ON_WRITE", 9, "hoodoo"),
    Form("1.2.0", "MERGE_ON_READ", 9, "hoodoo late"),
    Form("1.2.0", "MERGE_ON_READ", 6, "hoodoo late"),
    Form("1.0.2", "MERGE_ON_READ", 8, "hoodoo"),
    Form("0.15.0", "MERGE_ON_READ", 6, "hoodoo late"),
)
SERVICES: dict[str, Any] = {
    "clean_after_commits": 2,
    "commits_retained": 2,
    "keep_min_commits": 4,
    "keep_max_commits": 5,
    "metadata_compact_after_commits": 4,
}
"""Options with which services run often: all of them happen in a history."""
INDEXES = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.index.column.stats.enable": "true",
    "hoodie.metadata.index.bloom.filter.enable": "true",
}
ABSENT = "id = 'k1x'"
"""Filter for a key that is often between the keys of a file, so that only the record index excludes the file."""
LITERALS: dict[str, Callable[[Any], str]] = {
    "v": str,
    "big": str,
    "d": "{}D".format,
    "dec": "{}BD".format,
    "s": "'{}'".format,
    "day": "date'{}'".format,
    "at": "timestamp'{}'".format,
}
"""Literals of SQL for the values of columns with statistics."""
SKIPPING = {"hoodie.metadata.enable": "true", "hoodie.enable.data.skipping": "true"}


def indexes_of(release: str, version: int) -> tuple[dict[str, str], set[str]]:
    """Return Hudi's options for its indexes, and the partitions that the metadata table then has."""
    partitions = {"files", "column_stats", "bloom_filters", "record_index"}
    if release == "1.2.0":
        key, index = "hoodie.metadata.global.record.level.index.enable", "GLOBAL_RECORD_LEVEL_INDEX"
    else:
        key, index = "hoodie.metadata.record.index.enable", "RECORD_INDEX"
    options = {**INDEXES, key: "true", "hoodie.index.type": index}
    if version > 6:
        partitions.add("partition_stats")
        options["hoodie.metadata.index.partition.stats.enable"] = "true"
    return options, partitions


def filters_of(rows: Sequence[Mapping[str, Any]], number: int) -> dict[str, list[str]]:
    """Return filters in SQL for the rows after a turn, and the sorted keys of the rows that each of them keeps."""
    if not rows:
        return {ABSENT: []}
    chance = random.Random(number)
    one, two = (chance.choice(rows) for _ in range(2))
    key, part, ts = one["id"], one["part"], two["ts"]
    kept: dict[str, Callable[[Mapping[str, Any]], bool]] = {
        ABSENT: lambda row: False,
        f"id = '{key}'": lambda row: row["id"] == key,
        f"_hoodie_record_key = '{key}'": lambda row: row["id"] == key,
        f"id in ('{key}', '{two['id']}', 'absent')": lambda row: row["id"] in (key, two["id"]),
        f"id = '{key}' and ts < {ts}": lambda row: row["id"] == key and row["ts"] < ts,
        f"ts = {ts}": lambda row: row["ts"] == ts,
        f"ts > {number - 2}": lambda row: row["ts"] > number - 2,
        f"ts <= {number // 2}": lambda row: row["ts"] <= number // 2,
        f"part = '{part}' and ts < {ts}": lambda row: row["part"] == part and row["ts"] < ts,
        "flag": lambda row: row["flag"] is True,
    }
    for column in chance.sample(sorted(LITERALS), 4):
        kept[f"{column} is null"] = partial(_is_null, column)
        values = [row[column] for row in rows if row[column] is not None]
        if values:
            kept[f"{column} >= {LITERALS[column](max(values))}"] = partial(_is_from, column, max(values))
            kept[f"{column} = {LITERALS[column](min(values))}"] = partial(_is, column, min(values))
    return {condition: sorted(row["id"] for row in rows if keep(row)) for condition, keep in kept.items()}


def _is_null(column: str, row: Mapping[str, Any]) -> bool:
    return row[column] is None


def _is(column: str, value: Any, row: Mapping[str, Any]) -> bool:
    return bool(row[column] == value)


def _is_from(column: str, value: Any, row: Mapping[str, Any]) -> bool:
    return row[column] is not None and bool(row[column] >= value)


def metadata_of(path: Path) -> MetadataTable:
    storage = storage_for(path)
    properties = load_properties(storage)
    metadata = MetadataTable.open(storage, properties, load_timeline(storage, properties))
    assert metadata is not None
    return metadata


@define
class KeptTable(WrittenTable):
    """Table that Hudi and hoodoo write in turn, with its predicted rows.

    Attributes:
        form: The kind of the table.
        hudi: The function that returns the session of a release of Hudi.
        actions: The actions of the timeline of the metadata table that were seen.
    """

    form: Form
    hudi: Sides
    actions: set[str] = field(factory=set)
    _created: bytes = b""

    def write(self, writer: Writer) -> None:
        """Let a writer execute the next operation of the history, which changes the predicted rows."""
        operation, rows = self._next(writer)
        if writer == "hudi":
            self._write_by_hudi(operation, rows)
        else:
            hoodoo.write(rows, self.path, self._own_options(operation))

    def killed_write(self, call: int) -> None:
        """Let hoodoo execute the next operation in a process that is killed before a call that changes a file.

        The table must then have the rows before the operation or those after it, which become the predicted rows.

        Args:
            call: The number of the call, from 1.
        """
        before = dict(self.history.rows)
        operation, rows = self._next("hoodoo", f" killed before change {call}")
        pq.write_table(rows, self._file)
        options = json.dumps(self._own_options(operation))
        script = Path(__file__).parents[1] / "processes" / "killed_write.py"
        done = subprocess.run(
            [sys.executable, script, self._file, self.path, options, str(call)], capture_output=True, text=True
        )
        assert done.returncode in (0, _KILLED), f"{done.stderr[-2000:]}\n{self.told}"
        if not self.path.exists():
            self.history.rows = before
            return
        found = self._rows(metadata_table=False)
        assert found in (before, self.history.rows), self.told
        assert done.returncode or found == self.history.rows, self.told
        with warnings.catch_warnings():
            # the process may have died before it created the metadata table
            warnings.simplefilter("ignore", NoEffectWarning)
            assert self._rows(metadata_table=True) == found, self.told
        self.history.rows = found

    def check(self) -> None:
        """Check the rows, and each entry of the metadata table, which must not have been built again."""
        self.check_entries()
        assert self._rows() == self.history.rows, self.told
        if len(self.turns) == 1 and self.form.creator == "hoodoo late":
            return
        metadata = metadata_of(self.path)
        assert set(metadata.partitions) == self._indexes[1], self.told
        # Hudi creates this file when it builds a metadata table
        own = (self.path / ".hoodie/metadata/.hoodie/hoodie.properties").read_bytes()
        assert not self._created or own == self._created, f"Hudi built the metadata table again\n{self.told}"
        self._created = own
        self.actions |= {instant.action for instant in metadata.metadata.instants}

    def check_by_hudi(self) -> None:
        """Check that Hudi reads hoodoo's rows with and without the metadata table, and by filters that use indexes."""
        rows, read = hoodoo.Table(self.path).to_arrow(), self.folder / "read"
        side = self.hudi(self.form.release)
        for enabled in ("true", "false"):
            side.read(self.path, {"hoodie.metadata.enable": enabled}, read)
            assert not difference(rows, parquet_table(read)), f"{enabled}: {self.told}"
            shutil.rmtree(read)
        filters = filters_of(rows.to_pylist(), len(self.turns))
        found = side.filter(self.path, SKIPPING, list(filters), "id")
        for (condition, expected), (keys, files) in zip(filters.items(), found, strict=True):
            assert sorted(keys) == expected, f"{condition}\n{self.told}"
            assert condition != ABSENT or files == 0, f"Hudi does not use its indexes\n{self.told}"

    @property
    def _file(self) -> Path:
        return self.folder / "rows.parquet"

    @property
    def _indexes(self) -> tuple[dict[str, str], set[str]]:
        return indexes_of(self.form.release, self.form.version)

    def _rows(self, **query: Any) -> dict[str, tuple[str, int]]:
        rows = hoodoo.Table(self.path).to_arrow(columns=["id", "part", "ts"], **query).to_pylist()
        return {row["id"]: (row["part"], row["ts"]) for row in rows}

    def _next(self, writer: Writer, end: str = "") -> tuple[str, pa.Table]:
        self.history.late_wins = self.form.late_wins(writer)
        operation, rows = self.history.turn(len(self.turns) + 1)
        # the minima of bytes in Hudi's `partition_stats` are those of signed bytes
        rows = rows.drop_columns(["raw"])
        if self.form.release == "1.0.2":
            # it fails to collect statistics of logs whose nested columns or dates have nulls
            rows = rows.drop_columns(["addr"])
            days = rows["day"].fill_null(datetime.date(2020, 1, 1))
            rows = rows.set_column(rows.schema.get_field_index("day"), "day", days)
        batch = rows.select(["id", "part", "ts"]).to_pylist()
        self.turns.append(f"{len(self.turns) + 1}: {writer} {operation} {batch}{end}")
        return operation, rows

    def _write_by_hudi(self, operation: str, rows: pa.Table) -> None:
        options = {
            "hoodie.table.name": "kept",
            WRITE + "recordkey.field": "id",
            WRITE + "precombine.field": "ts",
            WRITE + "partitionpath.field": "part",
            WRITE + "table.type": self.form.type_,
            "hoodie.datasource.compaction.async.enable": "false",
            **self._indexes[0],
            WRITE + "operation": operation,
        }
        if self.form.release != "0.15.0":
            options |= {"hoodie.write.table.version": str(self.form.version), "hoodie.write.auto.upgrade": "false"}
        if operation == "delete_partition":
            options[WRITE + "partitions.to.delete"] = rows["part"][0].as_py()
        pq.write_table(rows, self._file)
        self.hudi(self.form.release).write(self.path, self._file, options)

    def _own_options(self, operation: str) -> dict[str, Any]:
        options = {**SERVICES, "operation": operation}
        if self.form.creator != "hudi":
            if not self.path.exists():
                options |= {
                    "table_name": "kept",
                    "record_key": "id",
                    "ordering": "ts",
                    "partition_by": "part",
                    "table_type": self.form.type_,
                    "table_version": self.form.version,
                    "bloom_filter": True,
                }
            if len(self.turns) > 1 or self.form.creator == "hoodoo":
                options |= {key: text for key, text in self._indexes[0].items() if key.startswith("hoodie.metadata.")}
        if self.form.type_ == "MERGE_ON_READ":
            options |= {"compact_inline": True, "compact_after_commits": 3}
        return options
