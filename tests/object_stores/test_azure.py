"""Tables in Azure Blob Storage, with Azurite: written, changed and read by hoodoo and Spark, and errors of access."""

from __future__ import annotations

import pytest

import hoodoo
from hoodoo.errors import LockTimeout, StorageError
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.txn.locking.table_lock import table_lock

from .small_table import FIRST, TABLE, check_every_commit, check_two_writers, stored

pytestmark = pytest.mark.slow


@pytest.fixture(params=["COPY_ON_WRITE", "MERGE_ON_READ"])
def options(request, azure_options):
    return {**TABLE, "table_type": request.param, **azure_options}


@pytest.fixture(params=["az://{}/lake/t", "abfss://{}@devstoreaccount1.dfs.core.windows.net/la ke/\u00fc@t"])
def path(request, make_container):
    return request.param.format(make_container())


def test_a_table_is_written_changed_and_read_as_of_every_commit(path, options):
    check_every_commit(path, options)


def test_of_two_writers_at_once_none_loses_rows(path, options):
    check_two_writers(path, options)


def test_the_lock_of_a_table_excludes_another_writer(path, azure_options):
    storage = storage_for(path, azure_options)
    with (
        table_lock(storage),
        pytest.raises(LockTimeout, match="another writer held the lock"),
        table_lock(storage, timeout=0.5),
    ):
        pass


def test_a_wrong_key_is_an_error_without_the_key(make_container, azure_options):
    key = "c2VjcmV0LXRoYXQtbXVzdC1ub3QtYmUtc2hvd24="
    path = f"abfss://{make_container()}@devstoreaccount1.dfs.core.windows.net/t"

    with pytest.raises(StorageError, match=r"permission denied.*check the credentials") as raised:
        write_arrow(FIRST, path, {**TABLE, **azure_options, "azure_account_key": key})

    assert path in str(raised.value)
    assert key not in str(raised.value)


def test_a_missing_container_is_an_error(azure_options):
    path = "abfss://none@devstoreaccount1.dfs.core.windows.net/t"

    with pytest.raises(StorageError, match="no such bucket") as raised:
        write_arrow(FIRST, path, {**TABLE, **azure_options})

    assert path in str(raised.value)


def test_hadoops_keys_with_the_account_are_options(make_container, azure_options):
    path = f"abfss://{make_container()}@devstoreaccount1.dfs.core.windows.net/t"
    key = "fs.azure.account.key.devstoreaccount1.dfs.core.windows.net"
    options = {"azure_endpoint": azure_options["azure_endpoint"], key: azure_options["azure_account_key"]}

    write_arrow(FIRST, path, {**TABLE, **options})

    assert stored(path, options) == {1: "one", 2: "two", 3: "three"}


@pytest.mark.spark
def test_a_session_gives_the_key_of_the_account(spark, make_container, azure_options):
    path = f"abfss://{make_container()}@devstoreaccount1.dfs.core.windows.net/t"
    options = {"azure_endpoint": azure_options["azure_endpoint"]}
    key = "spark.hadoop.fs.azure.account.key.devstoreaccount1.dfs.core.windows.net"
    spark.conf.set(key, azure_options["azure_account_key"])
    try:
        for number, names in enumerate((["one", "two"], ["ONE", "two"])):
            frame = spark.createDataFrame(
                [(n, number, "c", name) for n, name in enumerate(names)], "id long, ts long, city string, v string"
            )
            hoodoo.write(frame, path, {**TABLE, **options, "table_type": "MERGE_ON_READ"})
        read = hoodoo.read(spark, path, **options).select("id", "v")
        assert {tuple(row) for row in read.collect()} == {(0, "ONE"), (1, "two")}
        assert azure_options["azure_account_key"] not in read._jdf.queryExecution().toString()
    finally:
        spark.conf.unset(key)
