"""Numbers of requests to an S3 store by plans, writes and reads."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo import Table
from hoodoo.format import read_base_file
from hoodoo.storage import storage_for
from hoodoo.storage.object_store.lease_lock import _free
from hoodoo.storage.object_store.remote_store import known_bodies
from hoodoo.testing.engine import write_arrow
from hoodoo.txn import held_write
from hoodoo.txn.held_write import HeldWrite
from hoodoo.txn.locking.table_lock import LOCK_FILE

from .proxy import proxied

pytestmark = pytest.mark.slow


@pytest.fixture
def place(s3_endpoint, s3_options, make_bucket):
    """Yield a table's location through a proxy that counts requests: path, options, proxy."""
    with proxied(s3_endpoint) as (address, proxy):
        yield f"s3://{make_bucket()}/t", {**s3_options, "fs.s3a.endpoint": address}, proxy


@pytest.mark.representatives(partitions=[10])
@pytest.mark.parametrize(("partitions", "files"), [(10, 3), (100, 10)])
def test_a_plan_takes_little_more_than_a_request_for_each_partition(place, s3_options, partitions, files):
    path, options, proxy = place
    count = partitions * files * 5
    rows = pa.table({"id": range(count), "city": [f"c{number % partitions}" for number in range(count)]})
    table = {"table_name": "t", "record_key": "id", "partition_by": "city", "index": "bucket", "buckets": files}
    write_arrow(rows, path, {**table, **s3_options, "operation": "bulk_insert"})
    proxy.restart(lambda method, path, number: "")
    assert partitions < len(Table(path, options).plan().splits) <= partitions * files
    assert proxy.count <= partitions + 10


REQUESTS = [
    ("GET", "the files of the table"),
    ("PUT", ".hoodie/.hoodoo.lock"),
    ("GET", "the files of .hoodie"),
    ("PUT", ".commit.requested"),
    ("PUT", ".inflight"),
    ("PUT", ".parquet.marker.MERGE"),
    ("GET", ".parquet"),
    ("PUT", ".parquet"),
    ("PUT", ".hoodie/.hoodoo.lock"),
    ("PUT", ".commit"),
    ("PUT", ".hoodie/.hoodoo.lock"),
    ("POST", "?delete"),
]
"""The requests of a commit of 100 rows to one file group: docs/why/0044 gives the reason for each."""


RETURNED_FILE = [*REQUESTS[:5], REQUESTS[6], REQUESTS[5], *REQUESTS[7:]]
"""The requests if a task of Spark returns the file: the driver creates the marker when it stores the file."""


def check_requests(requests, all_expected):
    listed = {"?list-type=2&prefix=t%2F": REQUESTS[0][1], "?list-type=2&prefix=t%2F.hoodie%2F": REQUESTS[2][1]}
    found = [request.split(" ", 1) for request in requests]
    named = [(method, next((text for end, text in listed.items() if at.endswith(end)), at)) for method, at in found]
    assert len(named) == len(all_expected), "\n".join(requests)
    for (method, at), (expected, end) in zip(named, all_expected, strict=True):
        assert method == expected
        assert at.endswith(end), f"{method} {at} in place of {expected} {end}"


def test_a_small_commit_takes_twelve_requests(place, s3_options):
    path, options, proxy = place
    rows = pa.table({"id": range(100), "v": [1] * 100})
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 1, "table_version": 6}
    hoodoo.write(rows, path, {**table, **s3_options})
    for _ in range(3):
        proxy.restart(lambda method, path, number: "")
        hoodoo.write(rows, path, {**table, **options})
        check_requests(proxy.requests, REQUESTS)


def test_a_small_commit_by_spark_takes_twelve_requests(spark, place, s3_options, monkeypatch):
    """The task returns the file to the driver. The write may keep the lock for 600 s, so that load does not matter."""
    path, options, proxy = place
    monkeypatch.setattr(held_write, "LONGEST_HOLD", 600)
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 1, "table_version": 6}
    for number in range(4):
        proxy.restart(lambda method, path, number: "")
        rows = spark.range(100).selectExpr("id", f"{number} AS v")
        hoodoo.write(rows, path, {**table, **(options if number else s3_options)})
        if number:
            check_requests(proxy.requests, RETURNED_FILE)
    assert Table(path, s3_options).to_arrow(["v"]).column("v").to_pylist() == [3] * 100


