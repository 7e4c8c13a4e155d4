"""Decision whether Spark's own reader reads an object store; these tests run without Spark."""

from __future__ import annotations

import pytest

from hoodoo.spark.scan import session_stores
from hoodoo.spark.scan.scan_source import ScanSource
from hoodoo.spark.scan.session_stores import Unread, _reason, scan_source
from hoodoo.storage import CachedListingStorage, LocalStorage, storage_for

pytest.importorskip("obstore", reason="object stores need obstore")


class Session:
    """Session that is used only as a key."""


@pytest.fixture
def storage(monkeypatch):
    """Return a storage that looks like one in S3, with one base file of three bytes."""
    objects = storage_for("memory://session-stores/t")
    if not objects.exists("p/a.parquet"):
        objects.create("p/a.parquet", b"123")
    monkeypatch.setattr(type(objects), "uri", property(lambda self: "s3://bucket/t"))
    return CachedListingStorage(objects)


def asked(monkeypatch, sizes):
    calls = []

    def size(spark, source, path):
        calls.append((source.root, path))
        return sizes.get(source.root, "it has no file system")

    monkeypatch.setattr(session_stores, "_size", size)
    return calls


def test_a_local_table_needs_no_trial(tmp_path):
    source = scan_source(Session(), CachedListingStorage(LocalStorage(str(tmp_path))))
    assert source.root == f"file://{tmp_path}"
    assert source.options == {}


def test_the_schemes_of_a_store_are_tried_in_turn(storage, monkeypatch):
    calls = asked(monkeypatch, {"s3a://bucket/t": 3})
    session = Session()
    for _ in range(2):
        assert scan_source(session, storage).root == "s3a://bucket/t"
    assert calls == [("s3://bucket/t", "p/a.parquet"), ("s3a://bucket/t", "p/a.parquet")]
    # another session is tried again
    assert scan_source(Session(), storage).root == "s3a://bucket/t"
    assert len(calls) == 4


@pytest.mark.parametrize("uri", ["hdfs://host:8020/la ke/t", "hdfs:///t", "abfss://c@account.dfs.core.windows.net/t"])
def test_hdfs_and_azure_are_reached_by_the_settings_of_the_session(storage, monkeypatch, uri):
    monkeypatch.setattr(type(storage.base), "uri", property(lambda self: uri))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    calls = asked(monkeypatch, {uri: 3})
    source = scan_source(Session(), storage)
    assert (source.root, source.options) == (uri, {})
    assert calls == [(uri, "p/a.parquet")]


AZURE = "{}://c@lake.dfs.core.windows.net/la ke/t"


@pytest.mark.parametrize(
    ("uri", "options", "root"),
    [
        ("az://c/la ke/t", {"azure_account": "lake"}, AZURE),
        ("az://c/la ke/t", {"azure_account": "lake", "azure_endpoint": "http://127.0.0.1:1/lake"}, AZURE),
        (
            "az://c/t",
            {"azure_account": "lake", "azure_endpoint": "https://lake.blob.core.example.org"},
            "{}://c@lake.dfs.core.example.org/t",
        ),
        ("az://c", {"azure_account": "lake"}, "{}://c@lake.dfs.core.windows.net"),
        ("wasb://c@lake.blob.core.windows.net/la ke/t", {}, AZURE),
        ("wasbs://c@lake.blob.core.windows.net/la ke/t", {"azure_account": "other"}, AZURE),
        ("wasbs://c@lake.dfs.core.windows.net/la ke/t", {}, AZURE),
    ],
)
def test_locations_without_a_driver_are_looked_up_in_data_lake_storage(storage, monkeypatch, uri, options, root):
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    monkeypatch.setattr(type(storage.base), "uri", property(lambda self: uri))
    monkeypatch.setattr(type(storage.base), "options", options)
    calls = asked(monkeypatch, {root.format("abfs"): 3})
    source = scan_source(Session(), storage)
    assert (source.root, source.options) == (root.format("abfs"), {})
    assert [called for called, _ in calls] == [root.format("abfss"), root.format("abfs")]
    asked(monkeypatch, {})
    reason = "as 'abfss:', it has no file system; as 'abfs:', it has no file system"
    assert scan_source(Session(), storage) == Unread(f"the session does not read {uri}: {reason}")


def test_the_account_of_a_container_may_come_from_the_environment(storage, monkeypatch):
    monkeypatch.setattr(type(storage.base), "uri", property(lambda self: "az://c/t"))
    monkeypatch.delenv("AZURE_STORAGE_ACCOUNT_NAME", raising=False)
    calls = asked(monkeypatch, {})
    reason = "the session does not read az://c/t: the option 'azure_account' is not set"
    assert scan_source(Session(), storage) == Unread(reason)
    assert calls == []
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "lake")
    scan_source(Session(), storage)
    assert calls[0] == ("abfss://c@lake.dfs.core.windows.net/t", "p/a.parquet")


def test_a_failure_is_tried_again_after_a_while(storage, monkeypatch):
    calls = asked(monkeypatch, {})
    session = Session()
    reason = "as 's3:', it has no file system; as 's3a:', it has no file system"
    for _ in range(2):
        assert scan_source(session, storage) == Unread(f"the session does not read s3://bucket/t: {reason}")
    assert len(calls) == 2
    monkeypatch.setattr(session_stores, "_TRIED_AGAIN_SECONDS", 0.0)
    asked(monkeypatch, {"s3://bucket/t": 3})
    assert scan_source(session, storage).root == "s3://bucket/t"


def test_a_file_of_another_size_is_in_another_store(storage, monkeypatch, caplog):
    asked(monkeypatch, {"s3://bucket/t": 4})
    assert "as 's3:', the session finds another file of 4 bytes" in scan_source(Session(), storage).reason
    assert "another file of 4 bytes instead of 3" in caplog.text


def test_a_store_that_sessions_do_not_have(monkeypatch):
    calls = asked(monkeypatch, {})
    found = scan_source(Session(), CachedListingStorage(storage_for("memory://session-stores/t")))
    assert found == Unread("hoodoo does not use Spark's own reader for 'memory:'")
    assert calls == []


def test_the_reason_of_a_failure_has_no_secret(storage):
    source = ScanSource(storage, "s3a://b/t", {"fs.s3a.secret.key": "vErY", "fs.s3a.access.key": "AKIA9"})
    error = RuntimeError("An error occurred while calling o9.load.\n: java.io.IOException: AKIA9 is refused\n\tat a.b")
    assert _reason(error, source) == "java.io.IOException: *** is refused"
    assert len(_reason(RuntimeError("x" * 1000), source)) < 200
    assert _reason(RuntimeError(""), source) == "RuntimeError"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        ('lake.net key ="a b": is not valid', "lake.net key =***: is not valid"),
        ('key ="a\nb": is not valid', "key =***"),
        ("GET https://lake.net/c?sp=r&sig=a%2Bb&sv=1", "GET https://lake.net/c?sp=r&sig=***&sv=1"),
        ("property fs.azure.account.key not found", "property fs.azure.account.key not found"),
    ],
)
def test_the_reason_of_a_failure_has_no_secret_of_the_session(storage, error, shown):
    assert _reason(RuntimeError(error), ScanSource(storage, "abfss://c@lake.dfs.core.windows.net/t")) == shown
