"""Files of a timeline: commit metadata is JSON in table version 6 and Avro from 8 on; all other content is Avro."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fastavro

__all__ = ["Operation", "Timeline", "Written"]

_TEXT = ["null", "string"]
_TEXTS = ["null", {"type": "map", "values": "string"}]


@dataclass(frozen=True)
class Written:
    """A file that a commit names."""

    partition: str
    file_id: str
    path: str


@dataclass(frozen=True)
class Operation:
    """A file group in the plan of a compaction or clustering."""

    partition: str
    file_id: str
    base_instant: str
    data_file: str | None
    logs: tuple[str, ...] = ()


def _record(name: str, **fields: Any) -> dict[str, Any]:
    listed = [{"name": field, "type": type_} for field, type_ in fields.items()]
    return {"type": "record", "name": name, "namespace": "org.apache.hudi.avro.model", "fields": listed}


def _items(name: str, **fields: Any) -> list[Any]:
    return ["null", {"type": "array", "items": _record(name, **fields)}]


_STAT = _record("HoodieWriteStat", fileId=_TEXT, path=_TEXT, prevCommit=_TEXT, partitionPath=_TEXT)
_COMMIT = {
    "partitionToWriteStats": ["null", {"type": "map", "values": {"type": "array", "items": _STAT}}],
    "compacted": ["null", "boolean"],
    "extraMetadata": _TEXTS,
    "version": ["int", "null"],
    "operationType": _TEXT,
}
_REPLACED = {
    "partitionToReplaceFileIds": ["null", {"type": "map", "values": {"type": "array", "items": "string"}}],
}
_COMPACTION_PLAN = _record(
    "HoodieCompactionPlan",
    operations=_items(
        "HoodieCompactionOperation",
        baseInstantTime=_TEXT,
        deltaFilePaths=["null", {"type": "array", "items": "string"}],
        dataFilePath=_TEXT,
        fileId=_TEXT,
        partitionPath=_TEXT,
    ),
    version=["int", "null"],
)
_SLICES = _items(
    "HoodieSliceInfo",
    dataFilePath=_TEXT,
    deltaFilePaths=["null", {"type": "array", "items": "string"}],
    fileId=_TEXT,
    partitionPath=_TEXT,
)
_GROUPS = _items("HoodieClusteringGroup", slices=_SLICES)
_REPLACE_PLAN = _record(
    "HoodieRequestedReplaceMetadata",
    operationType=_TEXT,
    clusteringPlan=["null", _record("HoodieClusteringPlan", inputGroups=_GROUPS)],
    extraMetadata=_TEXTS,
    version=["int", "null"],
)
_ROLLBACK = _record(
    "HoodieRollbackMetadata",
    startRollbackTime="string",
    timeTakenInMillis="long",
    totalFilesDeleted="int",
    commitsRollback={"type": "array", "items": "string"},
    partitionMetadata={"type": "map", "values": "string"},
)
_SAVEPOINT = _record(
    "HoodieSavepointMetadata",
    savepointedBy="string",
    savepointedAt="long",
    comments="string",
    partitionMetadata={"type": "map", "values": "string"},
)
_CLEAN = _record(
    "HoodieCleanMetadata",
    startCleanTime="string",
    timeTakenInMillis="long",
    totalFilesDeleted="int",
    earliestCommitToRetain="string",
    partitionMetadata={"type": "map", "values": "string"},
)


class Timeline:
    """Writer of the files of instants. A completed instant keeps the files of its earlier states."""

    def __init__(self, table: Path, version: int) -> None:
        self.is_avro = version >= 8
        self.folder = table / ".hoodie" / "timeline" if self.is_avro else table / ".hoodie"
        self.folder.mkdir(parents=True, exist_ok=True)

    def begin(self, action: str, time: str, plan: bytes = b"") -> None:
        """Write the requested file, with the plan, and the inflight file of an instant."""
        self.request(action, time, plan)
        inflight = f"{time}.inflight" if action == "commit" else f"{time}.{action}.inflight"
        (self.folder / inflight).write_bytes(b"")

    def request(self, action: str, time: str, plan: bytes = b"") -> None:
        """Write the requested file of an instant, with the plan."""
        (self.folder / f"{time}.{action}.requested").write_bytes(plan)

    def complete(self, action: str, time: str, completion: str, body: bytes) -> None:
        """Write the file of a completed instant; version 6 does not store the completion time."""
        stem = f"{time}_{completion}" if self.is_avro else time
        (self.folder / f"{stem}.{action}").write_bytes(body)

    def forget(self, time: str) -> None:
        """Remove all files of an instant."""
        for file in self.folder.glob(f"{time}*"):
            file.unlink()

    def forget_until(self, time: str) -> None:
        """Remove the files of all instants up to and including a time, as an archiver does."""
        for file in self.folder.iterdir():
            if file.is_file() and file.name[:17] <= time and file.name[:17].isdigit():
                file.unlink()

    def commit_body(
        self,
        written: Sequence[Written],
        schema: Mapping[str, Any] | None,
        operation: str,
        replaced: Mapping[str, Sequence[str]] | None = None,
    ) -> bytes:
        """Return the metadata of a commit: the files that it wrote, and the file groups that it replaced."""
        stats: dict[str, list[dict[str, Any]]] = {}
        for file in written:
            stat = {"fileId": file.file_id, "path": file.path, "prevCommit": "null", "partitionPath": file.partition}
            stats.setdefault(file.partition, []).append(stat)
        body: dict[str, Any] = {
            "partitionToWriteStats": stats,
            "compacted": operation == "COMPACT",
            "extraMetadata": {} if schema is None else {"schema": json.dumps(schema)},
            "operationType": operation,
        }
        if replaced is not None:
            body["partitionToReplaceFileIds"] = {partition: list(ids) for partition, ids in replaced.items()}
        if not self.is_avro:
            return json.dumps(body).encode()
        name, fields = ("HoodieCommitMetadata", _COMMIT)
        if replaced is not None:
            name, fields = "HoodieReplaceCommitMetadata", {**_COMMIT, **_REPLACED}
        return _avro(_record(name, **fields), {**body, "version": 1})

    @staticmethod
    def compaction_plan(operations: Sequence[Operation]) -> bytes:
        """Return the plan of a compaction."""
        listed = [
            {
                "baseInstantTime": operation.base_instant,
                "deltaFilePaths": list(operation.logs),
                "dataFilePath": operation.data_file,
                "fileId": operation.file_id,
                "partitionPath": operation.partition,
            }
            for operation in operations
        ]
        return _avro(_COMPACTION_PLAN, {"operations": listed, "version": 2})

    @staticmethod
    def replace_plan(operations: Sequence[Operation] | None, operation: str) -> bytes:
        """Return the plan of a clustering; if `operations` is None, the empty plan of another replace commit."""
        if operations is None:
            nothing = {"operationType": None, "clusteringPlan": None, "extraMetadata": None, "version": 1}
            return _avro(_REPLACE_PLAN, nothing)
        slices = [
            {
                "dataFilePath": part.data_file,
                "deltaFilePaths": list(part.logs),
                "fileId": part.file_id,
                "partitionPath": part.partition,
            }
            for part in operations
        ]
        plan = {"inputGroups": [{"slices": slices}]}
        return _avro(_REPLACE_PLAN, {"operationType": operation, "clusteringPlan": plan, "version": 1})

    @staticmethod
    def rollback_body(time: str, target: str) -> bytes:
        """Return the metadata of a rollback."""
        return _avro(_ROLLBACK, {**_service(), "startRollbackTime": time, "commitsRollback": [target]})

    @staticmethod
    def savepoint_body() -> bytes:
        """Return the metadata of a savepoint."""
        return _avro(_SAVEPOINT, {**_service(), "savepointedBy": "me", "savepointedAt": 0, "comments": ""})

    @staticmethod
    def clean_body(time: str, retained: str) -> bytes:
        """Return the metadata of a clean."""
        return _avro(_CLEAN, {**_service(), "startCleanTime": time, "earliestCommitToRetain": retained})


def _service() -> dict[str, Any]:
    return {"timeTakenInMillis": 0, "totalFilesDeleted": 0, "partitionMetadata": {}}


def _avro(schema: dict[str, Any], record: Mapping[str, Any]) -> bytes:
    body = io.BytesIO()
    fastavro.writer(body, fastavro.parse_schema(schema), [record], codec="null")
    return body.getvalue()