@pytest.mark.parametrize("kind", [{"table_version": 9}, {"table_version": 9, "table_type": "MERGE_ON_READ"}])
def test_the_first_commit_of_a_process_reads_the_properties_the_lock_and_the_commits(place, s3_options, kind):
    path, options, proxy = place
    rows = pa.table({"id": range(100), "v": [1] * 100})
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 1, **kind}
    for _ in range(3):
        hoodoo.write(rows, path, {**table, **s3_options})
    known_bodies.clear()
    _free.take(path, LOCK_FILE)
    proxy.restart(lambda method, path, number: "")
    hoodoo.write(rows, path, {**table, **options})

    assert proxy.count <= 12 + 1 + 1 + 3


def test_a_write_that_takes_long_adds_a_heartbeat_a_second_lock_and_checks(place, s3_options, monkeypatch):
    path, options, proxy = place
    rows = pa.table({"id": range(100), "v": [1] * 100})
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 1}
    hoodoo.write(rows, path, {**table, **s3_options})
    begin = HeldWrite.start
    monkeypatch.setattr(HeldWrite, "start", lambda held: (begin(held), held.publish()))
    proxy.restart(lambda method, path, number: "")
    hoodoo.write(rows, path, {**table, **options})

    assert proxy.count == 27
    assert Table(path, s3_options).to_arrow(["id"]).num_rows == 100


def test_a_log_is_read_by_one_request(place, s3_options):
    path, options, proxy = place
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 2, "table_type": "MERGE_ON_READ"}
    for number in range(3):
        rows = pa.table({"id": range(2000), "v": [number] * 2000})
        hoodoo.write(rows, path, {**table, "table_version": 9, "compact_inline": False, **s3_options})
    proxy.restart(lambda method, path, number: "")
    assert Table(path, options).to_arrow(["v"]).column("v").to_pylist() == [2] * 2000
    logs = [request for request in proxy.requests if ".log." in request]
    assert len(logs) == len(set(logs)) == 6


def test_a_log_that_a_write_adds_is_read_by_one_request_for_each_index(place, s3_options):
    path, options, proxy = place
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 2, "table_type": "MERGE_ON_READ"}
    indexes = {"metadata_table": True, "hoodie.metadata.index.column.stats.enable": True}
    given = {
        **table,
        **indexes,
        "hoodie.metadata.record.index.enable": True,
        "table_version": 9,
        "compact_inline": False,
    }
    rows = pa.table({"id": range(2000), "v": [1] * 2000})
    hoodoo.write(rows, path, {**given, **s3_options, "operation": "bulk_insert"})
    proxy.restart(lambda method, path, number: "")
    hoodoo.write(rows, path, {**given, **options})
    logs = [at for at in proxy.requests if at.startswith("GET") and ".log." in at and "/metadata/" not in at]
    assert len(logs) == 2 * len(set(logs)) == 4


def test_partitions_are_listed_at_the_same_time(place, s3_options):
    path, options, proxy = place
    storage = storage_for(path, s3_options)
    for number in range(16):
        storage.create(f"p{number}/a/b.parquet", b"1")
    storage.create(".hoodie/c", b"1")
    storage.create("d", b"1")

    proxy.restart(lambda method, path, number: "")
    proxy.delay = 0.2
    found = sorted(file.path for file in storage_for(path, options).walk())
    assert found == sorted(["d", *(f"p{number}/a/b.parquet" for number in range(16))])
    assert proxy.count == 17
    assert proxy.most_at_work > 4


def test_column_chunks_of_a_large_file_share_requests_that_run_at_the_same_time(place):
    path, options, proxy = place
    rows = pa.table({f"c{n}": np.random.default_rng(n).random(100_000) for n in range(16)})
    body = io.BytesIO()
    pq.write_table(rows, body, row_group_size=25_000)
    storage = storage_for(path, options)
    storage.create("f.parquet", body.getvalue())
    assert len(body.getvalue()) > 12_000_000
    proxy.restart(lambda method, path, number: "")
    proxy.delay = 0.05
    read = pa.concat_tables(read_base_file(storage, "f.parquet", rows.schema))
    assert read.equals(rows)
    # one request for the footer, and one for each 8 MiB instead of one for each of the 64 column chunks
    assert proxy.count <= 4
    assert proxy.most_at_work > 1
