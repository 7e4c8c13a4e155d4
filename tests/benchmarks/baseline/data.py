"""Table and batches of the benchmarks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PARTITIONS, BUCKETS = 8, 2
KEYS = np.iinfo(np.int64).max
MERGE_ON_READ = {
    "table_name": "bench",
    "record_key": "key",
    "partition_by": "part",
    "ordering": "ts",
    "index": "bucket",
    "buckets": BUCKETS,
    "table_type": "MERGE_ON_READ",
}


def rows(keys: np.ndarray, seed: int, first_ts: int) -> pa.Table:
    """Return rows of eleven columns; the partition follows from the key, so that an update finds its row.

    `first_ts` is the least possible ordering value, in microseconds since 1970.
    """
    rng = np.random.default_rng(seed)
    n = len(keys)
    return pa.table(
        {
            "key": pa.array([f"{key:016x}" for key in keys.tolist()]),
            "part": pa.array(np.array([f"p{i}" for i in range(PARTITIONS)])[keys % PARTITIONS]),
            "i1": rng.integers(0, 1000, n).astype(np.int32),
            "i2": rng.integers(0, 2**31 - 1, n).astype(np.int32),
            "l1": rng.integers(0, 2**62, n),
            "l2": rng.integers(0, 1000, n),
            "d1": rng.random(n),
            "d2": rng.random(n),
            "s1": pa.array(np.array([f"status-{i}" for i in range(20)])[rng.integers(0, 20, n)]),
            "s2": pa.array([f"{value:020d}" for value in rng.integers(0, 2**62, n).tolist()]),
            "ts": pa.array(rng.integers(0, 10**12, n) + first_ts, pa.timestamp("us", tz="UTC")),
        }
    )


def keys(count: int, seed: int) -> np.ndarray:
    """Return random keys, all different."""
    rng = np.random.default_rng(seed)
    found = np.unique(rng.integers(0, KEYS, int(count * 1.001) + 10))
    return rng.permutation(found)[:count]


def base(count: int) -> pa.Table:
    """Return the stored rows."""
    return rows(keys(count, 1), 2, 1_600_000_000_000_000)


def batch(count: int, base_count: int) -> pa.Table:
    """Return a batch: 18 of 21 rows update a stored key, 2 are new and 1 occurs twice; some updates are late."""
    rng = np.random.default_rng(3)
    stored = keys(base_count, 1)
    updates, inserts, twice = count * 18 // 21, count * 2 // 21, count // 21
    chosen = np.concatenate([rng.choice(stored, updates, replace=False), keys(inserts, 4)])
    chosen = np.concatenate([chosen, rng.choice(chosen, twice, replace=False)])
    return rows(rng.permutation(chosen), 5, 1_600_000_000_500_000)


def store_batch(table: pa.Table, folder: Path, files: int = 4) -> str:
    """Write the batch as Parquet files for Spark, and return the path of their folder."""
    folder.mkdir(parents=True)
    step = -(-table.num_rows // files)
    for number in range(files):
        pq.write_table(table.slice(number * step, step), folder / f"{number}.parquet", compression="snappy")
    return str(folder)
