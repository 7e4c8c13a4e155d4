"""Verdicts on Hudi's keys for reads: no effect, or refused."""

from __future__ import annotations

from hoodoo.options.hudi.verdict import Effect, Verdict

__all__ = ["READ_VERDICTS"]

READ_VERDICTS = (
    Verdict(
        "queries of logs",
        ("hoodie.datasource.merge.type",),
        Effect.REFUSED,
        "a snapshot query merges log files into base files; leave the key out, or, to read base files only, use query "
        "type read_optimized instead",
        same=("payload_combine",),
    ),
    Verdict(
        "rows of a query",
        ("hoodie.datasource.read.incr.filters",),
        Effect.REFUSED,
        "filter the DataFrame that the query returns",
        same=("",),
    ),
    Verdict(
        "rows of a query",
        ("hoodie.datasource.read.incr.table.version", "hoodie.datasource.read.streaming.table.version"),
        Effect.REFUSED,
        "the version of the table decides whether `begin` and `end` are instants or completion times; leave the key "
        "out",
    ),
    Verdict(
        "rows of a query",
        ("hoodie.read.timeline.holes.resolution.policy",),
        Effect.REFUSED,
        "an incremental query returns rows of commits that were completed when it began; leave the key out",
    ),
    Verdict(
        "columns of a query",
        ("hoodie.datasource.read.schema.use.end.instanttime",),
        Effect.REFUSED,
        "an incremental query has the columns that the table has now; select those that are needed",
        same=("false",),
    ),
    Verdict(
        "columns of a query",
        ("hoodie.datasource.read.extract.partition.values.from.path",),
        Effect.REFUSED,
        "partition columns are read from the files, and from paths where the files lack them; leave the key out",
        same=("false",),
    ),
    Verdict(
        "relations other than rows",
        (
            "hoodie.datasource.read.create.filesystem.relation",
            "hoodie.datasource.read.table.valued.function.timeline.relation*",
        ),
        Effect.REFUSED,
        "a read returns the rows of a table; `hoodoo table files` and `hoodoo table timeline` show files and instants",
        same=("false",),
    ),
    Verdict(
        "relations other than rows",
        ("hoodie.datasource.read.table.valued.function.*",),
        Effect.NONE,
        "a detail of relations of files and instants, which are refused themselves",
    ),
    Verdict(
        "incremental queries",
        ("hoodie.datasource.read.incr.skip_cluster", "hoodie.datasource.read.incr.skip_compact"),
        Effect.NONE,
        "an incremental query finds rows by the instant that wrote them, which clustering and compaction keep",
    ),
    Verdict(
        "streaming reads",
        ("hoodie.datasource.streaming.startoffset",),
        Effect.NONE,
        "the key applies to `readStream` only",
    ),
    Verdict(
        "listing and skipping of files",
        (
            "hoodie.datasource.read.file.index.*",
            "hoodie.datasource.read.partition.value.extractor.enabled",
            "hoodie.datasource.read.use.new.parquet.file.format",
            "hoodie.enable.data.skipping",
            "hoodie.file.group.reader.enabled",
            "hoodie.file.index.*",
            "hoodie.hfile.block.cache.*",
            "_hoodie.hfile.use.native.reader",
            "hoodie.merge.use.record.positions",
            "hoodie.optimized.log.blocks.scan.enable",
            "hoodie.read.blob.inline.mode",
        ),
        Effect.NONE,
        "a reader of hoodoo lists, skips and merges files in its own way, with the same rows",
    ),
)
