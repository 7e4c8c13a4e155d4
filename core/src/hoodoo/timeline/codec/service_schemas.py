"""Avro schemas of files that are Avro in every timeline layout; fields are in Hudi's order."""

from __future__ import annotations

from typing import Any

__all__ = ["CLEANER_PLAN", "CLEAN_METADATA", "REQUESTED_REPLACE", "ROLLBACK_METADATA", "ROLLBACK_PLAN"]

_NAMESPACE = "org.apache.hudi.avro.model"


def _record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "namespace": _NAMESPACE, "fields": list(fields)}


def _field(name: str, type_: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": type_, **more}


def _optional(name: str, type_: Any) -> dict[str, Any]:
    return _field(name, ["null", type_], default=None)


def _map(values: Any) -> dict[str, Any]:
    return {"type": "map", "values": values}


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


_VERSION = _field("version", ["int", "null"], default=1)

_INSTANT_INFO = _record("HoodieInstantInfo", _field("commitTime", "string"), _field("action", "string"))

_ROLLBACK_REQUEST = _record(
    "HoodieRollbackRequest",
    _field("partitionPath", "string"),
    _optional("fileId", "string"),
    _optional("latestBaseInstant", "string"),
    _field("filesToBeDeleted", _array("string"), default=[]),
    _optional("logBlocksToBeDeleted", _map("long")),
)

ROLLBACK_PLAN = _record(
    "HoodieRollbackPlan",
    _optional("instantToRollback", _INSTANT_INFO),
    _optional("RollbackRequests", _array(_ROLLBACK_REQUEST)),
    _VERSION,
)
"""Plan of a rollback; the body of `<instant>.rollback.requested`."""

ROLLBACK_METADATA = _record(
    "HoodieRollbackMetadata",
    _field("startRollbackTime", "string"),
    _field("timeTakenInMillis", "long"),
    _field("totalFilesDeleted", "int"),
    _field("commitsRollback", _array("string")),
    _field(
        "partitionMetadata",
        _map(
            _record(
                "HoodieRollbackPartitionMetadata",
                _field("partitionPath", "string"),
                _field("successDeleteFiles", _array("string")),
                _field("failedDeleteFiles", _array("string")),
                _optional("rollbackLogFiles", _map("long")),
                _optional("logFilesFromFailedCommit", _map("long")),
            )
        ),
    ),
    _VERSION,
    _field("instantsRollback", _array(_INSTANT_INFO), default=[]),
)
"""Result of a rollback; the body of `<instant>.rollback`."""

_SLICE_INFO = _record(
    "HoodieSliceInfo",
    _optional("dataFilePath", "string"),
    _optional("deltaFilePaths", _array("string")),
    _optional("fileId", "string"),
    _optional("partitionPath", "string"),
    _optional("bootstrapFilePath", "string"),
    _VERSION,
)

_CLUSTERING_PLAN = _record(
    "HoodieClusteringPlan",
    _optional(
        "inputGroups",
        _array(
            _record(
                "HoodieClusteringGroup",
                _optional("slices", _array(_SLICE_INFO)),
                _optional("metrics", _map("double")),
                _field("numOutputFileGroups", ["int", "null"], default=1),
                _optional("extraMetadata", _map("string")),
                _VERSION,
            )
        ),
    ),
    _optional(
        "strategy",
        _record(
            "HoodieClusteringStrategy",
            _optional("strategyClassName", "string"),
            _optional("strategyParams", _map("string")),
            _VERSION,
        ),
    ),
    _optional("extraMetadata", _map("string")),
    _VERSION,
    _optional("preserveHoodieMetadata", "boolean"),
)

REQUESTED_REPLACE = _record(
    "HoodieRequestedReplaceMetadata",
    _optional("operationType", "string"),
    _optional("clusteringPlan", _CLUSTERING_PLAN),
    _optional("extraMetadata", _map("string")),
    _VERSION,
)
"""Plan of a replace commit; the body of `<instant>.replacecommit.requested`."""

CLEANER_PLAN = _record(
    "HoodieCleanerPlan",
    _optional(
        "earliestInstantToRetain",
        _record("HoodieActionInstant", *(_field(name, "string") for name in ("timestamp", "action", "state"))),
    ),
    _field("lastCompletedCommitTimestamp", "string", default=""),
    _field("policy", "string"),
    _optional("filesToBeDeletedPerPartition", _map(_array("string"))),
    _VERSION,
    _optional(
        "filePathsToBeDeletedPerPartition",
        _map(
            _array(
                _record(
                    "HoodieCleanFileInfo", _optional("filePath", "string"), _optional("isBootstrapBaseFile", "boolean")
                )
            )
        ),
    ),
    _optional("partitionsToBeDeleted", _array("string")),
    _optional("extraMetadata", _map("string")),
)
"""Plan of a clean; the body of `<instant>.clean.requested` and of `<instant>.clean.inflight`."""

_CLEAN_PARTITION = "HoodieCleanPartitionMetadata"

CLEAN_METADATA = _record(
    "HoodieCleanMetadata",
    _field("startCleanTime", "string"),
    _field("timeTakenInMillis", "long"),
    _field("totalFilesDeleted", "int"),
    _field("earliestCommitToRetain", "string"),
    _field("lastCompletedCommitTimestamp", "string", default=""),
    _field(
        "partitionMetadata",
        _map(
            _record(
                _CLEAN_PARTITION,
                _field("partitionPath", "string"),
                _field("policy", "string"),
                _field("deletePathPatterns", _array("string")),
                _field("successDeleteFiles", _array("string")),
                _field("failedDeleteFiles", _array("string")),
                _optional("isPartitionDeleted", "boolean"),
            )
        ),
    ),
    _VERSION,
    _optional("bootstrapPartitionMetadata", _map(_CLEAN_PARTITION)),
    _optional("extraMetadata", _map("string")),
)
"""Result of a clean; the body of `<instant>.clean`."""
