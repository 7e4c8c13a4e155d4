"""Tables in HDFS: written, changed and read by the local engine; locks by leases of the NameNode."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hoodoo
from hoodoo.errors import LockLost, LockTimeout, OptionError
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.txn.heartbeat import HeartbeatPace, clear_heartbeat, has_hoodoo_heartbeat, start_heartbeat
from hoodoo.txn.locking.table_lock import LOCK_FILE, table_lock

from .small_table import FIRST, TABLE, check_every_commit, check_two_writers, stored

pytestmark = pytest.mark.slow


@pytest.fixture(params=["COPY_ON_WRITE", "MERGE_ON_READ"])
def options(request):
    return {**TABLE, "table_type": request.param}


@pytest.fixture
def path(hdfs_folder):
    return f"{hdfs_folder}/la ke/\u00fc@t"


def test_a_table_is_written_changed_and_read_as_of_every_commit(path, options):
    check_every_commit(path, options)
    if options["table_type"] == "MERGE_ON_READ":
        assert hoodoo.Table(path).compact() is not None
        assert stored(path, {}, query_type="read_optimized") == {2: "TWO", 3: "three", 4: "four"}


def test_of_two_writers_at_once_none_loses_rows(path, options):
    check_two_writers(path, options)


def test_the_lock_of_a_table_excludes_other_processes(path):
    storage = storage_for(path)
    code = (
        "import sys\n"
        "from hoodoo.storage import storage_for\n"
        f"lock = storage_for(sys.argv[1]).try_lock({LOCK_FILE!r})\n"
        "print('held' if lock else 'refused', flush=True)\n"
        "sys.stdin.read()\n"
        "lock and lock.release()\n"
    )
    command = [sys.executable, "-c", code, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with pytest.raises(LockTimeout), table_lock(storage, timeout=0.2):
            pass
        assert storage.try_lock(LOCK_FILE, shared=True) is None
        other.communicate("")
    with table_lock(storage, timeout=5):
        pass


def test_a_lost_lease_is_noticed(path):
    """Another process that takes the lease after the death of a holder has the same effect as this deletion."""
    storage = storage_for(path)
    first = storage.try_lock("lock")
    storage.delete_tree(".hoodie")
    with pytest.raises(LockLost, match="another writer has the lease"):
        first.renew()
    second = storage.try_lock("lock")
    first.release(delete=True)
    assert storage.read("lock")
    second.renew()
    second.release(delete=True)
    assert not storage.exists("lock")


def test_a_lock_whose_visible_file_was_deleted_is_lost(path):
    storage = storage_for(path)
    lock = storage.try_lock("lock")
    storage.delete("lock")
    with pytest.raises(LockLost, match="the file that shows the lock to others was deleted"):
        lock.renew()
    lock.release(delete=True)
    assert storage.list(".hoodie/.hoodoo_leases") == []


def test_a_rollback_deletes_the_heartbeat_of_a_dead_writer_with_its_lease(path):
    storage = storage_for(path)
    heartbeat = start_heartbeat(storage, "1", HeartbeatPace())
    heartbeat.release()
    assert has_hoodoo_heartbeat(storage, "1")
    clear_heartbeat(storage, "1")
    assert not has_hoodoo_heartbeat(storage, "1")
    assert storage.list(".hoodie/.hoodoo_leases") == []


@pytest.mark.nightly
def test_the_lock_of_a_process_that_ended_is_free_after_a_minute(path):
    """The NameNode counts 60 seconds from the last renewal of a lease."""
    code = (
        "import sys, os\n"
        "from hoodoo.storage import storage_for\n"
        f"lock = storage_for(sys.argv[1]).try_lock({LOCK_FILE!r})\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, path], check=True)
    storage = storage_for(path)
    assert storage.try_lock(LOCK_FILE) is None
    with table_lock(storage, timeout=100):
        pass


def test_a_lock_of_hudi_by_compare_and_swap_is_refused(path, options):
    with pytest.raises(OptionError, match="hdfs"):
        write_arrow(FIRST, path, {**options, "lock_provider": "storage-based"})
    assert not storage_for(path).exists(".hoodie/hoodie.properties")
