"""Archiving: instants that it removes from the timeline, instants that remain, and reads before and after it."""

from __future__ import annotations

import pyarrow as pa
import pytest
from attrs import evolve

import hoodoo
from hoodoo.archived_timeline import Archive, load_timeline
from hoodoo.errors import OptionError
from hoodoo.options import ArchiveOptions, CleanOptions
from hoodoo.properties import load_properties
from hoodoo.service import archive
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Timeline
from hoodoo.txn import begin, drop_metadata_table

pytestmark = pytest.mark.slow

hudi = pytest.importorskip("hudi")

FEW = {"keep_min_commits": 2, "keep_max_commits": 3, "commits_retained": 1}


def archived(table):
    return [instant.time for instant in Archive(table.table.timeline).instants]


def test_not_before_there_are_too_many(written):
    table = written()
    commits = [table.write([0], n) for n in range(3)]
    assert table.table.archive(**FEW) == ()
    commits.append(table.write([0], 3))
    gone = table.table.archive(**FEW)
    assert [instant.time for instant in gone] == archived(table) == [c.instant for c in commits[:2]]
    assert [i.time for i in table.table.timeline.instants] == [c.instant for c in commits[2:]]
    assert table.table.archive(**FEW) == ()
    table.check()
    with pytest.raises(OptionError, match="archived"):
        table.rows(as_of=commits[1].instant)
    with pytest.raises(OptionError, match="archived"):
        table.rows(query_type="incremental")
    assert table.rows(as_of=commits[2].instant) == table.states[commits[2].instant]
    assert table.rows(query_type="incremental", begin=commits[2].instant) == {"k0": "v3"}


def test_a_range_that_begins_before_is_looked_for_in_all_files(written):
    table = written()
    commits = [table.write([0, 1], 0), table.write([0], 1), table.write([0], 2), table.write([0], 3)]
    table.table.archive(**FEW)
    assert commits[0].instant in archived(table)
    everything = {"query_type": "incremental", "full_scan": True}
    assert table.rows(**everything, begin=commits[0].instant) == {"k0": "v3"}
    assert table.rows(**everything) == table.states[commits[3].instant]
    assert set(table.rows(**everything)) == {"k0", "k1"}


def test_what_was_archived_is_read_back(written):
    table = written()
    table.write([0, 1], 0)
    table.write([0], 1, operation="insert_overwrite_table")
    for n in range(2, 6):
        table.write([0], n)
    table.table.clean(commits_retained=1)
    timeline = table.table.timeline
    written_before = {i: timeline.commit_metadata(i) for i in timeline.commits}
    table.table.archive(**FEW)
    found = Archive(table.table.timeline)
    assert {i.action for i in found.instants} == {"commit", "replacecommit"}
    assert len(found.commits) == 4
    assert {i: found.commit_metadata(i) for i in found.commits} == {i: written_before[i] for i in found.commits}
    assert found.replaced
    table.check()


def test_keep_max_must_be_more_than_keep_min(written):
    table = written()
    table.write([0], 0)
    with pytest.raises(
        OptionError, match=r"keep_max_commits .* is 5; it must be greater than keep_min_commits .* is 20"
    ):
        table.table.archive(keep_max_commits=5)


def test_commits_that_the_cleaner_keeps_stay(written):
    table = written()
    commits = [table.write([0], n) for n in range(7)]
    gone = table.table.archive(keep_min_commits=1, keep_max_commits=2, commits_retained=4)
    assert [instant.time for instant in gone] == [c.instant for c in commits[:3]]


def test_a_savepoint_stays_and_all_that_is_younger(written):
    table = written()
    commits = [table.write([0], n) for n in range(6)]
    table.storage.create(f".hoodie/{commits[1].instant}.savepoint.inflight", b"")
    assert [i.time for i in table.table.archive(**FEW)] == [commits[0].instant]


def test_a_pending_instant_stays_and_what_was_completed_since(written):
    table = written()
    first = table.write([0], 0)
    # the write that is pending reads what this one wrote
    table.write([0], 1)
    with begin(table.storage, table.table.timeline) as transaction:
        for n in range(2, 6):
            table.write([0], n)
        assert [i.time for i in table.table.archive(**FEW)] == [first.instant]
        assert transaction.time == table.table.timeline.instants[1].time


def test_a_replace_commit_stays_until_its_groups_are_cleaned(written):
    """The package `hudi` does not read the archive; without the commit, it would show the replaced groups again."""
    table = written()
    first = table.write([0, 1], 0)
    table.write([0], 1, operation="insert_overwrite_table")
    for n in range(2, 6):
        table.write([0], n)
    assert [i.time for i in table.table.archive(**FEW)] == [first.instant]
    table.check()
    assert table.table.clean(commits_retained=1)
    assert "replacecommit" in {i.action for i in table.table.archive(**FEW)}
    table.check()


