"""The floor of the benchmarks: an upsert by two workers with pyarrow alone, without shuffle, index and commit."""

from __future__ import annotations

import multiprocessing
from multiprocessing.pool import Pool
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

META = [
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
]
LOW = ["_hoodie_commit_time", "_hoodie_partition_path", "_hoodie_file_name", "part", "i1", "l2", "s1"]
CONSTANT = ["_hoodie_partition_path", "_hoodie_file_name"]  # one value per file: written, not read
ROW_GROUP = 128 * 1024


def pool() -> Pool:
    """Return two warm workers."""
    workers = multiprocessing.get_context("spawn").Pool(2, initializer=_single_threaded)
    workers.map(_nothing, range(2))
    return workers


def run(workers: Pool, jobs: list[tuple[str, str, str]]) -> int:
    """Merge each (base file, part of the batch, new file), and return the number of written rows."""
    return sum(workers.map(_merge, jobs, chunksize=1))


def split(
    batch: pa.Table, groups: dict[tuple[str, int], str], slot_of: np.ndarray, folder: Path
) -> list[tuple[str, str, str]]:
    """Write the batch into one file per file group, and return the jobs for `run`.

    Args:
        batch: The rows.
        groups: The path of the base file of each file group, by partition and slot.
        slot_of: The slot of each row in its partition.
        folder: A folder for the files, which does not exist.
    """
    folder.mkdir(parents=True)
    parts = batch.column("part").to_numpy(zero_copy_only=False)
    jobs = []
    for number, ((partition, slot), base) in enumerate(groups.items()):
        mine = batch.filter(pa.array((parts == partition) & (slot_of == slot)))
        path = folder / f"in-{number}.parquet"
        pq.write_table(mine, path, compression="snappy")
        jobs.append((base, str(path), str(folder / f"out-{number}.parquet")))
    return jobs


def _single_threaded() -> None:
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)


def _nothing(_: int) -> None:
    pass


def _merge(job: tuple[str, str, str]) -> int:
    base_path, batch_path, out_path = job
    incoming = _deduped(pq.read_table(batch_path, use_threads=False))
    wanted = [name for name in pq.read_schema(base_path).names if name not in CONSTANT]
    base = pq.read_table(base_path, columns=wanted, use_threads=False, read_dictionary=["_hoodie_commit_time"])
    found = pc.index_in(base["_hoodie_record_key"], value_set=incoming["key"].combine_chunks()).combine_chunks()
    rows = np.flatnonzero(found.is_valid().to_numpy(zero_copy_only=False))
    partners = found.take(pa.array(rows)).to_numpy(zero_copy_only=False)
    older = base["ts"].take(pa.array(rows)).combine_chunks().view(pa.int64()).to_numpy()
    newer = incoming["ts"].take(pa.array(partners)).combine_chunks().view(pa.int64()).to_numpy()
    wins = newer >= older
    keep, win = np.ones(base.num_rows, dtype=bool), np.ones(incoming.num_rows, dtype=bool)
    keep[rows[wins]] = False
    win[partners[~wins]] = False
    data = [name for name in base.column_names if name not in META]
    stays, winners = base.filter(pa.array(keep)), incoming.filter(pa.array(win)).select(data)
    meta = {
        "_hoodie_commit_time": pa.chunked_array(
            [*stays["_hoodie_commit_time"].chunks, _constant("20990101000000000", winners.num_rows)]
        ).unify_dictionaries(),
        "_hoodie_commit_seqno": pa.chunked_array(
            [
                *stays["_hoodie_commit_seqno"].chunks,
                pa.array([f"20990101000000000_0_{n}" for n in range(winners.num_rows)]),
            ]
        ),
        "_hoodie_record_key": pa.chunked_array([*stays["_hoodie_record_key"].chunks, *winners["key"].chunks]),
    }
    total = stays.num_rows + winners.num_rows
    meta["_hoodie_partition_path"] = _constant(base["part"][0].as_py(), total)
    meta["_hoodie_file_name"] = _constant(Path(out_path).name, total)
    table = pa.table(
        {**meta, **{name: pa.chunked_array([*stays[name].chunks, *winners[name].chunks]) for name in data}}
    )
    pq.write_table(
        table,
        out_path,
        compression="zstd",
        compression_level=1,
        use_dictionary=LOW,
        row_group_size=ROW_GROUP,
        store_schema=False,
    )
    return total


def _deduped(table: pa.Table) -> pa.Table:
    """Return the row of each key with the greatest ordering value; a tie goes to the later row."""
    encoded = table["key"].combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy()
    order = table["ts"].combine_chunks().view(pa.int64()).to_numpy()
    last = np.empty(len(encoded.dictionary), dtype=np.int64)
    by_order = np.argsort(order, kind="stable")
    last[codes[by_order]] = by_order
    return table.take(pa.array(np.sort(last)))


def _constant(value: str, length: int) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(length, dtype=np.int32)), pa.array([value]))
