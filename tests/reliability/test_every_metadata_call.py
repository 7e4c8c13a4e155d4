"""Every call to the store of every operation on a table with a metadata table fails, or the process is killed there.

Afterwards the metadata table has the files of the table's completed commits and no others, and the next write repairs
the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import pytest
from attrs import evolve

import hoodoo

from .faults import killed_at
from .metadata_tables import add_metadata_table, check_metadata_table, metadata_table
from .operations import CHANGES, KINDS, NO_SERVICES, OPERATIONS, Kind, Operation, Rows, write
from .points import Attempt, chosen_points, fault_of
from .store import Files
from .test_every_call import LAST, SERVICES, judge

pytestmark = [pytest.mark.slow, pytest.mark.nightly]

OF_KINDS = ("cow6p", "mor6a", "mor8a", "cow9p", "mor9p")
WITHOUT = ("create", "metadata table", "rollback")


@cache
def with_metadata(prepare: Callable[[Kind], tuple[Files, Rows]]) -> Callable[[Kind], tuple[Files, Rows]]:
    def prepared(kind: Kind) -> tuple[Files, Rows]:
        files, rows = prepare(kind)
        add_metadata_table(files)
        return files, rows

    return prepared


def failed(of_table: bool) -> Callable[[Kind], tuple[Files, Rows]]:
    """Return a function that prepares a table whose last writer was killed before it completed its commit.

    Args:
        of_table: Whether the delta commit of the metadata table is completed, and only the table's is not.
    """

    def prepared(kind: Kind) -> tuple[Files, Rows]:
        files, rows = with_metadata(OPERATIONS["upsert"].prepare)(kind)
        killed_at(
            files,
            lambda: write(files, kind, CHANGES, **NO_SERVICES),
            lambda operation, path: (
                operation == "create"
                and path.endswith((".commit", ".deltacommit"))
                and (not of_table or not path.startswith(".hoodie/metadata"))
            ),
        )
        assert hoodoo.Table(files.uri).timeline.pending
        return files, rows

    return prepared


def many(kind: Kind, compactions: int = 0) -> tuple[Files, Rows]:
    """Prepare a table whose next commit compacts the metadata table, after `compactions` earlier compactions."""
    files, rows = with_metadata(OPERATIONS["upsert"].prepare)(kind)
    for value in range(20, 25 + 10 * compactions):
        write(files, kind, {"a1": ("a", value)}, **NO_SERVICES)
        rows |= {"a1": ("a", value)}
    assert compactions_of(files) == compactions
    return files, rows


def compactions_of(files: Files) -> int:
    return [commit.action for commit in metadata_table(files).metadata.commits].count("commit")


CASES: dict[str, Operation] = {
    name: evolve(operation, prepare=with_metadata(operation.prepare))
    for name, operation in OPERATIONS.items()
    if name not in WITHOUT
}
CASES["compaction of the metadata table"] = evolve(OPERATIONS["upsert"], prepare=many)
# the write also cleans and archives the metadata table
CASES["third compaction of the metadata table"] = evolve(OPERATIONS["upsert"], prepare=partial(many, compactions=2))
CASES["rollback"] = evolve(OPERATIONS["rollback"], prepare=failed(of_table=True))
CASES["rollback of a pending delta commit"] = evolve(OPERATIONS["rollback"], prepare=failed(of_table=False))


@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize("kind", OF_KINDS)
@pytest.mark.parametrize("name", CASES)
def test_every_call(name: str, kind: str) -> None:
    case, chosen = CASES[name], KINDS[kind]
    table = case.prepare(chosen)
    files, points = chosen_points(case, chosen, table)
    check_metadata_table(files, exactly=True)
    wrong = [text for point in points if (text := fault_of(case, chosen, table, point, check))]
    assert not wrong, "\n\n".join([f"{len(wrong)} of {len(points)} points fail", *wrong[:3]])


def check(attempt: Attempt) -> None:
    """Raise if the metadata table or the rows are wrong after a fault, or after the next writes."""
    files = attempt.files
    check_metadata_table(files, exactly=False)
    judge(attempt)
    write(files, attempt.kind, LAST, **SERVICES)
    check_metadata_table(files, exactly=True)
    assert metadata_table(files).metadata.pending == ()


def test_a_dead_compaction_of_the_metadata_table_is_rolled_back() -> None:
    """A pending compaction without a writer would keep the next one from beginning."""
    kind = KINDS["mor9p"]
    files, _ = many(kind)
    killed_at(
        files,
        lambda: write(files, kind, LAST, **NO_SERVICES),
        lambda operation, path: (
            operation == "create" and path.startswith(".hoodie/metadata") and ".commit" in path[-9:]
        ),
    )
    assert [instant.action for instant in metadata_table(files).metadata.pending] == ["commit"]
    write(files, kind, LAST, **NO_SERVICES)
    assert metadata_table(files).metadata.pending == ()
    # the rollback is later than the instant of its writer, and a compaction must be earlier: the next write makes it
    assert compactions_of(files) == 0
    check_metadata_table(files, exactly=True)
    write(files, kind, LAST, **NO_SERVICES)
    assert compactions_of(files) == 1
    check_metadata_table(files, exactly=True)
