"""Verdicts on Hudi's keys for indexes and the metadata table: no effect, or refused."""

from __future__ import annotations

from hoodoo.options.hudi.verdict import Effect, Verdict

__all__ = ["INDEX_VERDICTS"]

_METADATA = "metadata table"
_NO_INDEX = "no index of this kind is created in the metadata table: readers read the same rows without it"
_ADVICE = "a write by Hudi to this table builds such an index"

INDEX_VERDICTS = (
    Verdict(
        "index",
        ("hoodie.index.class",),
        Effect.REFUSED,
        "a class of Java, which does not run here; the option 'index' selects an index",
    ),
    Verdict(
        "index",
        ("hoodie.index.global.index",),
        Effect.REFUSED,
        "the option 'index' selects a global index",
        same=("false",),
    ),
    Verdict(
        "index",
        ("hoodie.index.bucket.engine",),
        Effect.REFUSED,
        "file groups of consistent hashing follow metadata that is not written, and with another index Hudi would look "
        "keys up in file groups that do not have them, and store these keys twice; use the bucket engine SIMPLE",
        same=("simple",),
    ),
    Verdict(
        "index",
        ("hoodie.bucket.index.partition.*",),
        Effect.REFUSED,
        "all partitions have the same number of buckets; set the option 'buckets' instead",
    ),
    Verdict(
        "index",
        (
            "hoodie.bucket.index.max.num.buckets",
            "hoodie.bucket.index.min.num.buckets",
            "hoodie.bucket.index.merge.threshold",
            "hoodie.bucket.index.split.threshold",
        ),
        Effect.NONE,
        "a detail of the consistent hashing engine, which is refused itself",
    ),
    Verdict(
        "index",
        (
            "hoodie.bloom.index.*",
            "hoodie.bucket.index.query.pruning",
            "hoodie.bucket.index.remote.partitioner.enable",
            "hoodie.global.*parallelism",
            "hoodie.hbase.index.*",
            "hoodie.index.bloom.*",
            "hoodie.index.hbase.*",
            "hoodie.record.index.*",
            "hoodie.simple.index.*",
        ),
        Effect.NONE,
        "keys are looked up in another way, with the same result",
    ),
    Verdict(
        _METADATA,
        (
            "hoodie.metadata.*expression*.enable",
            "hoodie.metadata.index.secondary.enable",
        ),
        Effect.MISSED,
        _NO_INDEX,
        same=("false",),
        advice=_ADVICE,
    ),
    Verdict(
        _METADATA,
        ("hoodie.metadata.index.async",),
        Effect.MISSED,
        "a write creates the indexes that its options enable, and leaves none to another process",
        same=("false",),
        advice="to create them outside of writes, run `hoodoo table index create` in a job of its own",
    ),
    Verdict(
        _METADATA,
        ("hoodie.datasource.write.secondarykey.column",),
        Effect.MISSED,
        _NO_INDEX,
        advice=_ADVICE,
    ),
    Verdict(
        _METADATA,
        (
            "hoodie.assume.date.partitioning",
            "hoodie.expression.index.*",
            "hoodie.file.listing.parallelism",
            "hoodie.index.name",
            "hoodie.metadata.*",
            "_hoodie.metadata.*",
        ),
        Effect.NONE,
        "a detail of the metadata table, for which hoodoo uses the defaults of Hudi",
    ),
)
