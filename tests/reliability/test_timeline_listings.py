"""Numbers of timeline listings and property reads of one write."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from attrs import define, field

from hoodoo.properties import METADATA_TABLE_FOLDER, load_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE

from .actors import acting_as
from .metadata_tables import add_metadata_table
from .operations import KINDS, NO_SERVICES, SERVICES, prepared, read, write
from .store import Files, storage_of

CHANGE = {"a1": ("a", 9), "c1": ("c", 9)}


@define
class Calls:
    """Counter of calls to the store, by operation and path."""

    counts: Counter[tuple[str, str]] = field(factory=Counter)

    def before(self, operation: str, path: str) -> None:
        self.counts[operation, path] += 1

    def after(self, operation: str, path: str) -> None:
        """Count nothing."""


def calls_of_an_upsert(files: Files, kind: str, **options: Any) -> tuple[int, int]:
    """Upsert, and return the numbers of listings of the timeline and of readings of the properties."""
    folder = load_properties(storage_of(files)).timeline_folder
    calls = Calls()
    with acting_as(calls):
        write(files, KINDS[kind], CHANGE, **options)
    return calls.counts["list", folder], calls.counts["read", PROPERTIES_FILE]


@pytest.mark.parametrize("index", ["simple", "global-simple"])
@pytest.mark.parametrize("kind", ["cow6p", "mor6p", "cow9p", "mor9p"])
def test_an_upsert_lists_the_timeline_to_plan_to_begin_and_to_commit(kind: str, index: str) -> None:
    """The timeline is listed for the plan, under the lock of the begin, and under the lock of the commit."""
    files, rows = prepared(KINDS[kind])

    assert calls_of_an_upsert(files, kind, index=index, **NO_SERVICES) == (3, 2)
    assert read(files) == rows | CHANGE


@pytest.mark.parametrize("kind", ["cow6p", "mor6p", "cow9p", "mor9p"])
def test_services_that_are_not_due_list_nothing(kind: str) -> None:
    files, rows = prepared(KINDS[kind])
    options = {"compact_inline": True, "compact_after_commits": 100, "clean_after_commits": 100}

    assert calls_of_an_upsert(files, kind, archive_automatic=False, **options) == (3, 2)
    assert read(files) == rows | CHANGE


@pytest.mark.parametrize("kind", ["mor6p", "mor9p"])
def test_only_a_table_with_a_metadata_table_makes_requests_for_it(kind: str) -> None:
    """The preparation of the metadata table needs one more listing and one more reading of the properties."""
    files, _ = prepared(KINDS[kind])
    calls = Calls()
    with acting_as(calls):
        write(files, KINDS[kind], CHANGE, **NO_SERVICES)
    assert not [path for _, path in calls.counts if path.startswith(METADATA_TABLE_FOLDER)]

    add_metadata_table(files)
    assert calls_of_an_upsert(files, kind, **NO_SERVICES) == (4, 3)


def test_services_that_are_due_find_the_commit_of_the_write() -> None:
    files, rows = prepared(KINDS["mor6p"])
    before = {path for path in files.bodies if path.endswith(".commit")}
    write(files, KINDS["mor6p"], CHANGE, **SERVICES)

    assert {path for path in files.bodies if path.endswith(".commit")} - before
    assert read(files) == rows | CHANGE
