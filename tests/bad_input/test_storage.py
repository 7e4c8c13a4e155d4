"""A store that fails during a write: no space, no permission. No stored data is lost."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable

import pytest
from attrs import frozen

from hoodoo import write_job as job
from hoodoo.errors import CommitStateUnknown, StorageError
from hoodoo.storage import LocalStorage, storage_for
from hoodoo.timeline import Timeline
from hoodoo.txn import begin
from hoodoo.writing import write_spec

pytestmark = pytest.mark.slow


@frozen
class FailingStorage(LocalStorage):
    """Local storage that calls `before` with method and path before it creates a file; `before` may raise."""

    before: Callable[[str, str], None]

    def create(self, path, body):
        self.before("create", path)
        LocalStorage.create(self, path, body)

    def open_output(self, path):
        self.before("open_output", path)
        return LocalStorage.open_output(self, path)


@pytest.fixture
def fail(monkeypatch):
    """Return a function that makes the store fail where a condition on method and path holds.

    It returns a list; the store works again when the list is cleared.
    """

    def install(condition, number=errno.ENOSPC):
        def before(method, path):
            if switch and condition(method, path):
                error = StorageError(f"{method} '{path}': {os.strerror(number)}")
                error.errno = number
                raise error

        switch = [True]
        for module in (job, write_spec):
            monkeypatch.setattr(module, "storage_for", lambda path, options=None: FailingStorage(_root(path), before))
        return switch

    return install


def _root(path):
    return storage_for(path).root


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES, errno.EROFS])
@pytest.mark.parametrize("index", [{}, {"index": "bucket", "buckets": 2}], ids=["simple", "bucket"])
@pytest.mark.parametrize("exists", [False, True])
def test_a_data_file_cannot_be_written(place, refuses, fail, number, index, exists):
    if exists:
        place.write(**index)
    switch = fail(lambda method, path: method == "open_output" and path.startswith("y/"), number)

    def good():
        switch.clear()
        place.write(**index)

    error = refuses.late(
        StorageError, "storage", "y/", ".parquet", os.strerror(number), write=lambda: place.write(**index), good=good
    )

    assert error.errno == number


@pytest.mark.parametrize("part", [".marker.", ".hoodie_partition_metadata"])
def test_a_small_file_of_a_task_cannot_be_written(place, refuses, fail, part):
    switch = fail(lambda method, path: method == "create" and part in path and "y/" in path)

    def good():
        switch.clear()
        place.write()

    refuses.late(StorageError, "storage", part, "No space left", write=place.write, good=good)


def test_the_commit_cannot_be_written(place, refuses, fail):
    place.write()
    switch = fail(lambda method, path: path.endswith(".commit"))

    def good():
        switch.clear()
        place.write()

    refuses.late(
        StorageError,
        "storage",
        ".commit",
        "No space left",
        write=lambda: place.write(place.rows_with(v=["n", "n", "n"])),
        good=good,
    )


def test_a_table_cannot_be_created(place, fail):
    switch = fail(lambda method, path: path.endswith("hoodie.properties"), errno.EACCES)

    with pytest.raises(StorageError, match=r"hoodie\.properties': Permission denied"):
        place.write()
    assert place.rows() is None

    switch.clear()
    place.write(record_key="v", partition_by=None)
    assert len(place.rows()) == 3


@pytest.mark.parametrize("state", [".commit.requested", ".inflight"])
def test_an_instant_cannot_be_begun(place, fail, state):
    """The remains of the write do not affect readers, and the next write rolls it back."""
    place.write()
    before = place.rows()
    switch = fail(lambda method, path: path.endswith(state) and "rollback" not in path)

    with pytest.raises(StorageError, match="No space left"):
        place.write(place.rows_with(v=["n", "n", "n"]))
    assert place.rows() == before

    switch.clear()
    place.write(place.rows_with(v=["m", "m", "m"]))
    assert [row["v"] for row in place.rows()] == ["m", "m", "m"]
    place.check_tidy()


@pytest.mark.parametrize("state", [".commit.requested", ".inflight"])
def test_the_first_instant_of_a_table_cannot_be_begun(place, refuses, fail, state):
    switch = fail(lambda method, path: path.endswith(state) and "rollback" not in path)

    def good():
        switch.clear()
        place.write(record_key="v", partition_by=None)

    refuses.late(StorageError, "storage", state, "No space left", write=place.write, good=good)


@pytest.mark.parametrize("exists", [False, True])
def test_no_space_for_the_rollback_either(place, fail, exists):
    """The rollback fails, too; the error states that the next write rolls back."""
    if exists:
        place.write()
    before = place.rows()
    full = []
    switch = fail(
        lambda method, path: full or (method == "open_output" and path.startswith("y/") and not full.append(1))
    )

    with pytest.raises(StorageError, match="No space left") as caught:
        place.write(place.rows_with(v=["n", "n", "n"]))
    assert any("next write" in note for note in caught.value.__notes__)
    assert (place.rows() or []) == (before or [])

    switch.clear()
    place.write(place.rows_with(v=["m", "m", "m"]))
    assert [row["v"] for row in place.rows()] == ["m", "m", "m"]
    place.check_tidy()


@frozen
class LosingStorage(LocalStorage):
    """Local storage that creates commits without a confirmation, and fails when they are read."""

    lost: list[str]

    def create(self, path, body):
        LocalStorage.create(self, path, body)
        if path.endswith(".commit"):
            self.lost.append(path)
            raise StorageError(f"create '{path}': timed out")

    def read(self, path):
        if path in self.lost:
            raise StorageError(f"read '{path}': timed out")
        return LocalStorage.read(self, path)


@pytest.mark.parametrize("exists", [False, True])
def test_a_commit_whose_outcome_is_unknown_loses_nothing(place, monkeypatch, exists):
    """The commit may exist, so its files must stay; here it exists."""
    if exists:
        place.write()
    with monkeypatch.context() as patched:
        patched.setattr(job, "storage_for", lambda path, options=None: LosingStorage(_root(path), []))
        with pytest.raises(CommitStateUnknown, match="check the timeline"):
            place.write(place.rows_with(v=["n", "n", "n"]))

    assert [row["v"] for row in place.rows()] == ["n", "n", "n"]
    place.write(place.rows_with(v=["m", "m", "m"]))
    assert [row["v"] for row in place.rows()] == ["m", "m", "m"]


def test_a_table_that_another_writer_committed_to_is_not_removed(place, fail):
    """Two first writes run at once: the failing one leaves the table to the other."""

    def condition(method, path):
        if method != "open_output":
            return False
        switch.clear()
        place.write(place.rows_with(v=["o", "o", "o"]))
        return True

    switch = fail(condition)

    with pytest.raises(StorageError, match="No space left"):
        place.write()

    assert [row["v"] for row in place.rows()] == ["o", "o", "o"]
    place.check_tidy()


def test_a_table_that_another_writer_began_to_write_to_is_not_removed(place, fail):
    others = []

    def condition(method, path):
        if method == "open_output" and not others:
            storage = storage_for(place.path)
            others.append(begin(storage, Timeline.load(storage)))
            return True
        return False

    fail(condition)

    with pytest.raises(StorageError, match="No space left"):
        place.write()

    assert others[0].instant.time in {instant.time for instant in Timeline.load(storage_for(place.path)).pending}
    assert place.rows() == []
    others[0].rollback()
    place.check_tidy()


def test_tables_below_the_path_are_left_alone(place, fail, refuses):
    """A failed first write removes its own files, but not those of others."""
    place.path.mkdir()
    below = type(place)(place.path / "below" / "table")
    below.write()
    before = below.files()
    switch = fail(lambda method, path: method == "open_output" and path.startswith("y/"))

    with pytest.raises(StorageError, match="No space left"):
        place.write()

    assert switch
    assert below.files() == before
    assert place.rows() is None


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind the superuser")
@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_that_may_not_be_written_to(place, exists):
    if exists:
        place.write()
    else:
        place.path.mkdir()
    before, rows = place.files(), place.rows()
    folders = [place.path, *(path for path in place.path.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    try:
        with pytest.raises(StorageError, match="Permission denied"):
            place.write()
        assert place.files() == before
        assert place.rows() == rows
    finally:
        for folder in folders:
            folder.chmod(0o755)
    place.write()
