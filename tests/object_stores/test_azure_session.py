"""Spark's own Parquet reader reads tables in Azure if the session has Hadoop's ABFS: `tox -e stores`.

The service is Azurite with `tests/support/adls_server.py` in front of it for the requests of ABFS.
"""

from __future__ import annotations

import base64
import os
import socket
import time
from collections.abc import Iterator

import pytest

import hoodoo
from hoodoo.spark.scan import session_stores
from hoodoo.spark.workers import divided_slices

from .test_session_stores import FIRST, NOW, OPTIONS, plan_of, sorted_rows, written

pytestmark = [
    pytest.mark.slow,
    pytest.mark.spark,
    pytest.mark.skipif("HOODOO_ABFS" not in os.environ, reason="the session lacks Hadoop's ABFS: tox -e stores"),
]

HOST = "devstoreaccount1.dfs.core.windows.net"
KEY = f"fs.azure.account.key.{HOST}"


@pytest.fixture(scope="module")
def service(azure_options) -> Iterator[tuple[str, list[str]]]:
    """Yield the address of the service, and the list of the requests that it has accepted."""
    from tests.support.adls_server import data_lake_interface

    requests: list[str] = []
    with data_lake_interface(azure_options, requests) as address:
        yield address, requests


@pytest.fixture(autouse=True)
def settings(spark, azure_options, service, monkeypatch) -> Iterator[None]:
    """Give the session access to the service, and remove the results of lookups in other tests."""
    monkeypatch.setattr(session_stores, "_failures", type(session_stores._failures)())
    plain = "org.apache.hadoop.fs.azurebfs.AzureBlobFileSystem"
    given = {
        "fs.azure.abfs.endpoint": service[0],
        KEY: azure_options["azure_account_key"],
        # both schemes without TLS, which the service does not have
        "fs.azure.always.use.https": "false",
        "fs.abfss.impl": plain,
        "fs.abfs.impl": plain,
        # the other library requires a factory of TLS connections
        "fs.azure.networking.library": "JDK_HTTP_URL_CONNECTION",
        # the JVM would send them when it exits, and repeat that for minutes, because the service has ended
        "fs.azure.metrics.collection.enabled": "false",
    }
    for key, value in given.items():
        spark.conf.set(key, value)
    yield
    for key in given:
        spark.conf.unset(key)


@pytest.fixture
def container(make_container) -> str:
    return make_container()


@pytest.fixture
def path(container) -> str:
    return f"abfss://{container}@{HOST}/la ke@x+{{1}}/t"


def read_by_workers(spark, path, options):
    """Return the plan of a read by Python workers after a check of its rows."""
    rows = hoodoo.read(spark, path, **options)
    assert "FileScan" not in plan_of(rows)
    assert sorted_rows(rows) == NOW
    return plan_of(rows)


def test_base_files_are_read_by_spark_with_filters_and_columns(spark, path, azure_options, service):
    written(spark, path, {**OPTIONS, **azure_options, "hive_style": True})
    rows = hoodoo.read(spark, path, **azure_options)
    assert sorted_rows(rows) == NOW
    chosen = rows.where("city = 'c\u00e9' and id > 2").select("v")
    service[1].clear()
    assert [row.v for row in chosen.collect()] == ["three"]
    read = [request for request in service[1] if request.startswith("GET") and ".parquet" in request]
    assert read
    assert all("/la ke@x+{1}/t/city=c\u00e9/" in request for request in read)
    plan = plan_of(chosen)
    assert "FileScan parquet" in plan
    assert "GreaterThan(id,2)" in plan
    assert "PartitionFilters: [isnotnull(city" in plan
    assert azure_options["azure_account_key"] not in plan


def test_slices_with_logs_are_divided(spark, path, azure_options, monkeypatch):
    monkeypatch.setattr(divided_slices, "LEAST_BYTES", 1)
    written(spark, path, {**OPTIONS, **azure_options, "table_type": "MERGE_ON_READ"})
    rows = hoodoo.read(spark, path, **azure_options)
    assert "FileScan parquet" in plan_of(rows)
    assert sorted_rows(rows) == NOW


