"""Handmade tables: properties, instants, base files and log files, in the forms of table versions 6, 8 and 9.

The module imports nothing from hoodoo and checks nothing: it can create tables that no writer would write.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.versions import META

from .blocks import Delete, avro_block, delete_block, parquet_block
from .columns import Columns, arrow_schema, avro_schema
from .instants import Operation, Timeline, Written

__all__ = ["Builder", "base_name", "log_name"]

Row = dict[str, Any]


def base_name(file_id: str, instant: str, token: str = "0-0-0") -> str:
    """Return the name of a base file."""
    return f"{file_id}_{token}_{instant}.parquet"


def log_name(file_id: str, instant: str, version: int = 1, token: str = "0-0-0") -> str:
    """Return the name of a log file. `instant` is that of the slice in version 6, of the delta commit from 8 on."""
    return f".{file_id}_{instant}.log.{version}_{token}"


class Builder:
    """Builder of the table at a path.

    Attributes:
        path: The root of the table.
        version: The table version: 6, 8 or 9.
        columns: The data columns of the next files and commits.
        meta: Whether the meta columns are filled.
        properties: The table properties, which `save_properties` writes.
        timeline: The writer of the files of instants.
    """

    def __init__(
        self,
        path: Path,
        version: int,
        columns: Columns,
        *,
        table_type: str = "MERGE_ON_READ",
        record_key: str = "id",
        partition_by: str = "",
        hive_style: bool = False,
        ordering: str = "",
        meta: bool = True,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        self.path = path
        self.version = version
        self.columns = columns
        self.meta = meta
        self.timeline = Timeline(path, version)
        self.properties = {
            "hoodie.table.name": "built",
            "hoodie.table.type": table_type,
            "hoodie.table.version": str(version),
            "hoodie.timeline.layout.version": "1" if version == 6 else "2",
            "hoodie.table.recordkey.fields": record_key,
            "hoodie.datasource.write.hive_style_partitioning": str(hive_style).lower(),
            "hoodie.table.timeline.timezone": "UTC",
            "hoodie.table.checksum": str(zlib.crc32(b".built")),
        }
        if partition_by:
            self.properties["hoodie.table.partition.fields"] = partition_by
        if ordering:
            key = "hoodie.table.ordering.fields" if version == 9 else "hoodie.table.precombine.field"
            self.properties[key] = ordering
        if not meta:
            self.properties["hoodie.populate.meta.fields"] = "false"
        self.properties.update(properties or {})
        self.save_properties()

    def save_properties(self) -> None:
        """Write `hoodie.properties`."""
        text = "".join(f"{key}={value}\n" for key, value in self.properties.items())
        (self.path / ".hoodie" / "hoodie.properties").write_text(text, "latin-1")

    # data files

    def base(self, partition: str, file_id: str, instant: str, rows: Sequence[Row], token: str = "0-0-0") -> Written:
        """Write a base file of rows with their meta columns, set `_hoodie_file_name` to its name, and return it."""
        name = base_name(file_id, instant, token)
        named = [{**row, "_hoodie_file_name": name} for row in rows]
        return self.base_table(partition, file_id, instant, self.arrow(named), token)

    def base_table(
        self, partition: str, file_id: str, instant: str, rows: pa.Table, token: str = "0-0-0", **parquet: Any
    ) -> Written:
        """Write a base file with any content, and return it."""
        path = self._place(partition, base_name(file_id, instant, token))
        pq.write_table(rows, self.path / path, store_schema=False, **parquet)
        return Written(partition, file_id, path)

    def log(
        self, partition: str, file_id: str, instant: str, blocks: Sequence[bytes], version: int = 1,
        token: str = "0-0-0",
    ) -> Written:  # fmt: skip
        """Write a log file with these blocks, and return it."""
        path = self._place(partition, log_name(file_id, instant, version, token))
        (self.path / path).write_bytes(b"".join(blocks))
        return Written(partition, file_id, path)

    def remove(self, *files: Written) -> None:
        """Delete files."""
        for file in files:
            (self.path / file.path).unlink()

    # blocks

    def avro(
        self, instant: str, rows: Sequence[Row], header: Mapping[int, str] | None = None,
        columns: Columns | None = None,
    ) -> bytes:  # fmt: skip
        """Return an Avro data block of rows with their meta columns."""
        return avro_block(instant, avro_schema(columns or self.columns, meta=True), rows, header)

    def parquet(
        self, instant: str, rows: Sequence[Row], header: Mapping[int, str] | None = None,
        columns: Columns | None = None,
    ) -> bytes:  # fmt: skip
        """Return a Parquet data block of rows with their meta columns."""
        columns = columns or self.columns
        return parquet_block(instant, avro_schema(columns, meta=True), self.arrow(rows, columns), header)

    @staticmethod
    def deletes(instant: str, deletes: Sequence[Delete], header: Mapping[int, str] | None = None) -> bytes:
        """Return a delete block."""
        return delete_block(instant, deletes, header)

    def arrow(self, rows: Sequence[Row], columns: Columns | None = None) -> pa.Table:
        """Return rows as they are stored; if the table fills no meta columns, these are null except the file name."""
        schema = arrow_schema(columns or self.columns)
        if not self.meta:
            rows = [{**row, **dict.fromkeys(META[:4])} for row in rows]
        return pa.Table.from_pylist(list(rows), schema=schema)

    # instants

    def commit(
        self, action: str, time: str, completion: str, written: Sequence[Written], *, operation: str = "UPSERT",
        replaced: Mapping[str, Sequence[str]] | None = None, begun: bool = False,
    ) -> None:  # fmt: skip
        """Write a completed commit, delta commit or replace commit.

        Args:
            action: The action of the completed instant: `commit`, `deltacommit` or `replacecommit`.
            time: The instant time, which is the time of the request.
            completion: The completion time, which version 6 does not store.
            written: The files that the commit names.
            operation: The operation type in the metadata, in Hudi's spelling.
            replaced: The file ids of the replaced file groups by partition; None for a commit that replaces none.
            begun: Whether the files of the requested and the inflight instant exist already.
        """
        if not begun:
            self.timeline.begin(action, time, Timeline.replace_plan(None, "") if action == "replacecommit" else b"")
        body = self.timeline.commit_body(written, avro_schema(self.columns), operation, replaced)
        self.timeline.complete(action, time, completion, body)

    def request_compaction(self, time: str, operations: Sequence[Operation], *, log: bool = False) -> None:
        """Write a pending compaction or log compaction."""
        self.timeline.begin("logcompaction" if log else "compaction", time, Timeline.compaction_plan(operations))

    def request_clustering(self, time: str, operations: Sequence[Operation]) -> None:
        """Write a pending clustering."""
        action = "replacecommit" if self.version == 6 else "clustering"
        self.timeline.begin(action, time, Timeline.replace_plan(operations, "CLUSTER"))

    def rollback(self, time: str, completion: str, target: str) -> None:
        """Write a completed rollback, and remove the files of the rolled back instant from the timeline."""
        self.timeline.begin("rollback", time)
        self.timeline.complete("rollback", time, completion, Timeline.rollback_body(time, target))
        self.timeline.forget(target)

    def savepoint(self, time: str, completion: str) -> None:
        """Write a savepoint of a completed commit, with the commit's time."""
        self.timeline.complete("savepoint", time, completion, Timeline.savepoint_body())

    def clean(self, time: str, completion: str, retained: str) -> None:
        """Write a completed clean; `retained` is the earliest commit that it retains."""
        self.timeline.begin("clean", time)
        self.timeline.complete("clean", time, completion, Timeline.clean_body(time, retained))

    def _place(self, partition: str, name: str) -> str:
        folder = self.path / partition
        if not folder.is_dir():
            folder.mkdir(parents=True)
        (folder / ".hoodie_partition_metadata").write_text("partitionDepth=1\n")
        return f"{partition}/{name}" if partition else name
