"""Hudi keys that are not options here: some have no effect, some only where they say what is done anyway.

A key that would change what is stored or what else happens, and is not supported, is refused: nobody should believe
that a table was synchronised when it was not.
"""

from __future__ import annotations

import re

from attrs import frozen

__all__ = ["FOR_LOCKS", "HUDI_LOCKS", "NO_EFFECT", "ONLY", "Only"]

NO_EFFECT = tuple(
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
        r"hoodie\.datasource\.(hive_sync|meta\.sync)\.(?!enable$)[\w.]+",
        r"hoodie\.write\.concurrency\.early\.conflict\.(detection\.strategy|check\.commit\.conflict)",
        r"hoodie\.write\.concurrency\.async\.conflict\.detector\.[\w.]+",
        r"hoodie\.fs\.atomic_creation\.support",
    )
)

FOR_LOCKS = re.compile(r"hoodie\.write\.lock\.[\w.]+|hoodie\.aws\.[\w.]+|hoodie\.base\.path")
"""Keys that a lock provider may have; which of them have an effect is known once it is chosen."""

HUDI_LOCKS = re.compile(
    r"hoodie\.write\.lock\.((filesystem|hivemetastore|zookeeper|dynamodb|storage)\.[\w.]+"
    r"|num_retries|heartbeat_interval_ms|app_id)|hoodie\.aws\.[\w.]+|hoodie\.base\.path"
)
"""Those of Hudi's providers, which have no effect where another provider is chosen, or none."""


@frozen
class Only:
    """The values of a key that can be given, why others cannot, and which are passed over with a notice."""

    values: tuple[str, ...]
    reason: str
    ignored: tuple[str, ...] = ()


_SYNC = "tables are not registered in a catalog; run the catalog's own synchronisation after the write"
_SERVICE = "this table service does not run with a write"
_ALL_PARTITIONS = "every partition is cleaned"
_JAVA_VALIDATORS = "validators are Python plugins here; name them in 'pre_commit'"
_JAVA_CALLBACKS = "callbacks are Python plugins here; name them in 'post_commit'"

ONLY = {
    "hoodie.datasource.hive_sync.enable": Only(("false",), _SYNC),
    "hoodie.datasource.meta.sync.enable": Only(("false",), _SYNC),
    "hoodie.meta.sync.client.tool.class": Only((), _SYNC),
    "hoodie.metadata.enable": Only(
        ("false",), "it takes true or false; tables have no metadata table either way", ("true",)
    ),
    "hoodie.populate.meta.fields": Only(("true",), "tables without meta columns cannot be updated by key"),
    "hoodie.datasource.write.drop.partition.columns": Only(
        ("false",), "partition columns are stored in the data files"
    ),
    "hoodie.table.cdc.enabled": Only(("false",), "change data capture files are not written"),
    "hoodie.allow.operation.metadata.field": Only(("false",), "the `_hoodie_operation` column is not written"),
    "hoodie.write.concurrency.early.conflict.detection.enable": Only(
        ("false",), "it takes true or false; conflicts are looked for when a write is committed, either way", ("true",)
    ),
    "hoodie.write.concurrency.schema.conflict.resolution.enable": Only(
        ("false",),
        "it takes true or false; columns are compared with those of the table when a write begins, either way",
        ("true",),
    ),
    "hoodie.write.num.retries.on.conflict.failures": Only(
        ("0",), "a write that meets a conflict is rolled back and raises CommitConflict; run it again on that"
    ),
    "hoodie.write.lock.conflict.resolution.strategy": Only(
        tuple(
            prefix + name
            for name in (
                "SimpleConcurrentFileWritesConflictResolutionStrategy",
                "BucketIndexConcurrentFileWritesConflictResolutionStrategy",
            )
            for prefix in ("org.apache.hudi.client.transaction.", "")
        ),
        "the write that comes second is rolled back where both changed one file group, or one bucket; no write waits "
        "for another one, or is preferred to it",
    ),
    "hoodie.clean.partition.filter.regex": Only((), _ALL_PARTITIONS),
    "hoodie.clean.partition.filter.selected": Only((), _ALL_PARTITIONS),
    "hoodie.cleaner.partition.filter.regex": Only((), _ALL_PARTITIONS),
    "hoodie.cleaner.partition.filter.selected": Only((), _ALL_PARTITIONS),
    "hoodie.archive.beyond.savepoint": Only(("false",), "commits from a savepoint on stay on the timeline"),
    "hoodie.precommit.validators": Only((), _JAVA_VALIDATORS),
    "hoodie.write.commit.callback.on": Only(("false",), _JAVA_CALLBACKS),
    "hoodie.schedule.compact.only.inline": Only(("false",), "a compaction that is due is carried out, not put off"),
    "hoodie.clustering.inline": Only(("false",), _SERVICE),
    "hoodie.clustering.async.enabled": Only(("false",), _SERVICE),
    "hoodie.combine.before.upsert": Only(("true",), "upsert always merges the rows of one key"),
    "hoodie.combine.before.delete": Only(("true",), "delete always merges the rows of one key"),
    "hoodie.merge.allow.duplicate.on.inserts": Only(("true",), "insert never merges"),
    "hoodie.table.base.file.format": Only(("parquet",), "base files are Parquet"),
    "hoodie.write.complex.keygen.new.encoding": Only(("false",), "the encoding that the table has is followed"),
    "hoodie.index.global.index": Only(("false",), "'index' says whether an index is global"),
    "hoodie.index.bucket.engine": Only(("simple",), "only the simple bucket engine is written"),
}
