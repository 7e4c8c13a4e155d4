"""Operations on tables in memory with a metadata table, which has the files of a listing after each operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import hoodoo
from hoodoo.archived_timeline import Archive
from hoodoo.errors import LockLost
from hoodoo.format.log import BlockType, LogBlock, read_blocks
from hoodoo.timeline import Instant
from hoodoo.txn import TableLock, Transaction, rollback_pending

from .faults import killed_at
from .metadata_tables import add_metadata_table, check_metadata_table, metadata_table
from .operations import CHANGES, KINDS, NO_SERVICES, OPERATIONS, SERVICES, Kind, prepared, read, write
from .store import Files, storage_of

pytestmark = pytest.mark.slow

OF_KINDS = ("cow6p", "mor6a", "mor9p")


@pytest.mark.parametrize("kind", OF_KINDS)
def test_every_operation_keeps_the_list_of_files(kind: str) -> None:
    files, _ = prepared(KINDS[kind])
    add_metadata_table(files)
    for name, operation in OPERATIONS.items():
        if name not in ("create", "metadata table", "rollback"):
            operation.run(files, KINDS[kind])
            check_metadata_table(files, exactly=True)
    actions = [commit.action for commit in metadata_table(files).metadata.commits]
    assert actions.count("commit") >= 1, "the metadata table was not compacted"


def dead(files: Files, kind: Kind, dies: Callable[[str], bool]) -> None:
    """Leave the files of a write that is killed before it creates the first file that `dies` selects by path."""
    killed_at(
        files,
        lambda: write(files, kind, CHANGES, **NO_SERVICES),
        lambda operation, path: operation == "create" and dies(path),
    )
    assert hoodoo.Table(files.uri).timeline.pending


@pytest.mark.parametrize("kind", OF_KINDS)
def test_a_delta_commit_of_a_failed_write_is_invisible_and_rolled_back(kind: str) -> None:
    files, rows = prepared(KINDS[kind])
    add_metadata_table(files)
    before = metadata_table(files).files()
    ends = (".commit", ".deltacommit")
    dead(files, KINDS[kind], lambda path: path.endswith(ends) and not path.startswith(".hoodie/metadata"))
    [failed] = hoodoo.Table(files.uri).timeline.pending
    assert failed.time in {commit.time for commit in metadata_table(files).metadata.commits}
    assert metadata_table(files).files() == before
    check_metadata_table(files, exactly=False)

    assert rollback_pending(storage_of(files), hoodoo.Table(files.uri).timeline) == (failed.time,)
    timeline = metadata_table(files).metadata
    assert failed.time not in {instant.time for instant in timeline.instants}
    [done] = [instant for instant in hoodoo.Table(files.uri).timeline.instants if instant.action == "rollback"]
    [own] = [instant for instant in timeline.instants if instant.action == "rollback"]
    assert own.time == (done.time if timeline.layout > 1 else f"{done.time}006")
    assert own.is_completed
    # in layout 1 the logs of the failed write stay, and have command blocks
    assert timeline.has_commit(done.time) == (timeline.layout == 1)
    check_metadata_table(files, exactly=True)
    assert read(files) == rows


@pytest.mark.parametrize("kind", OF_KINDS)
def test_a_pending_delta_commit_of_a_dead_writer_is_rolled_back_by_the_next_write(kind: str) -> None:
    files, rows = prepared(KINDS[kind])
    add_metadata_table(files)
    dead(files, KINDS[kind], lambda path: path.startswith(".hoodie/metadata") and path.endswith(".deltacommit"))
    assert metadata_table(files).metadata.pending
    write(files, KINDS[kind], CHANGES, **NO_SERVICES)
    assert metadata_table(files).metadata.pending == ()
    check_metadata_table(files, exactly=True)
    assert read(files) == rows | CHANGES


def write_around_another(files: Files, kind: Kind, value: int) -> None:
    """Change key a1 in a write that begins before a change of b1 and is completed after it."""
    commit = Transaction.commit
    inside: list[str] = []

    def commit_second(transaction: Transaction, *given: Any, **named: Any) -> Instant:
        if not inside:
            inside.append(transaction.time)
            write(files, kind, {"b1": ("b", value)}, **NO_SERVICES)
        return commit(transaction, *given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transaction, "commit", commit_second)
        write(files, kind, {"a1": ("a", value)}, **NO_SERVICES)
    assert inside


@pytest.mark.parametrize("kind", OF_KINDS)
def test_writers_that_overlap_keep_the_list_of_files(kind: str) -> None:
    """The writer that began last commits first, so that the delta commits are out of the order of their times."""
    files, rows = prepared(KINDS[kind])
    add_metadata_table(files)
    for value in range(30, 42):
        write_around_another(files, KINDS[kind], value)
        check_metadata_table(files, exactly=True)
        rows |= {"a1": ("a", value), "b1": ("b", value)}
    assert read(files) == rows
    actions = [instant.action for instant in metadata_table(files).metadata.instants]
    # in layout 1 a compaction is not later than the pending instant of the second writer, and waits
    assert actions.count("commit") >= (1 if metadata_table(files).metadata.layout > 1 else 0)


@pytest.mark.parametrize("kind", OF_KINDS)
def test_a_delta_commit_is_written_again_after_the_lock_was_lost(kind: str) -> None:
    """The second attempt has the same instant; in layout 1 no command block may revoke it."""
    files, rows = prepared(KINDS[kind])
    add_metadata_table(files)
    lost: list[str] = []
    renew = TableLock.renew

    def renew_once_lost(lock: TableLock) -> None:
        if not lost:
            lost.append("lost")
            raise LockLost("the lock expired")
        renew(lock)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TableLock, "renew", renew_once_lost)
        commit = write(files, KINDS[kind], CHANGES, **NO_SERVICES)
    assert lost
    assert read(files) == rows | CHANGES
    check_metadata_table(files, exactly=True)
    metadata = metadata_table(files)
    assert commit.instant in {done.time for done in metadata.metadata.commits}
    [shard] = metadata.shards("files")
    blocks = [block for log in shard.logs for block in read_blocks(metadata.storage, log.path)]
    assert not any(isinstance(block, LogBlock) and block.type is BlockType.COMMAND for block in blocks)


def test_services_that_are_due_keep_the_list_of_files() -> None:
    files, rows = prepared(KINDS["mor9p"])
    add_metadata_table(files)
    for value in range(20, 26):
        write(files, KINDS["mor9p"], {"a1": ("a", value)}, **SERVICES)
        check_metadata_table(files, exactly=True)
    assert read(files) == rows | {"a1": ("a", 25)}
    # as in Hudi, an instant is archived after the metadata table has it in a base file
    archived = Archive(hoodoo.Table(files.uri).timeline).commits
    compactions = [commit.time for commit in metadata_table(files).metadata.commits if commit.action == "commit"]
    assert archived
    assert max(commit.time for commit in archived) < max(compactions)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["cow6p", "mor9p"])
def test_the_metadata_table_stays_small(kind: str) -> None:
    files, _ = prepared(KINDS[kind])
    add_metadata_table(files)
    for value in range(60):
        write(files, KINDS[kind], {"a1": ("a", value)}, **(SERVICES if value % 3 == 0 else NO_SERVICES))
        if value % 7 == 0:
            check_metadata_table(files, exactly=True)
    check_metadata_table(files, exactly=True)
    actions = [instant.action for instant in metadata_table(files).metadata.instants]
    assert len(actions) <= 45
    assert actions.count("clean") >= 1
    assert len([path for path in files.bodies if path.startswith(".hoodie/metadata/files/")]) <= 45
