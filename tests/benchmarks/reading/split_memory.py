"""Peak memory of reading one large file group, with and without logs: only the logs are kept in memory.

The reader runs in a process of its own. The program prints the decoded size of the file group, and the peak of that
process beyond the peak for a file group of a hundred rows.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import hoodoo
from hoodoo.testing.engine import write_arrow
from tests.benchmarks.baseline import data

OPTIONS = {
    "table_name": "bench",
    "record_key": "key",
    "ordering": "ts",
    "index": "bucket",
    "buckets": 1,
    "table_type": "MERGE_ON_READ",
    "max_file_size": 1 << 40,
}


def main() -> None:
    """Run the benchmark and print one line of JSON per table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8_000_000)
    parser.add_argument("--read", type=Path, help="read a table and print what that took; used by the program itself")
    arguments = parser.parse_args()
    if arguments.read is not None:
        print(json.dumps(read(arguments.read)))
        return
    with tempfile.TemporaryDirectory() as folder:
        small, plain, logged = (Path(folder) / name for name in ("small", "plain", "logged"))
        write_arrow(data.base(100), small, OPTIONS | {"operation": "bulk_insert"})
        for path in (plain, logged):
            write_arrow(data.base(arguments.rows), path, OPTIONS | {"operation": "bulk_insert"})
        changed = np.random.default_rng(6).choice(data.keys(arguments.rows, 1), arguments.rows // 100, replace=False)
        write_arrow(data.rows(changed, 7, 1_700_000_000_000_000), logged, OPTIONS | {"operation": "upsert"})
        floor = measured(small)["peak_mb"]
        for name, path in (("base file", plain), ("base file and 1 % in logs", logged)):
            facts = measured(path)
            print(json.dumps({"read": name, **facts, "beyond_small_mb": round(facts["peak_mb"] - floor)}), flush=True)


def measured(path: Path) -> dict[str, float]:
    """Return the output of a reader in a separate process."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.reading.split_memory", "--read", path],
        capture_output=True,
        text=True,
        check=True,
    )
    facts: dict[str, float] = json.loads(done.stdout)
    return facts


def read(path: Path) -> dict[str, float]:
    """Read the only split of a table by batches; return its rows and sizes, and the peak of the process, in MiB."""
    [split] = hoodoo.Table(path).splits()
    rows = decoded = 0
    for batch in split.read():
        rows += batch.num_rows
        decoded += batch.nbytes
    # the result of getrusage includes the process that started this one
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
    peak = int(line.split()[1]) // 1024
    return {"rows": rows, "decoded_mb": round(decoded / 2**20), "file_mb": round(split.size / 2**20), "peak_mb": peak}


if __name__ == "__main__":
    main()
