"""HDFS locks without a cluster: lost leases and deleted files."""

from __future__ import annotations

import importlib

import pytest

from hoodoo.errors import LockLost, StorageError

PATH, LEASE = "/t/.hoodie/.heartbeat/1", "/t/.hoodie/.hoodoo_leases/1"


class Cluster:
    """Client and file writer of HDFS, with the files of one lock."""

    def __init__(self):
        self.files = {PATH, LEASE}
        self.failure = None
        self.closed = False

    def hsync(self):
        if self.failure is not None:
            raise self.failure

    def close(self):
        self.closed = True

    def set_times(self, path, modified, accessed):
        if path not in self.files:
            raise FileNotFoundError(path)

    def delete(self, path, recursive):
        self.files.discard(path)
        return True


@pytest.fixture
def cluster():
    return Cluster()


@pytest.fixture
def lock(cluster):
    pytest.importorskip("hdfs_native")
    lock, errors = (importlib.import_module(f"hoodoo.storage.hdfs.hdfs_{name}") for name in ("lock", "errors"))

    def translated():
        return errors.translate_hdfs_errors("lock", PATH, "hdfs://h/t")

    return lock.HdfsLock(cluster, PATH, LEASE, cluster, translated)


def test_a_lock_is_renewed_and_released(lock, cluster):
    lock.renew()
    lock.release()
    assert cluster.closed
    assert cluster.files == {PATH, LEASE}


def test_a_lease_of_another_process_is_lost_and_its_files_remain(lock, cluster):
    cluster.failure = RuntimeError("LeaseExpiredException: the file is open by another client")
    with pytest.raises(LockLost, match="another writer has the lease"):
        lock.renew()
    lock.release(delete=True)
    assert cluster.files == {PATH, LEASE}


def test_a_lock_whose_file_was_deleted_is_lost_and_its_lease_is_freed(lock, cluster):
    """A rollback by another writer deletes the file of a heartbeat, and the lease file would block later writers."""
    cluster.files.discard(PATH)
    with pytest.raises(LockLost, match="the file that shows the lock to others was deleted"):
        lock.renew()
    lock.release(delete=True)
    assert cluster.files == set()


def test_a_failure_of_the_cluster_is_no_loss(lock, cluster):
    cluster.failure = OSError("connection refused")
    with pytest.raises(StorageError, match="no connection to HDFS") as caught:
        lock.renew()
    assert not isinstance(caught.value, LockLost)


def test_a_release_that_fails_frees_the_lease_and_keeps_the_files(lock, cluster, caplog):
    """The commit of the writer is complete by then, and the writer must not report an error."""
    cluster.failure = OSError("connection refused")
    lock.release(delete=True)
    assert cluster.closed
    assert cluster.files == {PATH, LEASE}
    assert "could not be released and will expire" in caplog.text
    lock.release(delete=True)
