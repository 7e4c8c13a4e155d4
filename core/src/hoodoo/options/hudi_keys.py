"""Hudi keys that are not hoodoo options: some are ignored, others are accepted with certain values only.

A key is rejected if it requests a feature that hoodoo does not have, so that, for example, a table service that is not
run does not go unnoticed.
"""

from __future__ import annotations

import re

from attrs import frozen

__all__ = ["HUDI_LOCK_KEYS", "IGNORED_KEYS", "LOCK_KEYS", "RESTRICTED_KEYS", "Restriction"]

IGNORED_KEYS = tuple(
    re.compile(pattern)
    for pattern in (
        r"fs\.s3a\.connection\.(maximum|timeout|establish\.timeout)",
        r"fs\.s3a\.fast\.upload[\w.]*|fs\.s3a\.threads\.[\w.]+|fs\.s3a\.multipart\.[\w.]+",
        r"fs\.s3a\.(impl|aws\.credentials\.provider|attempts\.maximum|block\.size|readahead\.range)",
        r"hoodie\.[\w.]*shuffle\.parallelism",
        r"hoodie\.[\w.]*parallelism",
        r"hoodie\.embed\.timeline\.server[\w.]*",
        r"hoodie\.write\.markers\.type",
        r"hoodie\.markers\.[\w.]+",
        r"hoodie\.memory\.[\w.]+",
        r"hoodie\.write\.buffer\.[\w.]+",
        r"hoodie\.upsert\.[\w.]*|hoodie\.insert\.sort[\w.]*",
        r"hoodie\.bulkinsert\.sort\.mode",
        r"hoodie\.copyonwrite\.[\w.]+",
        r"hoodie\.parquet\.(block|page)\.size",
        r"hoodie\.parquet\.compression\.ratio",
        r"hoodie\.index\.bloom\.[\w.]+|hoodie\.bloom\.index\.[\w.]+",
        r"hoodie\.write\.auto\.upgrade",
        r"hoodie\.datasource\.write\.row\.writer\.enable",
        r"hoodie\.datasource\.write\.reconcile\.schema",
        r"hoodie\.schema\.on\.read\.enable",
        r"hoodie\.rollback\.[\w.]+",
        r"hoodie\.metrics\.[\w.]+",
        r"hoodie\.clean\.(async|async\.enabled|trigger\.strategy|incremental\.enabled|max\.commits\.to\.clean)",
        r"hoodie\.clean\.(allow\.multiple|multiple\.enabled|failed\.writes\.policy|optimize\.[\w.]+)",
        r"hoodie\.cleaner\.(incremental\.mode|policy\.failed\.writes|delete\.bootstrap\.base\.file)",
        r"hoodie\.clean\.delete\.bootstrap\.base\.file|hoodie\.write\.empty\.clean\.interval\.hours",
        r"hoodie\.archive\.(async|merge\.[\w.]+|block\.on\.latest\.clean\.ectr)",
        r"hoodie\.commits\.archival\.batch|hoodie\.timeline\.(compaction|manifest)\.[\w.]+",
        r"hoodie\.compaction\.(strategy|target\.io|lazy\.block\.read|reverse\.log\.read)",
        r"hoodie\.datasource\.compaction\.async\.enable|hoodie\.datasource\.write\.streaming\.[\w.]+",
        r"hoodie\.clustering\.(inline\.max\.commits|async\.max\.commits|plan\.[\w.]+|execution\.[\w.]+)",
        r"hoodie\.storage\.layout\.[\w.]+|hoodie\.consistency\.check\.[\w.]+",
        r"classname|connectionname",
        r"hoodie\.datasource\.(hive_sync|meta\.sync)\.[\w.]+|hoodie\.meta\.sync\.client\.tool\.class",
        r"hoodie\.write\.concurrency\.early\.conflict\.(detection\.strategy|check\.commit\.conflict)",
        r"hoodie\.write\.concurrency\.async\.conflict\.detector\.[\w.]+",
        r"hoodie\.fs\.atomic_creation\.support",
    )
)

LOCK_KEYS = re.compile(r"hoodie\.write\.lock\.[\w.]+|hoodie\.aws\.[\w.]+|hoodie\.base\.path")
"""Keys that a lock provider may accept; the chosen provider decides which of them have an effect."""

