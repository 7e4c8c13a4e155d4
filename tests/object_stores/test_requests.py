"""Numbers of requests to an S3 store."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo import Table
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

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


def test_the_requests_of_a_small_commit_are_bounded(place, s3_options):
    path, options, proxy = place
    rows = pa.table({"id": range(100), "v": [1] * 100})
    table = {"table_name": "t", "record_key": "id", "index": "bucket", "buckets": 1}
    hoodoo.write(rows, path, {**table, **s3_options})

    proxy.restart(lambda method, path, number: "")
    hoodoo.write(rows, path, {**table, **options})

    assert proxy.count <= 39


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
