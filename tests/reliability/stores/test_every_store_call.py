"""Calls to S3, Azure, GCS and HDFS fail before or after they take effect, or the process is killed there.

Afterwards the checks of the same operations in memory hold. `HOODOO_EVERY_CALL` determines the share of the calls. A
failure prints the point; `HOODOO_POINT='31 kill after'` tries only this one.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Sequence

import pytest
from attrs import evolve

from tests.reliability.metadata_tables import check_metadata_table
from tests.reliability.operations import OPERATIONS, REMOTE_KINDS, Kind, Operation, Rows
from tests.reliability.points import Check, Point, all_points, fault_of
from tests.reliability.store import Files
from tests.reliability.test_every_call import judge
from tests.reliability.test_every_metadata_call import CASES as METADATA_CASES
from tests.reliability.test_every_metadata_call import check as judge_metadata

from .stored_files import SavedTable, Store, snapshot

pytestmark = pytest.mark.slow

EVERY = int(os.environ.get("HOODOO_EVERY_CALL", "193"))
ONLY = os.environ.get("HOODOO_POINT")
NAMES = ("upsert", "delete", "compaction", "clean", "rollback")

CASES: list[tuple[str, str, bool]] = [
    (name, kind, has_metadata)
    for kinds, has_metadata in ((("cow9pr", "mor6ar"), False), (("cow6pr", "mor9pr"), True))
    for kind in kinds
    for name in NAMES
    if not (name == "compaction" and kind.startswith("cow"))
]
"""Operation, kind of the table, and whether it has a metadata table."""

_prepared: dict[tuple[str, str, Callable[[Kind], tuple[Files, Rows]]], tuple[dict[str, bytes], Rows]] = {}
"""The files of the table before an operation, and its rows, by store, kind and function."""


@pytest.mark.scaled
# until the next write, a reader reports the log that a killed process left incomplete
@pytest.mark.filterwarnings("ignore::hoodoo.reading.slice.log_corruption.SkippedCorruption")
@pytest.mark.parametrize(("name", "kind", "has_metadata"), CASES)
def test_every_call(store: Store, name: str, kind: str, has_metadata: bool) -> None:
    case: Operation = (METADATA_CASES if has_metadata else OPERATIONS)[name]
    check: Check = judge_metadata if has_metadata else judge
    chosen = evolve(REMOTE_KINDS[kind], store=store.new_table)
    table = prepared(store, case, chosen)
    files, points = all_points(case, chosen, table)
    if has_metadata:
        check_metadata_table(files, exactly=True)
    points = share_of(points, f"{store.name} {name} {kind}")
    wrong = [text for point in points if (text := fault_of(case, chosen, table, point, check))]
    assert not wrong, "\n\n".join([f"{len(wrong)} of {len(points)} points fail", *wrong[:3]])


def prepared(store: Store, case: Operation, kind: Kind) -> tuple[SavedTable, Rows]:
    """Return the table before an operation, and its rows; they are prepared once for each store and kind of table."""
    key = store.name, kind.name, case.prepare
    if key not in _prepared:
        files, rows = case.prepare(kind)
        _prepared[key] = snapshot(files), rows
    bodies, rows = _prepared[key]
    return SavedTable(store, bodies), rows


def share_of(points: Sequence[Point], case: str) -> list[Point]:
    """Return the point of `HOODOO_POINT`, or else a share of the points, another one for each case.

    Points with a loss of power are left out, because a confirmed write to a store is durable.
    """
    if ONLY is not None:
        number, _, mode = ONLY.partition(" ")
        return [point for point in points if point == (int(number), mode)]
    points = [point for point in points if point[1] != "lose power"]
    return points[zlib.crc32(case.encode()) % min(EVERY, len(points)) :: EVERY]
