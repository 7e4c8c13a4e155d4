"""Distribution of rows by route, in memory and spilled."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from hoodoo.local import shuffle as module
from hoodoo.local.shuffle import Shuffle
from hoodoo.writing.routing.shuffle_route import bin_of, pack_route
from hoodoo.writing.tasks.incoming_rows import ARRIVAL, ROUTE

SOME = 1 << 40


def rows(count: int, seed: int = 0, first: int = 0, bins: int = 3) -> pa.Table:
    rng = np.random.default_rng(seed)
    routes = pack_route(rng.integers(0, bins, count), rng.integers(0, 4, count))
    return pa.table(
        {"v": [f"v{n}" for n in range(first, first + count)], ARRIVAL: range(first, first + count), ROUTE: routes}
    )


def filled(folder, memory: int = SOME, chunks: int = 5) -> tuple[Shuffle, pa.Table]:
    shuffle, tables = Shuffle(folder, memory), [rows(50, n, n * 50) for n in range(chunks)]
    for number in reversed(range(chunks)):  # threads add chunks in any order
        shuffle.add((0, number), tables[number])
    return shuffle, pa.concat_tables(tables)


def content(share) -> list[dict]:
    return [row for batch in share.batches() for row in batch.to_pylist()]


@pytest.mark.parametrize("memory", [SOME, 4000, 1])
def test_each_share_has_the_rows_of_its_bin_sorted_by_route_and_arrival(tmp_path, memory):
    shuffle, given = filled(tmp_path, memory)

    found = {share.task: content(share) for share in shuffle.shares()}

    expected = sorted(given.to_pylist(), key=lambda row: (row[ROUTE], row[ARRIVAL]))
    assert found == {task: [row for row in expected if bin_of(row[ROUTE]) == task] for task in range(3)}
    assert bool(list(tmp_path.iterdir())) == (memory != SOME)


def test_rows_beyond_the_memory_are_not_kept_in_memory(tmp_path):
    before = pa.total_allocated_bytes()
    shuffle = Shuffle(tmp_path, 100_000)
    for number in range(20):
        shuffle.add((0, number), rows(2000, number))

    assert pa.total_allocated_bytes() - before < 200_000
    assert sum(share.rows for share in shuffle.shares()) == 40_000


def test_large_shares_come_first(tmp_path):
    shuffle, _ = filled(tmp_path)
    counts = [share.rows for share in shuffle.shares()]

    assert counts == sorted(counts, reverse=True)


def test_no_rows_give_no_shares(tmp_path):
    shuffle = Shuffle(tmp_path, SOME)
    shuffle.add((0, 0), rows(0))

    assert shuffle.shares() == shuffle.balanced_shares(2, divides_routes=True) == []


def test_small_routes_stay_together_in_balanced_shares(tmp_path):
    shuffle, given = filled(tmp_path)
    [share] = shuffle.balanced_shares(4, divides_routes=True)

    assert content(share) == sorted(given.to_pylist(), key=lambda row: (row[ROUTE], row[ARRIVAL]))


@pytest.mark.parametrize("divides", [True, False])
def test_a_large_route_is_divided_only_if_the_operation_permits_it(tmp_path, monkeypatch, divides):
    monkeypatch.setattr(module, "PIECE_BYTES", 2000)
    shuffle = Shuffle(tmp_path, SOME)
    for number in range(10):
        shuffle.add((0, number), rows(50, number, number * 50).set_column(2, ROUTE, pa.array([7] * 50)))

    shares = shuffle.balanced_shares(2, divides_routes=divides)

    assert [row["v"] for share in shares for row in content(share)] == [f"v{n}" for n in range(500)]
    assert [share.task for share in shares] == list(range(len(shares)))
    assert (len(shares) > 4) == divides
    assert divides or len(shares) == 1