class Slow:
    """Store in which an archiver runs during the first listing of the timeline, which still shows archived instants."""

    def __init__(self, inner):
        self.inner, self.listings = inner, 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def list(self, folder):
        before = sorted(self.inner.list(folder), key=lambda info: info.path)
        self.listings += 1
        if self.listings > 1:
            return before
        archive(self.inner, ArchiveOptions(keep_min_commits=1, keep_max_commits=2), CleanOptions(commits_retained=1))
        return [info for info in before if info.path in before[0].path] + before[:3] + self.inner.list(folder)


def test_a_listing_during_it_has_no_gap(written):
    table = written()
    for n in range(6):
        table.write([n], n)
    slow = Slow(table.storage)
    assert Timeline.load(slow).instants == Timeline.load(table.storage).instants
    assert slow.listings == 2


def test_a_clean_that_was_completed_twice_leaves_the_timeline_as_a_whole(written):
    table = written(table_version=9)
    for n in range(3):
        table.write([0], n)
    cleaned = table.table.clean(commits_retained=1)
    folder = table.table.timeline.folder
    [first] = [i for i in table.table.timeline.completed if i.time == cleaned.instant]
    later = evolve(first, completion_time=str(int(first.completion_time) + 1))
    table.storage.create(f"{folder}/{later.file_name}", table.table.timeline.read(first))
    for n in range(3, 6):
        table.write([0], n)
    gone = table.table.archive(keep_min_commits=1, keep_max_commits=2, commits_retained=1)
    assert [i for i in gone if i.action == "clean"] == [first]
    assert [info.path for info in table.storage.list(folder) if cleaned.instant in info.path] == []
    table.check()


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_many_commits_with_services_at_each(written, kind):
    table = written(
        table_type=kind,
        clean_automatic=True,
        archive_automatic=True,
        commits_retained=3,
        keep_min_commits=4,
        keep_max_commits=6,
        compact_inline=kind == "MERGE_ON_READ",
        compact_after_commits=3,
    )
    for n in range(24):
        table.write([n % 5, n * 3 % 7], n)
        if n % 4 == 3:
            table.check()
            timeline = table.table.timeline
            assert len(timeline.commits) <= 7
            for instant in timeline.commits[-2:]:
                if instant.time in table.states:
                    assert table.rows(as_of=instant.time) == table.states[instant.time]
    times = {*archived(table), *(i.time for i in table.table.timeline.instants)}
    assert set(table.states) <= times
    assert {i.action for i in Archive(table.table.timeline).instants} >= {"clean", "commit"}
    assert len(table.files()) < 30


@pytest.fixture
def unpacked(real_table):
    return lambda name: LocalStorage(str(real_table(name)))


def read_by_both(storage):
    batches = hudi.HudiTableBuilder.from_base_uri(storage.uri).build().read()
    both = pa.Table.from_batches(batches), hoodoo.Table(storage.uri).to_arrow()
    return [sorted(map(str, table.select(both[0].column_names).to_pylist())) for table in both]


@pytest.mark.parametrize(
    "name",
    [
        "sample_table_cow__v9_txns_simple_meta",
        "sample_table_mor_avro__v9_txns_complex_meta",
        "sample_table_cow__v6_complexkeygen_hivestyle",
        "mor6-archived-by-0.15.0",
        "cow9-clustered",
    ],
)
def test_tables_of_hudi_read_the_same(unpacked, name):
    storage = unpacked(name)
    drop_metadata_table(storage)
    before = read_by_both(storage)
    assert before[0] == before[1]
    schema = {"schema": hoodoo.Table(storage.uri).timeline.commit_outline(last_commit(storage)).schema}
    cleaned = 0
    # enough for files of the archive to be merged
    for number in range(23):
        timeline = load_timeline(storage, load_properties(storage))
        with begin(storage, timeline) as transaction:
            transaction.commit(CommitMetadata("UPSERT", {}, schema))
        table = hoodoo.Table(storage.uri)
        cleaned += bool(table.clean(commits_retained=1))
        table.archive(keep_min_commits=1, keep_max_commits=2, commits_retained=1)
        if number % 8 == 0:
            assert read_by_both(storage) == before
    assert read_by_both(storage) == before
    timeline = hoodoo.Table(storage.uri).timeline
    archive = Archive(timeline)
    assert len(archive.commits) > 10
    assert all(archive.completion_time_of(i.time) for i in archive.commits)
    assert [archive.commit_metadata(i).operation_type for i in archive.commits][-1] == "UPSERT"
    if timeline.layout == 2:
        names = [info.path.rpartition("/")[2] for info in storage.list(timeline.archive_folder)]
        assert {name for name in names if name.startswith("manifest_")} == {f"manifest_{n}" for n in manifests(storage)}
        assert any(name.endswith("_1.parquet") for name in names)
        assert cleaned


def last_commit(storage):
    return hoodoo.Table(storage.uri).timeline.commits[-1]


def manifests(storage):
    current = int(storage.read(".hoodie/timeline/history/_version_"))
    return range(current - 2, current + 1)
