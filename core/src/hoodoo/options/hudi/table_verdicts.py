"""Verdicts on Hudi's keys that describe a table and its files: no effect, or refused."""

from __future__ import annotations

from hoodoo.options.hudi.verdict import Effect, Verdict

__all__ = ["TABLE_VERDICTS"]

_CDC = "change data capture"

TABLE_VERDICTS = (
    Verdict(
        "meta columns",
        ("hoodie.allow.operation.metadata.field",),
        Effect.REFUSED,
        "the `_hoodie_operation` column is not written; leave the key out",
        same=("false",),
    ),
    Verdict(
        _CDC,
        ("hoodie.table.cdc.enabled",),
        Effect.MISSED,
        "change data capture files are not written, and a new table is not marked as one that has them: readers "
        "refuse a query of its changes, and all other queries find the same rows",
        same=("false",),
        advice="use incremental queries, or compare two snapshots",
    ),
    Verdict(
        _CDC,
        ("hoodie.table.cdc.*", "hoodie.cdc.*"),
        Effect.NONE,
        "a detail of change data capture files, which are not written",
    ),
    Verdict(
        "file formats",
        ("hoodie.table.base.file.format", "hoodie.base.file.format", "hoodie.table.ro.file.format"),
        Effect.REFUSED,
        "base files are Parquet; leave the key out",
        same=("parquet",),
    ),
    Verdict(
        "file formats",
        ("hoodie.table.multiple.base.file.formats.enable",),
        Effect.REFUSED,
        "all base files of a table are Parquet; leave the key out",
        same=("false",),
    ),
    Verdict(
        "file formats",
        ("hoodie.table.log.file.format", "hoodie.table.rt.file.format"),
        Effect.REFUSED,
        "log files have Hudi's own format; leave the key out",
        same=("HOODIE_LOG",),
    ),
    Verdict(
        "file formats",
        ("hoodie.table.format",),
        Effect.REFUSED,
        "tables have the native format; another one is a plugin of Java; leave the key out",
        same=("native",),
    ),
    Verdict(
        "partial updates",
        ("hoodie.table.partial.update.mode",),
        Effect.REFUSED,
        "a merger makes partial updates; leave the key out, and name such a merger in 'merger': `hoodoo plugins list "
        "--family merger` shows the installed mergers",
        same=("NONE",),
    ),
    Verdict(
        "places in the table",
        ("hoodie.archivelog.folder",),
        Effect.REFUSED,
        "archived instants are in the folder that Hudi uses by default; leave the key out",
        same=("archived",),
    ),
    Verdict(
        "places in the table",
        ("hoodie.timeline.path", "hoodie.timeline.history.path"),
        Effect.REFUSED,
        "the timeline is in the folders that Hudi uses by default; leave the key out",
        same=("timeline", "history"),
    ),
    Verdict(
        "places in the table",
        ("hoodie.table.path", "hoodie.table.base.path", "hoodie.table.location"),
        Effect.NONE,
        "the path of the table is the argument of the write or the option `path`, as in Hudi",
    ),
    Verdict(
        "table version",
        ("hoodie.table.version",),
        Effect.NONE,
        "an entry of `hoodie.properties`, which Hudi's writer does not take from a job either; the option "
        "`table_version` (hoodie.write.table.version) selects the version of a new table",
    ),
    Verdict(
        "entries of hoodie.properties",
        (
            "hoodie.bootstrap.index.*",
            "hoodie.table.checksum",
            "hoodie.table.create.schema",
            "hoodie.table.index.defs.path",
            "hoodie.table.initial.version",
            "hoodie.table.metadata.partitions*",
            "hoodie.table.secondary.indexes.metadata",
            "hoodie.timeline.layout.version",
        ),
        Effect.NONE,
        "an entry of `hoodie.properties` that follows from the table itself; a job does not choose it",
    ),
    Verdict(
        "entries of hoodie.properties",
        ("hoodie.partition.metafile.use.base.format",),
        Effect.NONE,
        "the metadata file of a partition is a text file, which all readers find",
    ),
)
