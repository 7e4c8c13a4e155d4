"""Every call to the store fails, or the process is killed there, while a metadata table is created or an index dropped.

Afterwards readers read the rows with and without the metadata table, each partition that the properties name equals the
files and the rows, and the next write creates the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from attrs import evolve

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.properties import load_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.reading.slice.log_corruption import SkippedCorruption

from .faults import killed_at
from .metadata_tables import metadata_table
from .operations import CHANGES, KINDS, NEW, NO_SERVICES, OPERATIONS, SERVICES, Kind, Operation, Rows, read, write
from .points import Attempt, chosen_points, fault_of
from .store import Files, MemoryStorage
from .test_every_call import LAST, judge

pytestmark = pytest.mark.slow

OF_KINDS = ("cow6p", "mor6a", "mor8a", "cow9p", "mor9p")
SOME: Mapping[str, Any] = {"metadata_table": True, "index_column_stats": True}
ALL: Mapping[str, Any] = {**SOME, "index_bloom_filters": True, "index_record_keys": True}
NAMES = ("column_stats", "bloom_filters", "record_index")


def with_indexes(indexes: Mapping[str, Any], kind: Kind) -> tuple[Files, Rows]:
    """Prepare a table with a metadata table that the options `indexes` create; return its files and rows."""
    files, rows = OPERATIONS["upsert"].prepare(kind)
    change = {"a2": ("a", 7)}
    write(files, kind, change, **NO_SERVICES, **indexes)
    return files, rows | change


def nothing(kind: Kind) -> tuple[Files, Rows]:
    return Files(), {}


def after_a_dead_write(kind: Kind) -> tuple[Files, Rows]:
    """Prepare a table whose last writer was killed before its commit."""
    files, rows = OPERATIONS["upsert"].prepare(kind)
    is_last: Callable[[str, str], bool] = lambda operation, path: (  # noqa: E731 - one condition
        operation == "create" and path.endswith((".commit", ".deltacommit"))
    )
    killed_at(files, lambda: write(files, kind, CHANGES, **NO_SERVICES), is_last)
    return files, rows


def upserting(files: Files, kind: Kind) -> object:
    return write(files, kind, CHANGES, **SERVICES, **ALL)


def changed(before: Rows) -> Rows:
    return before | CHANGES


CASES = {
    "new table": Operation(
        lambda files, kind: write(files, kind, NEW, new=True, **SERVICES, **ALL), lambda before: NEW, prepare=nothing
    ),
    "table without": Operation(upserting, changed),
    "table with some": Operation(upserting, changed, prepare=partial(with_indexes, SOME)),
    "after a dead write": Operation(upserting, changed, prepare=after_a_dead_write),
    "index create": Operation(lambda files, kind: hoodoo.Table(files.uri).create_indexes(*NAMES), is_write=False),
    "index drop": Operation(
        lambda files, kind: hoodoo.Table(files.uri).drop_indexes("record_index", "bloom_filters"),
        is_write=False,
        prepare=partial(with_indexes, ALL),
    ),
    "drop of all": Operation(
        lambda files, kind: hoodoo.Table(files.uri).drop_indexes(*_partitions(files)),
        is_write=False,
        prepare=partial(with_indexes, ALL),
    ),
}
CASES = {name: evolve(case, later=ALL) for name, case in CASES.items()}


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("kind", OF_KINDS)
@pytest.mark.parametrize("name", CASES)
def test_every_call(name: str, kind: str) -> None:
    case, chosen = CASES[name], KINDS[kind]
    table = case.prepare(chosen)
    files, points = chosen_points(case, chosen, table)
    check(files)
    wrong = [text for point in points if (text := fault_of(case, chosen, table, point, check_all))]
    assert not wrong, "\n\n".join([f"{len(wrong)} of {len(points)} points fail", *wrong[:3]])


def check_all(attempt: Attempt) -> None:
    """Raise if a partition of the metadata table or the rows are wrong after a fault, or after the next writes."""
    files = attempt.files
    check(files)
    judge(attempt)
    assert {"files", *NAMES} <= set(_partitions(files))
    check(files)
    write(files, attempt.kind, LAST, **SERVICES)
    assert metadata_table(files).metadata.pending == ()
    check(files)


def check(files: Files) -> None:
    """Raise if a partition of the metadata table is wrong, or if readers read other rows with the metadata table.

    Only partitions that the properties of the table name are checked.
    """
    if PROPERTIES_FILE not in files.bodies or not _partitions(files):
        return
    problems = [finding for finding in validate(files.uri).findings if finding.status is Status.PROBLEM]
    assert not problems, problems
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", SkippedCorruption)  # a killed process may leave a part of a block
        assert read(files, metadata_table=True) == read(files)


def _partitions(files: Files) -> tuple[str, ...]:
    return load_properties(MemoryStorage(files)).metadata_partitions


@pytest.mark.parametrize("kind", ["mor6a", "cow9p"])
def test_a_partition_that_no_property_names_is_created_again(kind: str) -> None:
    files, rows = OPERATIONS["upsert"].prepare(KINDS[kind])
    is_third: Callable[[str, str], bool] = lambda operation, path: (  # noqa: E731 - one condition
        operation == "create" and path == PROPERTIES_FILE and len(_partitions(files)) == 2
    )
    killed_at(files, lambda: upserting(files, KINDS[kind]), is_third)
    assert _partitions(files) == ("column_stats", "files")
    assert any(path.startswith(".hoodie/metadata/bloom_filters/") for path in files.bodies)
    assert read(files) == read(files, metadata_table=True) == rows

    write(files, KINDS[kind], CHANGES, **NO_SERVICES, **ALL)

    assert {"files", *NAMES} <= set(_partitions(files))
    assert read(files, metadata_table=True) == changed(rows)
    check(files)
