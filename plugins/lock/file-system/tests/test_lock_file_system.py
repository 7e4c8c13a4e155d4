"""The lock provider `file-system`: a file that its creator deletes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hoodoo_lock_file_system import FileSystemLock

from hoodoo.errors import LockLost, OptionError, StorageError
from hoodoo.plugin import LockTarget, default_catalogue
from hoodoo.storage import storage_for
from hoodoo.testing import LockSuite


class TestFileSystem(LockSuite):
    plugin = "file-system"
    freed_within = 1.0

    def take_away(self, target: LockTarget) -> None:
        """Let another writer delete the file, and create its own."""
        file_of(target).unlink()
        file_of(target).touch()


def file_of(target: LockTarget) -> Path:
    return Path(target.storage.local_path(".hoodie/lock"))


@pytest.fixture
def target(tmp_path: Path) -> LockTarget:
    return TestFileSystem().target(tmp_path)


def hudis(target: LockTarget, age: float = 0.0) -> Path:
    """Create the file as Hudi does, and return its path: it is empty, has a checksum file, and is `age` seconds old."""
    file = file_of(target)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    file.with_name(".lock.crc").write_bytes(b"crc\0\0\0\2\0")
    os.utime(file, (time.time() - age,) * 2)
    return file


def test_the_file_holds_hudis_fields_and_goes_with_the_lock(target: LockTarget) -> None:
    held = FileSystemLock().try_acquire(target)
    assert held is not None
    stated = json.loads(file_of(target).read_bytes())
    held.release()

    assert list(stated)[:3] == ["lockCreateTime", "lockThreadName", "lockStacksInfo"]
    assert stated["lockThreadName"] == "MainThread"
    assert stated["owner"] == target.owner
    assert list(file_of(target).parent.iterdir()) == []


def test_a_file_of_hudi_is_a_lock_that_is_held(target: LockTarget) -> None:
    file = hudis(target, age=10_000)

    assert FileSystemLock().try_acquire(target) is None
    assert f"the file {file} of a writer without a name" in FileSystemLock().describe(target)
    assert "never expires" in FileSystemLock().describe(target)
    assert file.exists()


def test_a_file_that_expired_is_replaced_with_its_checksum(target: LockTarget) -> None:
    file = hudis(target, age=59)
    assert FileSystemLock(expire=1).try_acquire(target) is None
    hudis(target, age=61)
    held = FileSystemLock(expire=1).try_acquire(target)
    assert held is not None
    assert not file.with_name(".lock.crc").exists()
    assert target.owner in FileSystemLock(expire=1).describe(target)
    held.release()


def test_renewing_touches_the_file(target: LockTarget) -> None:
    held = FileSystemLock(expire=1).try_acquire(target)
    assert held is not None
    os.utime(file_of(target), (0, 0))
    held.renew()
    assert file_of(target).stat().st_mtime == pytest.approx(time.time(), abs=5)
    held.release()


def test_a_lock_that_expires_is_touched_while_it_is_held(target: LockTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hoodoo_lock_file_system._RENEWALS", 600)
    held = FileSystemLock(expire=1).try_acquire(target)
    assert held is not None
    os.utime(file_of(target), (0, 0))
    time.sleep(0.5)
    assert file_of(target).stat().st_mtime == pytest.approx(time.time(), abs=5)
    held.release()


def test_a_file_that_a_hudi_writer_emptied_is_lost(target: LockTarget) -> None:
    """Hadoop empties a file that is created after its check for the file; `renew` then raises `LockLost`."""
    held = FileSystemLock().try_acquire(target)
    assert held is not None
    file_of(target).write_bytes(b"")
    with pytest.raises(LockLost, match="deleted or replaced"):
        held.renew()
    held.release()
    assert file_of(target).exists()


def test_a_deleted_file_is_lost(target: LockTarget) -> None:
    held = FileSystemLock().try_acquire(target)
    assert held is not None
    file_of(target).unlink()
    with pytest.raises(LockLost, match="deleted or replaced"):
        held.renew()
    held.release()


def test_a_child_of_a_dead_writer_does_not_keep_the_lock(target: LockTarget, tmp_path: Path) -> None:
    """A process that was forked while its parent held the lock does not keep the lock after the parent died."""
    code = (
        "import os, sys, time\n"
        "from hoodoo_lock_file_system import FileSystemLock\n"
        "from hoodoo.plugin import LockTarget\n"
        "from hoodoo.storage import storage_for\n"
        "held = FileSystemLock().try_acquire(LockTarget(storage_for(sys.argv[1]), 't', '', 'me'))\n"
        "child = os.fork()\n"
        "if child:\n"
        "    print(child, flush=True)\n"
        "else:\n"
        "    os.close(1)\n"
        "    time.sleep(60)\n"
        "os._exit(0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE, text=True, check=True)
    assert file_of(target).exists()
    time.sleep(0.2)
    held = FileSystemLock().try_acquire(target)
    os.kill(int(done.stdout), signal.SIGKILL)
    assert held is not None
    held.release()


def test_a_file_of_a_dead_writer_of_another_machine_stays(target: LockTarget) -> None:
    hudis(target).write_text(json.dumps({"owner": "hoodoo on elsewhere, process 1", "host": "elsewhere"}))

    assert FileSystemLock().try_acquire(target) is None
    assert "hoodoo on elsewhere" in FileSystemLock().describe(target)


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_the_folder_may_lie_elsewhere(target: LockTarget, tmp_path: Path, scheme: str) -> None:
    held = FileSystemLock(path=f"{scheme}{tmp_path}/locks/of t").try_acquire(target)
    assert held is not None
    assert [file.name for file in (tmp_path / "locks" / "of t").iterdir()] == ["lock"]
    held.release()


def test_a_folder_that_cannot_be_made_is_named(target: LockTarget, tmp_path: Path) -> None:
    (tmp_path / "locks").touch()

    with pytest.raises(StorageError, match=f"lock '{tmp_path}/locks/lock': "):
        FileSystemLock(path=str(tmp_path / "locks")).try_acquire(target)


def test_an_object_store_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    storage = storage_for("memory://bucket/t")
    elsewhere = LockTarget(storage, "t", "", "me")

    with pytest.raises(OptionError, match="memory://bucket/t is not on one; use 'storage-based'"):
        FileSystemLock().check(elsewhere)
    FileSystemLock(path=str(tmp_path)).check(elsewhere)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"hoodie.write.lock.filesystem.expire": "-1"}, "must not be negative"),
        ({"hoodie.write.lock.filesystem.expire": "1.5"}, "takes int, got '1.5'"),
        ({"hoodie.write.lock.filesystem.paht": "x"}, "has no option"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, str], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        default_catalogue().make("lock", "FileSystemBasedLockProvider", options)