def test_incremental_and_time_travel_reads(spark, path, azure_options):
    written(spark, path, {**OPTIONS, **azure_options})
    first = hoodoo.Table(path, azure_options).timeline.commits[0].time
    changed = hoodoo.read(spark, path, query_type="incremental", begin=first, **azure_options)
    assert sorted_rows(changed) == [row for row in NOW if row[2].isupper() or row[0] == 4]
    before = hoodoo.read(spark, path, as_of=first, **azure_options)
    assert sorted_rows(before) == [(id_, city, v) for id_, _, city, v in FIRST]
    assert "FileScan parquet" in plan_of(changed)
    assert "FileScan parquet" in plan_of(before)


@pytest.mark.parametrize("location", ["abfs://{}@" + HOST, "wasbs://{}@" + HOST.replace(".dfs.", ".blob."), "az://{}"])
def test_other_locations_of_a_table_are_read_by_spark(spark, container, azure_options, location):
    path = f"{location.format(container)}/la ke@x/t"
    written(spark, path, {**OPTIONS, **azure_options})
    rows = hoodoo.read(spark, path, **azure_options)
    assert "FileScan parquet" in plan_of(rows)
    assert sorted_rows(rows) == NOW


def test_the_account_of_the_environment_is_that_of_the_container(spark, container, azure_options, monkeypatch):
    path = f"az://{container}/t"
    written(spark, path, {**OPTIONS, **azure_options})
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", azure_options["azure_account"])
    options = {key: value for key, value in azure_options.items() if key != "azure_account"}
    rows = hoodoo.read(spark, path, **options)
    assert "FileScan parquet" in plan_of(rows)
    assert sorted_rows(rows) == NOW


@pytest.mark.parametrize("scheme", ["abfss", "az"])
def test_a_session_without_the_driver_is_replaced_by_workers(spark, container, azure_options, scheme):
    """The session has a class name for each scheme, as every release of Hadoop, and not the class."""
    path = f"{scheme}://{container}{'@' + HOST if scheme == 'abfss' else ''}/la ke@x/t"
    spark.conf.set("fs.abfss.impl", "org.apache.hadoop.fs.azurebfs.Absent")
    spark.conf.set("fs.abfs.impl", "org.apache.hadoop.fs.azurebfs.Absent")
    written(spark, path, {**OPTIONS, **azure_options})
    plan = read_by_workers(spark, path, azure_options)
    assert f"hoodoo Python workers [3 file slices: the session does not read {path}: as 'abfss:', " in plan
    assert "azurebfs.Absent not found; as 'abfs:', " in plan


def test_a_service_that_does_not_respond_is_replaced_by_workers_soon(spark, path, azure_options):
    written(spark, path, {**OPTIONS, **azure_options})
    with socket.create_server(("127.0.0.1", 0)) as silent:
        spark.conf.set("fs.azure.abfs.endpoint", f"127.0.0.1:{silent.getsockname()[1]}")
        began = time.monotonic()
        read_by_workers(spark, path, azure_options)
    # the settings of ABFS alone permit minutes
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("key", [base64.b64encode(b"not the key of the account").decode(), "$not in base64$", None])
def test_a_session_with_a_wrong_key_is_replaced_by_workers(spark, path, azure_options, caplog, key):
    if key is None:
        spark.conf.unset(KEY)
    else:
        spark.conf.set(KEY, key)
    written(spark, path, {**OPTIONS, **azure_options})
    with caplog.at_level("INFO", logger="hoodoo"):
        plan = read_by_workers(spark, path, azure_options)
    assert f"hoodoo Python workers [3 file slices: the session does not read {path}: as 'abfss:', " in plan
    assert f"the session does not read {path} as 'abfss://" in caplog.text
    for secret in (key, azure_options["azure_account_key"]):
        assert secret is None or secret not in plan + caplog.text
