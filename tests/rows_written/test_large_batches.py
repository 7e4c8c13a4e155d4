"""A batch that is larger than its limit of memory, without Spark: the rest of it waits in files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import hoodoo

pytestmark = pytest.mark.slow

PROGRAM = """
import json, sys, threading, time
import numpy as np, pyarrow as pa
import hoodoo

path, limit, batches = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rows, width = 100_000, 96
options = {"table_name": "t", "record_key": "id", "ordering": "id", "index": "bucket", "buckets": 64}

def anonymous():
    # files in memory, which the system can drop, do not count
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("RssAnon"))

def made(random):
    for number in range(batches):
        ids = pa.array(np.arange(number * rows, (number + 1) * rows))
        bytes_ = pa.py_buffer(random.bytes(width * rows))
        yield pa.record_batch([ids, pa.Array.from_buffers(pa.binary(width), rows, [None, bytes_])], schema)

def watch():
    while True:
        seen.append(anonymous())
        time.sleep(0.002)

schema = pa.schema({"id": pa.int64(), "data": pa.binary(width)})
warm = pa.table({"id": [1], "data": pa.array([b"x" * width], pa.binary(width))}, schema=schema)
hoodoo.write(warm, path + "/warm", options)
seen = [anonymous()]
threading.Thread(target=watch, daemon=True).start()
commit = hoodoo.write(
    pa.RecordBatchReader.from_batches(schema, made(np.random.default_rng(7))),
    path + "/t",
    {**options, "batch_memory": limit},
)
print(json.dumps({"grown": max(seen) - seen[0], "batch": batches * rows * (width + 8), "rows": commit.rows_inserted}))
"""


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux reports memory without that of files")
def test_the_memory_of_a_write_is_much_smaller_than_its_batch(tmp_path: Path) -> None:
    arguments = [str(tmp_path), str(32 * 1024**2), "40"]
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, *arguments], capture_output=True, text=True, check=True
    )
    facts = json.loads(done.stdout.splitlines()[-1])

    assert facts["rows"] == 4_000_000
    # without the limit the memory grows by twice the batch
    assert facts["grown"] < facts["batch"] / 2
    ids = hoodoo.Table(tmp_path / "t").to_arrow(["id"])["id"]
    assert (len(ids), pc.sum(ids).as_py(), ids.type) == (4_000_000, sum(range(4_000_000)), pa.int64())
