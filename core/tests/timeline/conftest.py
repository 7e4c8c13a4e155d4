"""Fixtures: tables that Apache Hudi wrote, and their timelines."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.timeline import Timeline

SHARED = Path(os.environ.get("HOODOO_SHARED") or Path(__file__).resolve().parents[4] / "shared")
TABLES = sorted(path.stem for path in (SHARED / "data" / "tables").glob("*.zip"))
LAYOUT_2 = [name for name in TABLES if "__v8_" in name or "__v9_" in name]
GOLDEN = ["cow6-clustered-by-0.15.0", "mor6-archived-by-0.15.0", "mor6-rolled-back-by-0.15.0", "mor9-compaction-done"]
GOLDEN_2 = ["mor8-archived-by-1.0.2", "mor8-by-1.0.2", "cow9-clustered", "mor9-archived", "mor9-merge-into"]


def pytest_generate_tests(metafunc):
    """Run tests with an argument `table` on every shared table, and those with `table_2` on every one of layout 2.

    Both are also run on some golden tables.
    """
    for argument, shared, golden in (("table", TABLES, GOLDEN + GOLDEN_2), ("table_2", LAYOUT_2, GOLDEN_2)):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, [*(shared or ["none of the shared folder"]), *golden], indirect=True)


@pytest.fixture(scope="session")
def unzipped(real_table):
    """Return a function from the name of a table that Apache Hudi wrote to its root folder."""
    return cache(real_table)


@pytest.fixture
def timeline_at():
    """Return a function that loads the timeline of the table at a path."""

    def load(root):
        storage = storage_for(root)
        properties = load_properties(storage)
        return Timeline.load(storage, properties.layout_version, properties.timeline_folder, properties.archive_folder)

    return load


@pytest.fixture
def table(request, unzipped, timeline_at):
    return timeline_at(unzipped(request.param))


@pytest.fixture
def table_2(request, unzipped, timeline_at):
    return timeline_at(unzipped(request.param))
