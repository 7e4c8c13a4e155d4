"""Avro schemas of commits in timeline layout 2; fields are in Hudi's order."""

from __future__ import annotations

from typing import Any

__all__ = ["COMMIT_METADATA", "COMPACTION_PLAN", "REPLACE_COMMIT_METADATA", "STAT_FIELDS"]

_NAMESPACE = "org.apache.hudi.avro.model"


def _record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "namespace": _NAMESPACE, "fields": list(fields)}


def _optional(name: str, type_: Any) -> dict[str, Any]:
    return {"name": name, "type": ["null", type_], "default": None}


def _map(values: Any) -> dict[str, Any]:
    return {"type": "map", "values": values}


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_RUNTIME_STATS = _record(
    "HoodieRuntimeStats",
    *(_optional(name, "long") for name in ("totalScanTime", "totalCreateTime", "totalUpsertTime")),
)

_WRITE_STAT = _record(
    "HoodieWriteStat",
    _optional("fileId", "string"),
    _optional("path", "string"),
    _optional("prevCommit", "string"),
    _optional("numWrites", "long"),
    _optional("numDeletes", "long"),
    _optional("numUpdateWrites", "long"),
    _optional("totalWriteBytes", "long"),
    _optional("totalWriteErrors", "long"),
    _optional("partitionPath", "string"),
    _optional("totalLogRecords", "long"),
    _optional("totalLogFiles", "long"),
    _optional("totalUpdatedRecordsCompacted", "long"),
    _optional("numInserts", "long"),
    _optional("totalLogBlocks", "long"),
    _optional("totalCorruptLogBlock", "long"),
    _optional("totalRollbackBlocks", "long"),
    _optional("fileSizeInBytes", "long"),
    _optional("logVersion", "int"),
    _optional("logOffset", "long"),
    _optional("baseFile", "string"),
    _optional("logFiles", _array("string")),
    _optional("cdcStats", _map("long")),
    _optional("prevBaseFile", "string"),
    _optional("minEventTime", "long"),
    _optional("maxEventTime", "long"),
    _optional("runtimeStats", _RUNTIME_STATS),
    _optional("totalLogFilesCompacted", "long"),
    _optional("totalLogReadTimeMs", "long"),
    _optional("totalLogSizeCompacted", "long"),
    _optional("tempPath", "string"),
    _optional("numUpdates", "long"),
)

STAT_FIELDS: tuple[str, ...] = tuple(entry["name"] for entry in _WRITE_STAT["fields"])
"""The names of a write stat's fields."""

_COMMIT_FIELDS = (
    _optional("partitionToWriteStats", _map(_array(_WRITE_STAT))),
    _optional("compacted", "boolean"),
    _optional("extraMetadata", _map("string")),
    {"name": "version", "type": ["int", "null"], "default": 1},
    _optional("operationType", "string"),
)

COMMIT_METADATA = _record("HoodieCommitMetadata", *_COMMIT_FIELDS)
"""The body of a completed commit or delta commit, and of every inflight commit."""

REPLACE_COMMIT_METADATA = _record(
    "HoodieReplaceCommitMetadata",
    *_COMMIT_FIELDS,
    _optional("partitionToReplaceFileIds", _map(_array("string"))),
)
"""The body of a completed replace commit."""

_VERSION = {"name": "version", "type": ["int", "null"], "default": 1}

COMPACTION_PLAN = _record(
    "HoodieCompactionPlan",
    _optional(
        "operations",
        _array(
            _record(
                "HoodieCompactionOperation",
                _optional("baseInstantTime", "string"),
                _optional("deltaFilePaths", _array("string")),
                _optional("dataFilePath", "string"),
                _optional("fileId", "string"),
                _optional("partitionPath", "string"),
                _optional("metrics", _map("double")),
                _optional("bootstrapFilePath", "string"),
            )
        ),
    ),
    _optional("extraMetadata", _map("string")),
    _VERSION,
    _optional(
        "strategy",
        _record(
            "HoodieCompactionStrategy",
            _optional("compactorClassName", "string"),
            _optional("strategyParams", _map("string")),
            _VERSION,
        ),
    ),
    {"name": "preserveHoodieMetadata", "type": ["boolean", "null"], "default": False},
    _optional("missingSchedulePartitions", _array("string")),
)
"""The body of a requested compaction."""
