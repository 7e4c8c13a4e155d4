"""Avro schemas of commits in timeline layout 2; fields are in Hudi's order."""

from __future__ import annotations

from hoodoo.timeline.codec.avro_types import array_of, map_of, optional, record

__all__ = ["COMMIT_METADATA", "COMPACTION_PLAN", "REPLACE_COMMIT_METADATA", "STAT_FIELDS"]

_RUNTIME_STATS = record(
    "HoodieRuntimeStats",
    *(optional(name, "long") for name in ("totalScanTime", "totalCreateTime", "totalUpsertTime")),
)

_WRITE_STAT = record(
    "HoodieWriteStat",
    optional("fileId", "string"),
    optional("path", "string"),
    optional("prevCommit", "string"),
    optional("numWrites", "long"),
    optional("numDeletes", "long"),
    optional("numUpdateWrites", "long"),
    optional("totalWriteBytes", "long"),
    optional("totalWriteErrors", "long"),
    optional("partitionPath", "string"),
    optional("totalLogRecords", "long"),
    optional("totalLogFiles", "long"),
    optional("totalUpdatedRecordsCompacted", "long"),
    optional("numInserts", "long"),
    optional("totalLogBlocks", "long"),
    optional("totalCorruptLogBlock", "long"),
    optional("totalRollbackBlocks", "long"),
    optional("fileSizeInBytes", "long"),
    optional("logVersion", "int"),
    optional("logOffset", "long"),
    optional("baseFile", "string"),
    optional("logFiles", array_of("string")),
    optional("cdcStats", map_of("long")),
    optional("prevBaseFile", "string"),
    optional("minEventTime", "long"),
    optional("maxEventTime", "long"),
    optional("runtimeStats", _RUNTIME_STATS),
    optional("totalLogFilesCompacted", "long"),
    optional("totalLogReadTimeMs", "long"),
    optional("totalLogSizeCompacted", "long"),
    optional("tempPath", "string"),
    optional("numUpdates", "long"),
)

STAT_FIELDS: tuple[str, ...] = tuple(entry["name"] for entry in _WRITE_STAT["fields"])
"""The names of the fields of a write stat."""

_COMMIT_FIELDS = (
    optional("partitionToWriteStats", map_of(array_of(_WRITE_STAT))),
    optional("compacted", "boolean"),
    optional("extraMetadata", map_of("string")),
    {"name": "version", "type": ["int", "null"], "default": 1},
    optional("operationType", "string"),
)

COMMIT_METADATA = record("HoodieCommitMetadata", *_COMMIT_FIELDS)
"""The body of a completed commit or delta commit, and of every inflight commit."""

REPLACE_COMMIT_METADATA = record(
    "HoodieReplaceCommitMetadata",
    *_COMMIT_FIELDS,
    optional("partitionToReplaceFileIds", map_of(array_of("string"))),
)
"""The body of a completed replace commit."""

_VERSION = {"name": "version", "type": ["int", "null"], "default": 1}

COMPACTION_PLAN = record(
    "HoodieCompactionPlan",
    optional(
        "operations",
        array_of(
            record(
                "HoodieCompactionOperation",
                optional("baseInstantTime", "string"),
                optional("deltaFilePaths", array_of("string")),
                optional("dataFilePath", "string"),
                optional("fileId", "string"),
                optional("partitionPath", "string"),
                optional("metrics", map_of("double")),
                optional("bootstrapFilePath", "string"),
            )
        ),
    ),
    optional("extraMetadata", map_of("string")),
    _VERSION,
    optional(
        "strategy",
        record(
            "HoodieCompactionStrategy",
            optional("compactorClassName", "string"),
            optional("strategyParams", map_of("string")),
            _VERSION,
        ),
    ),
    {"name": "preserveHoodieMetadata", "type": ["boolean", "null"], "default": False},
    optional("missingSchedulePartitions", array_of("string")),
)
"""The body of a requested compaction."""
