"""HDFS without a cluster: locations, errors, and the advice in their messages."""

from __future__ import annotations

import builtins
import errno
import importlib
import pickle
import sys

import pytest

from hoodoo.errors import StorageError, UnsupportedTable
from hoodoo.storage import AlreadyExists, CompareAndSwapStore, Missing, RemoteStore, storage_for

TRACE = "\n\tat org.apache.hadoop.hdfs.server.namenode.FSNamesystem.x(FSNamesystem.java:1)"


@pytest.fixture
def errors():
    pytest.importorskip("hdfs_native")
    return importlib.import_module("hoodoo.storage.hdfs.hdfs_errors")


@pytest.mark.parametrize(
    ("location", "uri"),
    [
        ("hdfs://host:8020/a/b", "hdfs://host:8020/a/b"),
        ("hdfs://cluster/a b/ü/", "hdfs://cluster/a b/ü"),
        ("hdfs:///a", "hdfs:///a"),
        ("hdfs://host/", "hdfs://host/"),
        ("hdfs://host", "hdfs://host/"),
    ],
)
def test_a_location_has_a_cluster_and_a_path(location, uri):
    pytest.importorskip("hdfs_native")
    storage = storage_for(location)
    assert storage.uri == uri
    assert storage_for(storage.uri, storage.options) == storage
    assert pickle.loads(pickle.dumps(storage)) == storage
    # it has no compare-and-swap, and its locks are not leases of hoodoo
    assert not isinstance(storage, (CompareAndSwapStore, RemoteStore))


@pytest.mark.parametrize("location", ["hdfs:/a", "hdfs:a", "hdfs://user:secret@host/a"])
def test_other_forms_of_locations_are_refused(location):
    with pytest.raises(UnsupportedTable, match="hdfs://namenode:8020/path") as caught:
        storage_for(location)
    assert "secret" not in str(caught.value)


def test_a_path_outside_the_table_is_refused():
    pytest.importorskip("hdfs_native")
    with pytest.raises(StorageError, match="refused"):
        storage_for("hdfs://host/a/../b")


def test_the_distribution_to_install_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("hoodoo.storage.hdfs.")]:
        monkeypatch.delitem(sys.modules, name)
    imported = builtins.__import__

    def absent(name, *given, **named):
        if name == "hdfs_native":
            raise ImportError("No module named 'hdfs_native'")
        return imported(name, *given, **named)

    monkeypatch.setattr(builtins, "__import__", absent)
    with pytest.raises(UnsupportedTable, match=r"pip install 'hoodoo-core\[hdfs\]'"):
        storage_for("hdfs://host/a")


@pytest.mark.parametrize(
    ("raised", "kind", "number", "text"),
    [
        (FileNotFoundError("/t/a"), Missing, errno.ENOENT, "no such file"),
        (FileExistsError("/t/a" + TRACE), AlreadyExists, errno.EEXIST, "file exists"),
        (PermissionError("user=x" + TRACE), StorageError, errno.EACCES, "permission denied: user=x .*HADOOP_USER_NAME"),
        (RuntimeError("Connection refused (os error 111)"), StorageError, errno.EIO, "no connection.*HADOOP_CONF_DIR"),
        (RuntimeError('RPCError("X", "quota' + TRACE), StorageError, errno.EIO, "quota"),
    ],
)
def test_errors_have_a_kind_and_a_reason_without_the_stack_of_the_server(errors, raised, kind, number, text):
    with (
        pytest.raises(StorageError, match=text) as caught,
        errors.translate_hdfs_errors("read", "a", "hdfs://host/t/a"),
    ):
        raise raised
    assert type(caught.value) is kind
    assert caught.value.errno == number
    assert "read 'a'" in str(caught.value)
    assert "hdfs://host/t/a" in str(caught.value)
    assert "namenode.FSNamesystem" not in str(caught.value)


@pytest.mark.nightly
def test_an_unreachable_cluster_is_named():
    """The error names the cluster. The client tries several times, because a NameNode may be about to fail over."""
    pytest.importorskip("hdfs_native")
    with pytest.raises(StorageError, match=r"no connection to HDFS.*hdfs://127\.0\.0\.1:1/t/a.*check host and port"):
        storage_for("hdfs://127.0.0.1:1/t").read("a")
