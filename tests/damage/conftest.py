"""Fixtures: real tables, the process that reads damaged ones, and its results."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.damage.made_tables.kinds import Kind
from tests.damage.made_tables.repeatable import repeatable
from tests.damage.made_tables.written import merge_on_read

from .judging import Case
from .reader import Reader

WARM = ("mor6-by-0.15.0", "mor6-parquet-by-0.15.0")


@pytest.fixture(scope="session")
def unpacked(real_table: Callable[[str], Path]) -> Callable[[str], Path]:
    """Return a function that returns the root of a table of Apache Hudi by name. Tests must not write to it."""
    return cache(real_table)


@pytest.fixture(scope="session")
def reader(unpacked: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    tables = [tmp_path_factory.mktemp("warm") / "table"]
    merge_on_read(tables[0])
    tables += map(unpacked, WARM)
    running = Reader([{"action": "read", "table": str(table), "arguments": {}} for table in tables])
    yield running
    running.close()


@pytest.fixture
def copied(unpacked: Callable[[str], Path], tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies a real table, so that a test can damage the copy.

    The copy lacks the metadata table and Hadoop's checksums, which are not read.
    """

    def copy(name: str) -> Path:
        root = tmp_path / "table"
        shutil.copytree(unpacked(name), root, ignore=shutil.ignore_patterns("metadata", "*.crc"))
        return root

    return copy


@pytest.fixture
def case_of(request: pytest.FixtureRequest, reader: Reader, tmp_path: Path) -> Callable[[Kind], Case]:
    """Return a function that returns the case of a kind, with a table that is not yet damaged."""

    def prepare(kind: Kind) -> Case:
        root = request.getfixturevalue("copied")(kind.table) if kind.table else tmp_path / "table"
        with repeatable(kind.name):
            kind.prepare(root)
        return Case(kind, root, reader)

    return prepare
