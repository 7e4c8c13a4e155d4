"""Avro schemas of plans, cleans and rollbacks, the same in every timeline layout; fields are in Hudi's order."""

from __future__ import annotations

from hoodoo.timeline.codec.avro_types import array_of, field, map_of, optional, record

__all__ = ["CLEANER_PLAN", "CLEAN_METADATA", "REQUESTED_REPLACE", "ROLLBACK_METADATA", "ROLLBACK_PLAN"]

_VERSION = field("version", ["int", "null"], default=1)

_INSTANT_INFO = record("HoodieInstantInfo", field("commitTime", "string"), field("action", "string"))

_ROLLBACK_REQUEST = record(
    "HoodieRollbackRequest",
    field("partitionPath", "string"),
    optional("fileId", "string"),
    optional("latestBaseInstant", "string"),
    field("filesToBeDeleted", array_of("string"), default=[]),
    optional("logBlocksToBeDeleted", map_of("long")),
)

ROLLBACK_PLAN = record(
    "HoodieRollbackPlan",
    optional("instantToRollback", _INSTANT_INFO),
    optional("RollbackRequests", array_of(_ROLLBACK_REQUEST)),
    _VERSION,
)
"""Plan of a rollback; the body of `<instant>.rollback.requested`."""

ROLLBACK_METADATA = record(
    "HoodieRollbackMetadata",
    field("startRollbackTime", "string"),
    field("timeTakenInMillis", "long"),
    field("totalFilesDeleted", "int"),
    field("commitsRollback", array_of("string")),
    field(
        "partitionMetadata",
        map_of(
            record(
                "HoodieRollbackPartitionMetadata",
                field("partitionPath", "string"),
                field("successDeleteFiles", array_of("string")),
                field("failedDeleteFiles", array_of("string")),
                optional("rollbackLogFiles", map_of("long")),
                optional("logFilesFromFailedCommit", map_of("long")),
            )
        ),
    ),
    _VERSION,
    field("instantsRollback", array_of(_INSTANT_INFO), default=[]),
)
"""Result of a rollback; the body of `<instant>.rollback`."""

_SLICE_INFO = record(
    "HoodieSliceInfo",
    optional("dataFilePath", "string"),
    optional("deltaFilePaths", array_of("string")),
    optional("fileId", "string"),
    optional("partitionPath", "string"),
    optional("bootstrapFilePath", "string"),
    _VERSION,
)

_CLUSTERING_PLAN = record(
    "HoodieClusteringPlan",
    optional(
        "inputGroups",
        array_of(
            record(
                "HoodieClusteringGroup",
                optional("slices", array_of(_SLICE_INFO)),
                optional("metrics", map_of("double")),
                field("numOutputFileGroups", ["int", "null"], default=1),
                optional("extraMetadata", map_of("string")),
                _VERSION,
            )
        ),
    ),
    optional(
        "strategy",
        record(
            "HoodieClusteringStrategy",
            optional("strategyClassName", "string"),
            optional("strategyParams", map_of("string")),
            _VERSION,
        ),
    ),
    optional("extraMetadata", map_of("string")),
    _VERSION,
    optional("preserveHoodieMetadata", "boolean"),
)

REQUESTED_REPLACE = record(
    "HoodieRequestedReplaceMetadata",
    optional("operationType", "string"),
    optional("clusteringPlan", _CLUSTERING_PLAN),
    optional("extraMetadata", map_of("string")),
    _VERSION,
)
"""Plan of a replace commit; the body of `<instant>.replacecommit.requested`."""

CLEANER_PLAN = record(
    "HoodieCleanerPlan",
    optional(
        "earliestInstantToRetain",
        record("HoodieActionInstant", *(field(name, "string") for name in ("timestamp", "action", "state"))),
    ),
    field("lastCompletedCommitTimestamp", "string", default=""),
    field("policy", "string"),
    optional("filesToBeDeletedPerPartition", map_of(array_of("string"))),
    _VERSION,
    optional(
        "filePathsToBeDeletedPerPartition",
        map_of(
            array_of(
                record(
                    "HoodieCleanFileInfo", optional("filePath", "string"), optional("isBootstrapBaseFile", "boolean")
                )
            )
        ),
    ),
    optional("partitionsToBeDeleted", array_of("string")),
    optional("extraMetadata", map_of("string")),
)
"""Plan of a clean; the body of `<instant>.clean.requested` and of `<instant>.clean.inflight`."""

_CLEAN_PARTITION = "HoodieCleanPartitionMetadata"

CLEAN_METADATA = record(
    "HoodieCleanMetadata",
    field("startCleanTime", "string"),
    field("timeTakenInMillis", "long"),
    field("totalFilesDeleted", "int"),
    field("earliestCommitToRetain", "string"),
    field("lastCompletedCommitTimestamp", "string", default=""),
    field(
        "partitionMetadata",
        map_of(
            record(
                _CLEAN_PARTITION,
                field("partitionPath", "string"),
                field("policy", "string"),
                field("deletePathPatterns", array_of("string")),
                field("successDeleteFiles", array_of("string")),
                field("failedDeleteFiles", array_of("string")),
                optional("isPartitionDeleted", "boolean"),
            )
        ),
    ),
    _VERSION,
    optional("bootstrapPartitionMetadata", map_of(_CLEAN_PARTITION)),
    optional("extraMetadata", map_of("string")),
)
"""Result of a clean; the body of `<instant>.clean`."""
