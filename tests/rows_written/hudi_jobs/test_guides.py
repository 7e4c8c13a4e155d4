"""Options dictionaries of guides for Hudi on PySpark, unchanged: they run, and the `hudi` package reads the same rows.

The keys and values are those that such guides set, for releases 0.15 and 1.x; every value is text, as Spark passes it,
or None, which unsets the key.
The expected rows are worked out by hand from two batches.
"""

from __future__ import annotations

import warnings

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.options import NoEffectWarning
from hoodoo.testing.engine import write_arrow
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

WRITE = "hoodie.datasource.write."
COMPACT = "org.apache.hudi.table.action.compact.strategy."
COMMIT = "org.apache.hudi.table.action.commit."
SYNC = "hoodie.datasource.hive_sync."
KEYED = {
    "hoodie.table.name": "trips",
    WRITE + "recordkey.field": "uuid",
    WRITE + "partitionpath.field": "city",
    WRITE + "precombine.field": "ts",
}
SHUFFLES = {"hoodie.upsert.shuffle.parallelism": "2", "hoodie.insert.shuffle.parallelism": "2"}

# 2024-01-15 and 2024-02-20, in seconds
JANUARY, FEBRUARY = 1705312800, 1708423200
SCHEMA = pa.schema([("uuid", pa.string()), ("city", pa.string()), ("ts", pa.int64()), ("fare", pa.float64())])


def rows(*values: tuple[str, str, int, float]) -> pa.Table:
    return pa.table([list(column) for column in zip(*values, strict=True)], schema=SCHEMA)


FIRST = rows(("a", "oslo", JANUARY, 1.0), ("b", "rome", JANUARY, 2.0), ("c", "oslo", FEBRUARY, 3.0))
LATER = rows(("a", "oslo", JANUARY + 9, 10.0), ("b", "rome", JANUARY - 9, 20.0), ("d", "rome", FEBRUARY, 4.0))
# the second version of `b` is late
BY_TIME = {"a": 10.0, "b": 2.0, "c": 3.0, "d": 4.0}
BY_ARRIVAL = {**BY_TIME, "b": 20.0}

