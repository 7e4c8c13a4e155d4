from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.timeline import Timeline

SHARED = Path(os.environ.get("HOODOO_SHARED") or Path(__file__).resolve().parents[4] / "shared")
TABLES = sorted(path.stem for path in (SHARED / "data" / "tables").glob("*.zip"))
LAYOUT_2 = [name for name in TABLES if "__v8_" in name or "__v9_" in name]


def pytest_generate_tests(metafunc):
    """Tests with an argument `table` run on every real table, those with `table_2` on every one of layout 2."""
    for argument, names in (("table", TABLES), ("table_2", LAYOUT_2)):
        if argument in metafunc.fixturenames:
            metafunc.parametrize(argument, names or ["none"], indirect=True)


@pytest.fixture(scope="session")
def unzipped(tmp_path_factory):
    """The root folder of a table that Apache Hudi wrote, by the name of its archive."""
    if not TABLES:
        pytest.skip(f"no real tables at {SHARED}; set HOODOO_SHARED to the folder that holds data/tables")
    roots = {}

    def unzip(name):
        if name not in roots:
            folder = tmp_path_factory.mktemp(name)
            with zipfile.ZipFile(SHARED / "data" / "tables" / f"{name}.zip") as archive:
                archive.extractall(folder)
            (roots[name],) = (path.parent.parent for path in folder.glob("*/.hoodie/hoodie.properties"))
        return roots[name]

    return unzip


@pytest.fixture
def expected_rows():
    """The path of the rows that another reader returned for a table."""
    return lambda name: SHARED / "data" / "expected" / f"{name}.snapshot.parquet"


@pytest.fixture
def timeline_at():
    """The timeline of the table at a path."""

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
