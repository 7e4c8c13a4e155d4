"""Batches of many splits: all of them, in bounded memory, until the consumer stops."""

from __future__ import annotations

import threading
from collections import Counter

import pyarrow as pa
import pytest
from hoodoo_duckdb.read_ahead import read_ahead

from hoodoo.errors import CorruptTableError

SCHEMA = pa.schema([("n", pa.int64())])
ROWS = 1000
BATCH_BYTES = 8 * ROWS


class Stub:
    """Split with a number of batches, or endless for `None`; it records its thread and the number of its batches."""

    def __init__(self, batches, error=None):
        self.batches, self.error, self.given, self.is_closed, self.thread = batches, error, 0, False, None

    def read(self):
        return pa.RecordBatchReader.from_batches(SCHEMA, self._batches())

    def _batches(self):
        self.thread = threading.current_thread()
        try:
            while self.batches is None or self.given < self.batches:
                self.given += 1
                yield pa.record_batch([pa.array([self.given] * ROWS)], schema=SCHEMA)
            if self.error:
                raise self.error
        finally:
            self.is_closed = True


def _numbers(batches):
    return [batch.column(0)[0].as_py() for batch in batches]


def test_every_batch_of_every_split_comes_once():
    splits = [Stub(batches) for batches in (7, 0, 1, 30, 4)]
    wanted = Counter(number for split in splits for number in range(1, split.batches + 1))

    assert Counter(_numbers(read_ahead(splits))) == wanted
    assert all(split.is_closed for split in splits)


def test_batches_of_one_split_keep_their_order():
    assert _numbers(read_ahead([Stub(50)], budget=3 * BATCH_BYTES)) == list(range(1, 51))


def test_no_splits_are_no_batches():
    assert list(read_ahead([])) == []


@pytest.mark.parametrize("budget", [1, BATCH_BYTES, 4 * BATCH_BYTES])
def test_no_more_waits_than_the_budget_allows(budget):
    """At most as many batches wait as fit into the budget, at least one, plus one for each thread."""
    splits = [Stub(40) for _ in range(4)]
    threads = min(len(splits), pa.cpu_count())
    most = max(1, budget // BATCH_BYTES) + threads
    taken = 0
    for _ in read_ahead(splits, budget):
        taken += 1
        assert sum(split.given for split in splits) - taken <= most
    assert taken == 160


def test_nothing_is_read_before_the_first_batch_is_wanted():
    split = Stub(3)
    batches = read_ahead([split])

    assert split.thread is None
    next(batches)
    assert split.thread is not threading.current_thread()


def test_closing_ends_the_threads_and_the_readers():
    """A closed iterator stops its threads, also in splits without an end, and closes the readers."""
    endless = [Stub(None) for _ in range(20)]
    batches = read_ahead(endless, budget=2 * BATCH_BYTES)
    next(batches)
    batches.close()

    begun = [split for split in endless if split.thread]
    for split in begun:
        split.thread.join(timeout=30)
    assert begun
    assert not any(split.thread.is_alive() for split in begun)
    assert all(split.is_closed for split in begun)
    assert len(begun) <= pa.cpu_count() + 1, "splits that were not begun stay so"


def test_dropping_the_reader_ends_the_threads():
    split = Stub(None)
    reader = pa.RecordBatchReader.from_batches(SCHEMA, read_ahead([split], budget=BATCH_BYTES))
    reader.read_next_batch()
    del reader

    split.thread.join(timeout=30)
    assert split.is_closed


def test_an_error_ends_it_and_is_the_splits_own():
    error = CorruptTableError("base file 'x' is damaged", file="x")
    others = [Stub(100) for _ in range(10)]

    with pytest.raises(CorruptTableError) as caught:
        list(read_ahead([Stub(2, error), *others], budget=2 * BATCH_BYTES))

    assert caught.value is error
    begun = [split for split in others if split.thread]
    for split in begun:
        split.thread.join(timeout=30)
    assert all(split.is_closed for split in begun)
    assert sum(split.given for split in others) < 1000, "the others are not read to their end"
