"""Rows per second of one core that are decoded from Avro data blocks: a flat schema, and one with a nested column.

The rows have the eleven columns of the other benchmarks and the five meta columns. Flat schemas have a decoder that
works on columns; others go through fastavro, record by record. The time is that of a read of a block, from the bytes
of a file to Arrow columns, including checks.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path

import pyarrow as pa

import hoodoo
from hoodoo.format.log import BlockType, LogBlock, decode_data, read_blocks
from hoodoo.storage import Storage, storage_for
from hoodoo.testing.engine import write_arrow
from tests.benchmarks.baseline import data

LIMIT = 500_000


def main() -> None:
    """Run the benchmark and print one line of JSON per schema; the exit code is 1 if the flat one is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    pa.set_cpu_count(1)
    flat = data.base(arguments.rows)
    nested = flat.append_column("tags", pa.array([["a", "b"]] * arguments.rows))
    speeds = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, rows in {"flat": flat, "nested": nested}.items():
            path = Path(folder) / kind
            write_arrow(rows.slice(0, 100), path, data.MERGE_ON_READ | {"operation": "bulk_insert"})
            write_arrow(rows, path, data.MERGE_ON_READ | {"operation": "upsert", "log_format": "avro"})
            speeds[kind] = _decoded(path, arguments.runs)
            print(json.dumps({"schema": kind, "rows_per_second": speeds[kind], "limit": {"flat": LIMIT}.get(kind)}))
    raise SystemExit(int(statistics.median(speeds["flat"]) < LIMIT))


def _decoded(path: Path, runs: int) -> list[int]:
    table = hoodoo.Table(path)
    storage = storage_for(table.splits()[0].uri)
    logs = [log.path for split in table.splits() for log in split.file_slice.logs]
    blocks = [b for log in logs for b in read_blocks(storage, log) if isinstance(b, LogBlock)]
    assert {block.type for block in blocks} == {BlockType.AVRO_DATA}
    _rows(storage, table.schema, blocks)  # the warm-up
    return [_rows(storage, table.schema, blocks) for _ in range(runs)]


def _rows(storage: Storage, schema: pa.Schema, blocks: list[LogBlock]) -> int:
    start = time.process_time()
    count = sum(rows.num_rows for block in blocks for rows in decode_data(storage, block, schema))
    return round(count / (time.process_time() - start))


if __name__ == "__main__":
    main()
