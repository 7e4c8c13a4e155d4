"""Reads while other processes clean, archive and roll back."""

from __future__ import annotations

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import CorruptTableError, TableChanged
from hoodoo.storage import LocalStorage
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import run_with_reloads
from hoodoo.txn import rollback_pending

pytestmark = pytest.mark.slow

OPTIONS = {
    "table_name": "t",
    "record_key": "id",
    "partition_by": "p",
    "merger": "commit-time",
    "clean_automatic": False,
    "archive_automatic": False,
}
KEPT = {"keep_min_commits": 1, "keep_max_commits": 2, "commits_retained": 1}

tables = pytest.mark.parametrize(
    "kind",
    [
        {"table_version": version, "table_type": type_}
        for version in (6, 9)
        for type_ in ("COPY_ON_WRITE", "MERGE_ON_READ")
    ],
    ids=lambda kind: f"{kind['table_type'][:4]}{kind['table_version']}",
)


@pytest.fixture
def write(tmp_path):
    """Return a function that writes one row to each of some partitions, and returns the table's path."""

    def write(kind, value, partitions="ab", **options):
        rows = pa.table({"id": list(partitions), "p": list(partitions), "v": [value] * len(partitions)})
        write_arrow(rows, tmp_path / "t", {**OPTIONS, **kind, **options})
        return tmp_path / "t"

    return write


def values(table):
    return sorted((row["id"], row["v"]) for row in table.to_arrow(columns=["id", "v"]).to_pylist())


@tables
def test_a_commit_that_was_archived_is_read_from_the_archive(kind, write):
    path = write(kind, 0, "abc")
    for n in range(1, 4):
        write(kind, n, "a")
    early = hoodoo.Table(path)
    assert len(early.timeline.commits) == 4
    assert hoodoo.Table(path).archive(**KEPT)
    assert len(hoodoo.Table(path).timeline.commits) < 4
    assert values(early) == [("a", 3), ("b", 0), ("c", 0)]
    assert [commit.rows_incoming for commit in early.history()] == [1, 1, 1, 3]


@tables
def test_files_that_were_cleaned_since_a_table_was_opened(kind, write):
    path = write(kind, 0)
    early, fresh = hoodoo.Table(path), hoodoo.Table(path)
    splits = early.splits()
    for n in range(1, 4):
        write(kind, n)
    if kind["table_type"] == "MERGE_ON_READ":
        hoodoo.Table(path).compact()
        write(kind, 4)
    assert hoodoo.Table(path).clean(commits_retained=1)
    with pytest.raises((TableChanged, CorruptTableError), match="clean"):
        early.to_arrow()
    for split in splits:
        with pytest.raises(TableChanged, match=r"was removed by clean \d{17} during the read, and"):
            split.read().read_all()
    # a table whose timeline was not loaded before has the current rows
    newest = 3 if kind["table_type"] == "COPY_ON_WRITE" else 4
    assert values(fresh) == [("a", newest), ("b", newest)]


@tables
def test_a_query_is_planned_again_where_a_cleaner_was_faster(kind, write, monkeypatch):
    path = write(kind, 0)
    table = hoodoo.Table(path)
    walk, raced = LocalStorage.walk, []

    def overtaken(self, folder=""):
        if not raced:
            raced.append(True)
            for n in range(1, 3):
                write(kind, n)
            if kind["table_type"] == "MERGE_ON_READ":
                hoodoo.Table(path).compact()
                write(kind, 2)
            hoodoo.Table(path).clean(commits_retained=1)
            hoodoo.Table(path).archive(**KEPT)
        return walk(self, folder)

    monkeypatch.setattr(LocalStorage, "walk", overtaken)
    assert values(table) == [("a", 2), ("b", 2)]


def test_a_missing_file_that_no_clean_removed_is_damage(write):
    path = write({}, 0)
    table = hoodoo.Table(path)
    [split, other] = table.splits()
    (path / split.path).unlink()
    with pytest.raises(CorruptTableError, match="is gone"):
        split.read().read_all()
    with pytest.raises(CorruptTableError, match="is gone"):
        hoodoo.Table(path).to_arrow()
    assert other.read().read_all().num_rows == 1


def test_a_log_that_was_never_committed_may_vanish(write):
    """In version 6 a listing contains the logs of pending writes, which a rollback may delete before the read."""
    kind = {"table_version": 6, "table_type": "MERGE_ON_READ"}
    path = write(kind, 0)
    write(kind, 1)
    [log] = sorted(path.glob("a/.*.log.1_*"))
    stray = log.with_name(log.name.replace(".log.1_", ".log.2_9"))
    stray.write_bytes(log.read_bytes()[:60])
    planned = hoodoo.Table(path).splits()
    stray.unlink()
    found = [row["v"] for split in planned for row in split.read().read_all().to_pylist()]
    assert found == [1, 1]
    # one that a commit names is missed
    planned = hoodoo.Table(path).splits()
    log.unlink()
    with pytest.raises(CorruptTableError, match="is gone"):
        [split.read().read_all() for split in planned]


def test_work_is_run_again_as_long_as_the_table_changes(write):
    path = write({}, 0)
    timeline, calls = hoodoo.Table(path).timeline, []

    def work(now):
        calls.append(now)
        if len(calls) < 3:
            write({}, len(calls))
            raise TableChanged("again")
        return len(now.commits)

    assert run_with_reloads(timeline, work) == 3
    with pytest.raises(TableChanged, match="always"):
        run_with_reloads(timeline, lambda now: (_ for _ in ()).throw(TableChanged("always")))


def test_a_pinned_table_misses_a_commit_that_was_restored(write):
    path = write({}, 0)
    write({}, 1)
    table = hoodoo.Table(path)
    last = table.timeline.commits[-1]
    (path / table.timeline.path_of(last)).unlink()
    rollback_pending(LocalStorage(str(path)), table.timeline)
    with pytest.raises(TableChanged, match=f"'.hoodie/{last.time}.commit' of .* was removed"):
        table.history()


@pytest.mark.parametrize("version", [6, 9])
def test_a_table_that_was_opened_before_misses_groups_of_archived_commits(version, tmp_path):
    """The group has no slice on the old timeline after its files are cleaned; the read must not leave it out."""
    options = {"table_name": "t", "record_key": "id", "partition_by": "p", "merger": "commit-time"}
    options |= {"table_version": version, "commits_retained": 1, "keep_min_commits": 2, "keep_max_commits": 3}

    def write(key, value):
        rows = pa.table({"id": [key], "p": [key[0]], "v": pa.array([value], pa.int64())})
        write_arrow(rows, tmp_path, options)

    write("b1", 0)
    for value in range(6):
        write("a1", value)
    opened = hoodoo.Table(tmp_path)
    assert sorted(opened.to_arrow().column("id").to_pylist()) == ["a1", "b1"]
    for value in (8, 9, 10):
        write("b1", value)
    with pytest.raises(TableChanged, match="after the table was opened"):
        opened.to_arrow()
