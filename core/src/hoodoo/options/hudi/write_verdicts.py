"""Verdicts on Hudi's keys for writes, their columns, rows, checks and commits: no effect, or refused."""

from __future__ import annotations

from hoodoo.options.hudi.verdict import Effect, Verdict

__all__ = ["WRITE_VERDICTS"]

_JAVA = "a class of Java, which does not run here"
_CONFLICT_STRATEGIES = tuple(
    prefix + name
    for name in (
        "SimpleConcurrentFileWritesConflictResolutionStrategy",
        "BucketIndexConcurrentFileWritesConflictResolutionStrategy",
    )
    for prefix in ("org.apache.hudi.client.transaction.", "")
)
_JAVA_MERGERS = tuple(
    prefix + name
    for name in ("HoodieSparkRecordMerger", "DefaultSparkRecordMerger", "HoodieAvroRecordMerger")
    for prefix in ("org.apache.hudi.", "org.apache.hudi.common.model.", "")
)

WRITE_VERDICTS = (
    Verdict(
        "rows of one key",
        ("hoodie.combine.before.delete",),
        Effect.NONE,
        "several deletes of one key in a batch delete the same row as one of them",
    ),
    Verdict(
        "rows of one key",
        ("hoodie.merge.allow.duplicate.on.inserts",),
        Effect.REFUSED,
        "insert never merges; use operation upsert to merge rows of a stored key",
        same=("true",),
    ),
    Verdict(
        "mergers of Java",
        ("hoodie.write.record.merge.custom.implementation.classes", "hoodie.datasource.write.record.merger.impls"),
        Effect.REFUSED,
        f"{_JAVA}; name a merger plugin in 'merger'",
        same=_JAVA_MERGERS,
    ),
    Verdict(
        "mergers of Java",
        ("hoodie.compact.merge.handle.class", "hoodie.write.merge.handle.class", "hoodie.write.concat.handle.class"),
        Effect.REFUSED,
        f"{_JAVA} and may change rows; write a merger plugin",
        same=tuple(
            prefix + name
            for name in ("HoodieWriteMergeHandle", "FileGroupReaderBasedMergeHandle", "HoodieConcatHandle")
            for prefix in ("org.apache.hudi.io.", "")
        ),
    ),
    Verdict(
        "key generators",
        ("hoodie.keygen.datetime.parser.class", "hoodie.deltastreamer.keygen.datetime.parser.class"),
        Effect.REFUSED,
        f"{_JAVA}; write a key generator plugin",
        same=("org.apache.hudi.keygen.parser.HoodieDateTimeParser",),
    ),
    Verdict(
        "key generators",
        ("hoodie.write.complex.keygen.validation.enable",),
        Effect.NONE,
        "a write finds the encoding of the table's keys itself",
    ),
    Verdict(
        "columns",
        ("hoodie.write.schema", "hoodie.avro.schema"),
        Effect.REFUSED,
        "the columns of a write are those of its rows; select and cast the columns of the DataFrame",
    ),
    Verdict(
        "columns",
        ("hoodie.datasource.write.schema.allow.auto.evolution.column.drop",),
        Effect.REFUSED,
        "a write removes no column of a table; it fills columns that the rows lack with null; remove a column with "
        "ALTER TABLE ... DROP COLUMN instead",
        same=("false",),
    ),
    Verdict(
        "columns",
        ("hoodie.schema.on.read.enable",),
        Effect.NONE,
        "reads and writes always find columns by the ids that a table has; as a setting of the session it permits "
        "ALTER TABLE of names, places, and fields of structs",
    ),
    Verdict(
        "columns",
        (
            "hoodie.datasource.write.reconcile.schema",
            "hoodie.write.set.null.for.missing.columns",
            "hoodie.schema.*",
            "hoodie.avro.schema.*",
            "hoodie.internal.write.schema.canonicalize",
            "hoodie.internal.schema",
            "hoodie.*schema.evolution*",
        ),
        Effect.NONE,
        "a write always compares its columns with those of the table: it adds new columns, fills columns that the rows "
        "lack with null, and refuses types that do not fit",
    ),
    Verdict(
        "commit metadata",
        ("hoodie.write.meta.key.prefixes", "hoodie.write.rolling.*"),
        Effect.MISSED,
        "entries of the commit metadata are not copied from one commit to the next",
        advice="give them to each write in 'commit_metadata'",
    ),
    Verdict(
        "validators",
        ("hoodie.precommit.validators", "hoodie.prewrite.validators"),
        Effect.REFUSED,
        f"{_JAVA}, and the write would commit rows that it should reject; validators are Python plugins: list them in "
        "'pre_commit'",
    ),
    Verdict(
        "validators",
        ("hoodie.precommit.validators.*",),
        Effect.NONE,
        "a detail of validators of Java, which are refused themselves",
    ),
    Verdict(
        "callbacks",
        ("hoodie.write.commit.callback.on",),
        Effect.MISSED,
        "no callback of Java is called",
        same=("false",),
        advice="callbacks are Python plugins: list them in 'post_commit'",
    ),
    Verdict(
        "callbacks",
        ("hoodie.client.init.callback.classes",),
        Effect.MISSED,
        "no callback of Java is called",
        advice="callbacks are Python plugins: list them in 'post_commit'",
    ),
    Verdict(
        "callbacks",
        ("hoodie.write.commit.callback.*",),
        Effect.NONE,
        "a detail of callbacks of Java, which are not called",
    ),
    Verdict(
        "conflicts",
        ("hoodie.write.concurrency.early.conflict.detection.enable",),
        Effect.REFUSED,
        "a commit checks for conflicts with either value",
        same=("false",),
        ignored=("true",),
    ),
    Verdict(
        "conflicts",
        ("hoodie.write.concurrency.schema.conflict.resolution.enable",),
        Effect.REFUSED,
        "with either value, a write compares its columns with those of the table when it begins",
        same=("false",),
        ignored=("true",),
    ),
    Verdict(
        "conflicts",
        ("hoodie.write.num.retries.on.conflict.failures",),
        Effect.MISSED,
        "a write with a conflict is rolled back and raises CommitConflict",
        same=("0",),
        advice="repeat the write after this error",
    ),
    Verdict(
        "conflicts",
        ("hoodie.write.lock.conflict.resolution.strategy",),
        Effect.REFUSED,
        "the second of two writes that change the same file group or bucket is rolled back; no write waits for another "
        "or has priority over it; leave the key out",
        same=_CONFLICT_STRATEGIES,
    ),
    Verdict(
        "conflicts",
        (
            "hoodie.auto.adjust.lock.configs",
            "hoodie.write.concurrency.async.conflict.detector.*",
            "hoodie.write.concurrency.early.conflict.*",
        ),
        Effect.NONE,
        "a commit always checks for conflicts, at its end",
    ),
    Verdict(
        "metaserver",
        ("hoodie.metaserver.enabled",),
        Effect.REFUSED,
        "the timeline is in the folder of the table; leave the key out",
        same=("false",),
    ),
    Verdict("metaserver", ("hoodie.metaserver.*",), Effect.NONE, "the metaserver is not used"),
)
