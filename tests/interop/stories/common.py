"""Options and steps that several stories share."""

from __future__ import annotations

from tests.interop.rows import batch, plain_batch
from tests.interop.story import Step, Write

__all__ = [
    "BY_PART",
    "COMPACT",
    "COW",
    "EVENT_TIME",
    "METADATA",
    "MOR",
    "OVERWRITE",
    "PARQUET_LOGS",
    "SCHEDULE",
    "changes",
    "keep",
    "payload",
    "some",
    "version",
]

COW = {"hoodie.datasource.write.table.type": "COPY_ON_WRITE"}
MOR = {"hoodie.datasource.write.table.type": "MERGE_ON_READ"}
PARQUET_LOGS = {
    "hoodie.logfile.data.block.format": "parquet",
    "hoodie.write.record.merge.custom.implementation.classes": "org.apache.hudi.DefaultSparkRecordMerger",
}
BY_PART = {
    "hoodie.datasource.write.partitionpath.field": "part",
    "hoodie.datasource.write.hive_style_partitioning": "true",
}
EVENT_TIME = {"hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.DefaultHoodieRecordPayload"}
OVERWRITE = {"hoodie.datasource.write.payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload"}
METADATA = {"hoodie.metadata.enable": "true"}

SCHEDULE = (
    "call run_compaction(op => 'schedule', path => '{path}', options => 'hoodie.compact.inline.max.delta.commits=1')"
)
"""Call that schedules a compaction after one delta commit; by default Hudi schedules one after five."""

COMPACT = "call run_compaction(op => 'run', path => '{path}')"


def version(number: int) -> dict[str, str]:
    """Return the options that write tables of a version, without an upgrade."""
    return {"hoodie.write.table.version": str(number), "hoodie.write.auto.upgrade": "false"}


def payload(name: str) -> dict[str, str]:
    """Return the options of a payload class of Hudi."""
    return {"hoodie.datasource.write.payload.class": f"org.apache.hudi.common.model.{name}"}


def keep(commits: int) -> dict[str, str]:
    """Return the options that clean and archive after each write, so that at most `commits` + 1 commits stay active."""
    return {
        "hoodie.clean.automatic": "true",
        "hoodie.cleaner.commits.retained": "1",
        "hoodie.archive.automatic": "true",
        "hoodie.keep.min.commits": str(commits),
        "hoodie.keep.max.commits": str(commits + 1),
        "hoodie.commits.archival.batch": "1",
    }


def changes() -> list[Step]:
    """Return inserts, updates with greater and smaller ordering values, deletes, and a key that is inserted again."""
    return [
        Write(batch(["a", "b", "c:y", "d:y", "e", "f:z"], 10), "insert"),
        Write(batch(["a", "g", "c:y"], 20)),
        Write(batch(["b", "h:z"], 5)),
        Write(batch(["a", "d:y"], 30), "delete"),
        Write(batch(["d:y", "e"], 15)),
    ]


def some(*, last: bool = True) -> list[Step]:
    """Return an insert and two upserts; without the second upsert if `last` is False."""
    steps: list[Step] = [
        Write(plain_batch(["a", "b", "c:y", "d:y"], 10), "insert"),
        Write(plain_batch(["a", "c:y", "e"], 20)),
    ]
    return [*steps, Write(plain_batch(["b", "a"], 30))] if last else steps
