"""Fixtures: real tables, the process that reads damaged ones, and its results."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .judging import Case
from .kinds import Kind
from .reader import Reader
from .repeatable import repeatable
from .written import merge_on_read

WARM = ("quickstart_trips_table_mor_avro__v6_trips_8i1u", "sample_table_mor_parquet__v6_nonpartitioned_rollback")


def real_tables() -> Path | None:
    beside = Path(__file__).resolve().parents[3] / "shared"
    tables = Path(os.environ.get("HOODOO_SHARED", beside)) / "data" / "tables"
    return tables if tables.is_dir() else None


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that returns the root of a table of Apache Hudi by name. Tests must not write to it."""
    tables = real_tables()
    if tables is None:
        pytest.skip("no Hudi tables; HOODOO_SHARED names the folder above 'data'")
    roots: dict[str, Path] = {}

    def unpack(name: str) -> Path:
        if name not in roots:
            folder = tmp_path_factory.mktemp(name)
            with zipfile.ZipFile(tables / f"{name}.zip") as archive:
                archive.extractall(folder, [m for m in archive.namelist() if not m.startswith("__MACOSX/")])
            [properties] = folder.glob("*/.hoodie/hoodie.properties")
            roots[name] = properties.parent.parent
        return roots[name]

    return unpack


@pytest.fixture(scope="session")
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    tables = [tmp_path_factory.mktemp("warm") / "table"]
    merge_on_read(tables[0])
    if real_tables() is not None:
        tables += map(request.getfixturevalue("unpacked"), WARM)
    running = Reader([{"action": "read", "table": str(table), "arguments": {}} for table in tables])
    yield running
    running.close()


@pytest.fixture
def copied(unpacked: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """Copy a real table to damage it, without its metadata table, which is not read."""

    def copy(name: str) -> Path:
        root = tmp_path / "table"
        shutil.copytree(unpacked(name), root, ignore=shutil.ignore_patterns("metadata"))
        return root

    return copy


@pytest.fixture
def case_of(request: pytest.FixtureRequest, reader: Reader, tmp_path: Path) -> Callable[[Kind], Case]:
    """A kind's table as it was made, ready to be damaged."""

    def prepare(kind: Kind) -> Case:
        root = request.getfixturevalue("copied")(kind.table) if kind.table else tmp_path / "table"
        with repeatable(kind.name):
            kind.prepare(root)
        return Case(kind, root, reader)

    return prepare