GUIDES = {
    "quickstart of 0.15: upsert": (
        {
            **KEYED,
            WRITE + "table.name": "trips",
            WRITE + "operation": "upsert",
            WRITE + "payload.class": "org.apache.hudi.common.model.DefaultHoodieRecordPayload",
            **SHUFFLES,
        },
        {},
        BY_TIME,
    ),
    "quickstart of 1.x: no operation, ordering by merge mode": (
        {
            "hoodie.table.name": "trips",
            WRITE + "recordkey.field": "uuid",
            WRITE + "partitionpath.field": "city",
            "hoodie.table.ordering.fields": "ts",
            "hoodie.write.record.merge.mode": "EVENT_TIME_ORDERING",
            "hoodie.write.table.version": "9",
            "hoodie.write.auto.upgrade": "false",
        },
        {},
        BY_TIME,
    ),
    "insert, then delete": (
        {**KEYED, WRITE + "operation": "insert", "hoodie.combine.before.insert": "true", **SHUFFLES},
        {WRITE + "operation": "delete", "hoodie.delete.shuffle.parallelism": "2"},
        {"b": 2.0, "c": 3.0},
    ),
    "bulk_insert of the first load, then upsert": (
        {
            **KEYED,
            WRITE + "operation": "bulk_insert",
            WRITE + "row.writer.enable": "true",
            "hoodie.bulkinsert.shuffle.parallelism": "4",
            "hoodie.bulkinsert.sort.mode": "GLOBAL_SORT",
            WRITE + "hive_style_partitioning": "true",
        },
        {WRITE + "operation": "upsert"},
        BY_TIME,
    ),
    "insert_overwrite of partitions": (
        {**KEYED, WRITE + "operation": "insert_overwrite", WRITE + "keygenerator.class": "SIMPLE"},
        {},
        {"a": 10.0, "b": 20.0, "d": 4.0},
    ),
    "merge-on-read with inline compaction": (
        {
            **KEYED,
            WRITE + "table.type": "MERGE_ON_READ",
            WRITE + "operation": "upsert",
            WRITE + "payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
            "hoodie.compact.inline": "true",
            "hoodie.compact.inline.max.delta.commits": "1",
            "hoodie.compaction.strategy": COMPACT + "LogFileSizeBasedCompactionStrategy",
            "hoodie.logfile.data.block.format": "avro",
            "hoodie.datasource.compaction.async.enable": "false",
        },
        {},
        BY_ARRIVAL,
    ),
    "bucket index": (
        {
            **KEYED,
            WRITE + "table.type": "MERGE_ON_READ",
            "hoodie.index.type": "BUCKET",
            "hoodie.index.bucket.engine": "SIMPLE",
            "hoodie.bucket.index.num.buckets": "4",
            "hoodie.bucket.index.hash.field": "uuid",
            "hoodie.storage.layout.type": "BUCKET",
            "hoodie.storage.layout.partitioner.class": COMMIT + "SparkBucketIndexPartitioner",
            "hoodie.write.record.merge.mode": "COMMIT_TIME_ORDERING",
            WRITE + "precombine.field": None,
        },
        {},
        BY_ARRIVAL,
    ),
    "timestamp key generator": (
        {
            **KEYED,
            WRITE + "partitionpath.field": "ts",
            WRITE + "keygenerator.class": "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
            "hoodie.deltastreamer.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
            "hoodie.deltastreamer.keygen.timebased.output.dateformat": "yyyy/MM/dd",
            "hoodie.deltastreamer.keygen.timebased.timezone": "GMT",
            "hoodie.metadata.enable": "false",
        },
        {},
        BY_TIME,
    ),
    "a job on Glue or EMR with its synchronisation off": (
        {
            "className": "org.apache.hudi",
            **KEYED,
            WRITE + "partitionpath.field": "",
            WRITE + "storage.type": "COPY_ON_WRITE",
            WRITE + "operation": "upsert",
            WRITE + "keygenerator.class": "org.apache.hudi.keygen.NonpartitionedKeyGenerator",
            WRITE + "payload.class": "org.apache.hudi.common.model.OverwriteWithLatestAvroPayload",
            SYNC + "enable": "false",
            SYNC + "database": "default",
            SYNC + "table": "trips",
            SYNC + "use_jdbc": "false",
            SYNC + "mode": "hms",
            SYNC + "support_timestamp": "true",
            SYNC + "partition_fields": "",
            SYNC + "partition_extractor_class": "org.apache.hudi.hive.NonPartitionedExtractor",
            "hoodie.index.type": "BLOOM",
            "hoodie.bloom.index.prune.by.ranges": "true",
            "hoodie.metadata.enable": "false",
            "hoodie.consistency.check.enabled": "true",
            "hoodie.parquet.compression.codec": "snappy",
            **SHUFFLES,
        },
        {},
        BY_ARRIVAL,
    ),
    "micro-batches with cleaning and archiving": (
        {
            **KEYED,
            WRITE + "table.type": "MERGE_ON_READ",
            WRITE + "operation": "upsert",
            WRITE + "streaming.retry.count": "3",
            WRITE + "streaming.retry.interval.ms": "2000",
            WRITE + "streaming.ignore.failed.batch": "false",
            "hoodie.clean.automatic": "true",
            "hoodie.clean.async": "true",
            "hoodie.cleaner.policy": "KEEP_LATEST_COMMITS",
            "hoodie.cleaner.commits.retained": "2",
            "hoodie.cleaner.policy.failed.writes": "EAGER",
            "hoodie.keep.min.commits": "3",
            "hoodie.keep.max.commits": "4",
            "hoodie.parquet.small.file.limit": "104857600",
            "hoodie.parquet.max.file.size": "125829120",
            "hoodie.copyonwrite.record.size.estimate": "1024",
            "hoodie.compact.inline": "false",
            "hoodie.clustering.inline": "false",
            "hoodie.metrics.on": "false",
            "hoodie.write.concurrency.mode": "SINGLE_WRITER",
        },
        {},
        BY_TIME,
    ),
}

each_guide = pytest.mark.parametrize("name", GUIDES)


def check(path, expected):
    stored = hoodoo.Table(path).to_arrow()
    assert dict(zip(*(stored[name].to_pylist() for name in ("uuid", "fare")), strict=True)) == expected
    assert stored.num_rows == len(expected)
    assert_same(hudi_rows(path), hoodoo_rows(path), "the hudi package", SCHEMA.names)


def send(write, name):
    """Run the guide's two writes, ignoring warnings about keys without effect, and return the expected rows."""
    options, second, expected = GUIDES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoEffectWarning)
        write(FIRST, options)
        write(LATER, {**options, **second})
    return expected


@each_guide
def test_the_dictionary_of_a_guide_runs_unchanged(tmp_path, name):
    path = tmp_path / "t"

    expected = send(lambda batch, options: write_arrow(batch, path, options), name)

    check(path, expected)


@pytest.mark.spark
@pytest.mark.parametrize("name", ["quickstart of 0.15: upsert", "merge-on-read with inline compaction"])
def test_the_dictionary_of_a_guide_runs_in_spark(spark, tmp_path, name):
    path = tmp_path / "t"

    def write(batch, options):
        df = spark.createDataFrame(
            [tuple(row.values()) for row in batch.to_pylist()], "uuid string, city string, ts long, fare double"
        )
        hoodoo.writer(df).options(**options).mode("append").save(str(path))

    check(path, send(write, name))
