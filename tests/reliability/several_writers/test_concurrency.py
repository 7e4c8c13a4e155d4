"""Writes and table services under the locks of providers, named by Hudi's configuration."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.cli import main
from hoodoo.errors import LockTimeout, OptionError
from hoodoo.options import NoEffectWarning
from hoodoo.testing.engine import write_arrow
from hoodoo.txn import LockFound

pytestmark = pytest.mark.slow

LOCK = "hoodie.write.lock."
PACKAGE = "org.apache.hudi.client.transaction.lock."
OCC = {"hoodie.write.concurrency.mode": "optimistic_concurrency_control"}
TABLE = {"table_name": "trips", "record_key": "id", "ordering": "ts"}
AT_ONCE = {f"{LOCK}wait_time_ms": "100", f"{LOCK}client.num_retries": "0"}
JSON = ".hoodie/.locks/table_lock.json"

each_type = pytest.mark.parametrize("type_", ["COPY_ON_WRITE", "MERGE_ON_READ"])
each_provider = pytest.mark.parametrize("name", ["FileSystem", "StorageBased", "InProcess"])


def provider(name):
    full = {"FileSystem": "FileSystemBased"}.get(name, name)
    return {**OCC, f"{LOCK}provider": f"{PACKAGE}{full}LockProvider"}


def write(path, key="a", value=1, **options):
    rows = pa.table({"id": [key], "ts": [value], "v": [value]})
    return write_arrow(rows, path, {**TABLE, **options})


def rows(path):
    table = hoodoo.Table(path).to_arrow(columns=["id", "v"])
    return dict(zip(*(table[name].to_pylist() for name in ("id", "v")), strict=True))


def files(path):
    return {file.relative_to(path): file.read_bytes() for file in path.rglob("*") if file.is_file()}


@each_type
@each_provider
def test_a_table_is_written_compacted_and_cleaned_under_a_lock_of_hudi(tmp_path, name, type_):
    for value in range(3):
        write(tmp_path, value=value, table_type=type_, commits_retained=1, **provider(name))
    table = hoodoo.Table(tmp_path)
    assert (table.compact(**provider(name)) is not None) == (type_ == "MERGE_ON_READ")
    table.clean(commits_retained=1, **provider(name))
    table.archive(keep_min_commits=2, keep_max_commits=3, commits_retained=1, **provider(name))

    assert rows(tmp_path) == {"a": 2}
    assert not (tmp_path / ".hoodie" / "lock").exists()
    if name == "StorageBased":
        assert json.loads((tmp_path / JSON).read_bytes())["expired"] is True
    assert hoodoo.Table(tmp_path).timeline.pending == ()


@pytest.mark.parametrize("exists", [False, True])
def test_a_lock_that_another_writer_holds_is_waited_for_and_then_nothing_is_written(tmp_path, exists):
    path, locks = tmp_path / "table", tmp_path / "locks"
    options = {**provider("FileSystem"), f"{LOCK}filesystem.path": str(locks)}
    if exists:
        write(path, **options)
    before = files(path)
    locks.mkdir(exist_ok=True)
    (locks / "lock").touch()
    with pytest.raises(LockTimeout, match=rf"lock provider 'file-system' .* did not obtain .*{locks}/lock of a writer"):
        write(path, **options, **AT_ONCE)
    if exists:
        with pytest.raises(LockTimeout):
            hoodoo.Table(path).compact(**options, **AT_ONCE)
    own = Path(".hoodie/.hoodoo.lock")
    assert {name: body for name, body in files(path).items() if name != own} == {
        name: body for name, body in before.items() if name != own
    }
    (locks / "lock").unlink()
    write(path, key="b", value=7, **options)
    assert rows(path)["b"] == 7


def test_a_lock_that_becomes_free_is_taken(tmp_path):
    write(tmp_path)
    lock = tmp_path / ".hoodie" / "lock"
    lock.touch()
    waiting = subprocess.Popen([sys.executable, "-c", f"import time, os; time.sleep(1); os.unlink({str(lock)!r})"])
    started = time.monotonic()
    write(tmp_path, value=2, **provider("FileSystem"))
    assert time.monotonic() - started > 0.5
    assert waiting.wait() == 0
    assert rows(tmp_path) == {"a": 2}


def test_a_table_with_hudis_lock_file_is_locked_without_an_option(tmp_path):
    write(tmp_path)
    (tmp_path / JSON).parent.mkdir()
    until = round(time.time() * 1000) + 60_000
    (tmp_path / JSON).write_text(json.dumps({"expired": False, "validUntil": until, "owner": "hudi-7"}))
    with pytest.warns(LockFound, match="storage-based"), pytest.raises(LockTimeout, match="held by hudi-7"):
        write(tmp_path, value=2, **AT_ONCE)
    with pytest.warns(LockFound), pytest.raises(LockTimeout, match="held by hudi-7"):
        hoodoo.Table(tmp_path).compact(**AT_ONCE)
    (tmp_path / JSON).write_text(json.dumps({"expired": True, "validUntil": until, "owner": "hudi-7"}))
    with pytest.warns(LockFound):
        write(tmp_path, value=2)
    assert rows(tmp_path) == {"a": 2}
    assert json.loads((tmp_path / JSON).read_bytes())["owner"].startswith("hoodoo on ")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({**OCC, f"{LOCK}provider": "HiveMetastoreBasedLockProvider"}, "Thrift service"),
        ({**OCC, f"{LOCK}provider": "ZookeeperBasedLockProvider"}, "needs option 'url'"),
        ({**provider("StorageBased"), f"{LOCK}storage.validity.timeout.secs": "5"}, "at least 10"),
        ({**provider("FileSystem"), f"{LOCK}filesystem.expire": "-5"}, "must not be negative"),
        ({"hoodie.write.concurrency.mode": "NON_BLOCKING_CONCURRENCY_CONTROL"}, "rolls back the second"),
    ],
)
@pytest.mark.parametrize("exists", [False, True])
def test_wrong_configuration_is_one_error_before_anything_is_written(tmp_path, exists, options, said):
    path = tmp_path / "table"
    if exists:
        write(path)
    before = files(path)
    with pytest.raises(OptionError, match=said):
        write(path, **options)
    assert files(path) == before
    assert path.exists() == exists


def test_a_dictionary_for_hudi_works_as_it_is(tmp_path):
    others = {
        f"{LOCK}zookeeper.port": "2181",
        f"{LOCK}heartbeat_interval_ms": "60000",
        f"{LOCK}conflict.resolution.strategy": "org.apache.hudi.client.transaction."
        "SimpleConcurrentFileWritesConflictResolutionStrategy",
        "hoodie.cleaner.policy.failed.writes": "LAZY",
        "hoodie.write.concurrency.early.conflict.detection.enable": "true",
    }
    with pytest.warns(NoEffectWarning) as notices:
        write(tmp_path, **provider("FileSystem"), **others)
    assert len(notices) == 2
    assert rows(tmp_path) == {"a": 1}


def test_the_command_line_takes_them(tmp_path, capsys):
    write(tmp_path, table_type="MERGE_ON_READ")
    write(tmp_path, value=2)
    (tmp_path / ".hoodie" / "lock").touch()
    asked = [f"--option={key}={value}" for key, value in {**provider("FileSystem"), **AT_ONCE}.items()]
    with pytest.raises(SystemExit) as ended:
        main(["table", "compact", str(tmp_path), *asked])
    assert ended.value.code == 1
    assert "lock provider 'file-system'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended, pytest.warns(NoEffectWarning, match="no lock provider is named"):
        main(["table", "clean", str(tmp_path), *(f"-o{key}={value}" for key, value in OCC.items())])
    assert ended.value.code == 0
    assert "nothing to clean" in capsys.readouterr().out
    (tmp_path / ".hoodie" / "lock").unlink()
    with pytest.raises(SystemExit) as ended:
        main(["table", "compact", str(tmp_path), *asked])
    assert ended.value.code == 0
    assert "compacted by" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["table", "compact", str(tmp_path), "-o", "lock_provider"])
    assert "--option must be KEY=VALUE, not 'lock_provider'" in capsys.readouterr().err


WRITER = """
import sys, warnings
import pyarrow as pa
from hoodoo.errors import CommitConflict
from hoodoo.testing.engine import write_arrow

path, who, provider = sys.argv[1:]
options = {"table_name": "trips", "record_key": "id", "ordering": "ts", "lock_provider": provider}
for n in range(6):
    rows = pa.table({"id": [f"{who}-{n}", "shared"], "ts": [1, 1], "v": [n, n]})
    while True:
        try:
            write_arrow(rows, path, options)
        except CommitConflict:
            continue
        break
"""


@pytest.mark.representatives(name=["file-system"])
@pytest.mark.parametrize("name", ["file-system", "storage-based"])
def test_processes_that_write_at_once_lose_nothing(tmp_path, name):
    write(tmp_path, key="shared")
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    writers = [subprocess.Popen([*command, f"w{number}", name], stderr=subprocess.PIPE) for number in range(3)]
    for writer in writers:
        _, shown = writer.communicate(timeout=300)
        assert writer.returncode == 0, shown.decode()[-2000:]
    found = rows(tmp_path)
    assert set(found) == {"shared", *(f"w{number}-{n}" for number in range(3) for n in range(6))}
    assert found["shared"] == 5