HUDI_LOCK_KEYS = re.compile(
    r"hoodie\.write\.lock\.((filesystem|hivemetastore|zookeeper|dynamodb|storage)\.[\w.]+"
    r"|num_retries|heartbeat_interval_ms|app_id)|hoodie\.aws\.[\w.]+|hoodie\.base\.path"
)
"""Keys of Hudi's lock providers; they have no effect with another provider or without one."""


@frozen
class Restriction:
    """Accepted values of a key, the reason why others are rejected, and values that are ignored with a warning."""

    values: tuple[str, ...]
    reason: str
    ignored: tuple[str, ...] = ()


_SERVICE = "this table service is not run by a write"
_ALL_PARTITIONS = "every partition is cleaned"
_JAVA_VALIDATORS = "validators are Python plugins; list them in 'pre_commit'"
_JAVA_CALLBACKS = "callbacks are Python plugins; list them in 'post_commit'"

RESTRICTED_KEYS = {
    "hoodie.metadata.enable": Restriction(
        ("false",), "expected true or false; hoodoo writes no metadata table with either value", ("true",)
    ),
    "hoodie.populate.meta.fields": Restriction(("true",), "tables without meta columns cannot be updated by key"),
    "hoodie.datasource.write.drop.partition.columns": Restriction(
        ("false",), "partition columns are stored in the data files"
    ),
    "hoodie.table.cdc.enabled": Restriction(("false",), "change data capture files are not written"),
    "hoodie.allow.operation.metadata.field": Restriction(("false",), "the `_hoodie_operation` column is not written"),
    "hoodie.write.concurrency.early.conflict.detection.enable": Restriction(
        ("false",), "expected true or false; a commit checks for conflicts with either value", ("true",)
    ),
    "hoodie.write.concurrency.schema.conflict.resolution.enable": Restriction(
        ("false",),
        "expected true or false; a write compares its columns with the table at its start with either value",
        ("true",),
    ),
    "hoodie.write.num.retries.on.conflict.failures": Restriction(
        ("0",), "a write with a conflict is rolled back and raises CommitConflict; repeat the write after this error"
    ),
    "hoodie.write.lock.conflict.resolution.strategy": Restriction(
        tuple(
            prefix + name
            for name in (
                "SimpleConcurrentFileWritesConflictResolutionStrategy",
                "BucketIndexConcurrentFileWritesConflictResolutionStrategy",
            )
            for prefix in ("org.apache.hudi.client.transaction.", "")
        ),
        "the second of two writes that change the same file group or bucket is rolled back; no write waits for another "
        "or has priority over it",
    ),
    "hoodie.clean.partition.filter.regex": Restriction((), _ALL_PARTITIONS),
    "hoodie.clean.partition.filter.selected": Restriction((), _ALL_PARTITIONS),
    "hoodie.cleaner.partition.filter.regex": Restriction((), _ALL_PARTITIONS),
    "hoodie.cleaner.partition.filter.selected": Restriction((), _ALL_PARTITIONS),
    "hoodie.archive.beyond.savepoint": Restriction(("false",), "commits from the first savepoint on are not archived"),
    "hoodie.precommit.validators": Restriction((), _JAVA_VALIDATORS),
    "hoodie.write.commit.callback.on": Restriction(("false",), _JAVA_CALLBACKS),
    "hoodie.schedule.compact.only.inline": Restriction(
        ("false",), "a write executes a due compaction instead of scheduling it"
    ),
    "hoodie.clustering.inline": Restriction(("false",), _SERVICE),
    "hoodie.clustering.async.enabled": Restriction(("false",), _SERVICE),
    "hoodie.combine.before.upsert": Restriction(("true",), "upsert always merges the rows of one key"),
    "hoodie.combine.before.delete": Restriction(("true",), "delete always merges the rows of one key"),
    "hoodie.merge.allow.duplicate.on.inserts": Restriction(("true",), "insert never merges"),
    "hoodie.table.base.file.format": Restriction(("parquet",), "base files are Parquet"),
    "hoodie.write.complex.keygen.new.encoding": Restriction(("false",), "a write keeps the encoding of the table"),
    "hoodie.index.global.index": Restriction(("false",), "the option 'index' selects a global index"),
    "hoodie.index.bucket.engine": Restriction(("simple",), "only the simple bucket engine is supported"),
}
