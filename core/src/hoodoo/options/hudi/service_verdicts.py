"""Verdicts on Hudi's keys for table services, catalogs and metrics: no effect, or refused."""

from __future__ import annotations

from hoodoo.options.hudi.verdict import Effect, Verdict

__all__ = ["SERVICE_VERDICTS"]

_SYNC = "catalog sync"
_CLUSTERING = "clustering"
_COMPACTION = "compaction"
_TTL = "partition lifetime"
_METRICS = "metrics"
_MANAGER = "table service manager"
_BOOTSTRAP = "bootstrap"

SERVICE_VERDICTS = (
    Verdict(
        _SYNC,
        (
            "hive_sync.*",
            "hoodie.adb.sync.*",
            "hoodie.datahub.*",
            "hoodie.datasource.hive_sync.assume_date_partitioning",
            "hoodie.datasource.hive_sync.base_file_format",
            "hoodie.datasource.hive_sync.bucket_sync",
            "hoodie.datasource.hive_sync.bucket_sync_spec",
            "hoodie.datasource.hive_sync.filter_pushdown_enabled",
            "hoodie.datasource.hive_sync.filter_pushdown_max_size",
            "hoodie.datasource.hive_sync.ignore_exceptions",
            "hoodie.datasource.hive_sync.jdbcurl",
            "hoodie.datasource.hive_sync.password",
            "hoodie.datasource.hive_sync.recreate_table_on_error",
            "hoodie.datasource.hive_sync.use_jdbc",
            "hoodie.datasource.hive_sync.use_pre_apache_input_format",
            "hoodie.datasource.hive_sync.use_spark_catalog",
            "hoodie.datasource.partition_extractor_class",
            "hoodie.gcp.*",
            "hoodie.meta.sync.incremental",
            "hoodie.meta.sync.metadata_file_listing",
            "hoodie.meta.sync.no_partition_metadata",
            "hoodie.meta.sync.touch.partitions.enabled",
            "hoodie.meta_sync.global.replicate.timestamp",
            "hoodie.spark.polaris.catalog.class",
            "hoodie.table.partition_extractor_class",
        ),
        Effect.NONE,
        "a detail of Hudi's sync tools that the catalog providers do not have",
    ),
    Verdict(
        _CLUSTERING,
        (
            "hoodie.clustering.inline",
            "hoodie.clustering.async.enabled",
            "hoodie.clustering.schedule.inline",
            "hoodie.datasource.clustering.*.enable",
            "hoodie.layout.optimize.enable",
        ),
        Effect.MISSED,
        "clustering is not run: it changes the layout of files and no row",
        same=("false",),
        advice="run it with Hudi in a separate job, while no write runs",
    ),
    Verdict(
        _CLUSTERING,
        ("hoodie.clustering.*", "hoodie.layout.optimize.*"),
        Effect.NONE,
        "a detail of clustering, which is not run",
    ),
    Verdict(
        _COMPACTION,
        ("hoodie.compact.schedule.inline", "hoodie.schedule.compact.only.inline"),
        Effect.MISSED,
        "a write does not schedule a compaction that another process runs",
        same=("false",),
        advice="let a write run it ('compact_inline'), or call `hoodoo table compact` in a job of its own",
    ),
    Verdict(
        _COMPACTION,
        ("hoodie.log.compaction.enable", "hoodie.log.compaction.inline"),
        Effect.MISSED,
        "log files are not merged into larger log files",
        same=("false",),
        advice="compaction ('compact_inline') merges them into base files",
    ),
    Verdict(
        _COMPACTION,
        ("hoodie.datasource.compaction.async.enable", "hoodie.compact.async.*", "hoodie.compaction.async.*"),
        Effect.NONE,
        "a batch write runs no compaction in the background in Hudi either",
    ),
    Verdict(
        _COMPACTION,
        (
            "hoodie.compaction.daybased.target.partitions",
            "hoodie.compaction.lazy.block.read",
            "hoodie.compaction.logfile.*",
            "hoodie.compaction.partition.path.regex",
            "hoodie.compaction.plan.generator",
            "hoodie.compaction.reverse.log.read",
            "hoodie.compaction.strategy",
            "hoodie.compaction.target.io",
            "hoodie.log.compaction.blocks.threshold",
        ),
        Effect.NONE,
        "a compaction that is due compacts all file groups with logs, which changes no row",
    ),
    Verdict(
        "cleaning",
        ("hoodie.clean.partition.filter.*", "hoodie.cleaner.partition.filter.*"),
        Effect.REFUSED,
        "every partition is cleaned, and files that the key protects would be deleted; leave the key out, set "
        "hoodie.clean.automatic to false, and clean the table with Hudi",
    ),
    Verdict(
        "cleaning",
        (
            "hoodie.clean.allow.multiple",
            "hoodie.clean.async",
            "hoodie.clean.async.enabled",
            "hoodie.clean.delete.bootstrap.base.file",
            "hoodie.clean.failed.writes.policy",
            "hoodie.clean.incremental.enabled",
            "hoodie.clean.max.commits.to.clean",
            "hoodie.clean.multiple.enabled",
            "hoodie.clean.optimize.*",
            "hoodie.clean.trigger.strategy",
            "hoodie.cleaner.delete.bootstrap.base.file",
            "hoodie.cleaner.incremental.mode",
            "hoodie.cleaner.policy.failed.writes",
            "hoodie.prewrite.cleaner.policy",
            "hoodie.write.empty.clean.interval.hours",
        ),
        Effect.NONE,
        "cleaning runs after a commit, in the process of the write; writes of dead writers are rolled back by the next "
        "write",
    ),
    Verdict(
        "archiving",
        ("hoodie.archive.beyond.savepoint",),
        Effect.MISSED,
        "commits from the first savepoint on are not archived",
        same=("false",),
        advice="delete savepoints that are not needed",
    ),
    Verdict(
        "archiving",
        (
            "hoodie.archive.async",
            "hoodie.archive.block.on.latest.clean.ectr",
            "hoodie.archive.merge.*",
            "hoodie.commits.archival.batch",
            "hoodie.fail.on.timeline.archiving",
            "hoodie.timeline.compaction.*",
            "hoodie.timeline.manifest.*",
        ),
        Effect.NONE,
        "archiving runs after a commit, in the process of the write, and its failure is a warning",
    ),
    Verdict(
        _TTL,
        ("hoodie.partition.ttl.inline",),
        Effect.REFUSED,
        "partitions are not deleted by their age, so that old rows would stay; use operation delete_partition",
        same=("false",),
    ),
    Verdict(_TTL, ("hoodie.partition.ttl.*",), Effect.NONE, "partitions are not deleted by their age"),
    Verdict(
        _MANAGER,
        ("hoodie.table.service.manager.enabled",),
        Effect.MISSED,
        "no service of another process is called",
        same=("false",),
        advice="run services inline, or by `hoodoo table` in a job of its own",
    ),
    Verdict(
        _MANAGER,
        ("hoodie.table.service.manager.*", "hoodie.table.services.incremental.enabled"),
        Effect.NONE,
        "a detail of services in other processes, which are not called",
    ),
    Verdict(
        _METRICS,
        ("hoodie.metrics.on", "hoodie.metrics.executor.enable", "hoodie.metrics.lock.enable"),
        Effect.MISSED,
        "no metrics are reported",
        same=("false",),
        advice="report them from a post-commit hook: its `Commit` has counts, bytes and seconds",
    ),
    Verdict(
        _METRICS,
        ("hoodie.metrics.*", "hoodie.metricscompaction.*"),
        Effect.NONE,
        "a detail of the reports of metrics, which are not made",
    ),
    Verdict(
        _BOOTSTRAP,
        (
            "hoodie.bootstrap.data.queries.only",
            "hoodie.bootstrap.parallelism",
            "hoodie.bootstrap.partitionpath.translator.class",
        ),
        Effect.NONE,
        "a detail of a bootstrap without a copy of the rows; in a copy, as in Hudi, the key generator makes the "
        "partition paths",
    ),
)
