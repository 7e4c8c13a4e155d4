"""The upsert of 525,000 rows into 5,000,000 with a user's merger, compared with the built-in merger of the same rule.

The merger is installed under the names that `hoodoo plugins new` chooses, and has the rule of `event-time`. The same
batch is written to both tables alternately.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import hoodoo
from hoodoo.cli.scaffold import NewPlugin
from hoodoo.plugin import Catalogue
from hoodoo.spark.session import local_session
from tests.benchmarks.baseline import data
from tests.benchmarks.writing.upsert import create, options

LIMIT = 1.05
NAME = "bench-latest"
RULE = '''"""The greater ordering value wins."""

from attrs import frozen
from hoodoo.plugin import hookimpl
from hoodoo.record import Law, Outcome

__version__ = "0.1.0"


@frozen
class Latest:
    laws = frozenset({Law.ASSOCIATIVE, Law.IDEMPOTENT, Law.REPLAY_SAFE})

    def merge(self, older, newer, context, config):
        return Outcome.take_where(newer.ordering.compare(older.ordering) >= 0)


@hookimpl
def hoodoo_merger():
    return Latest
'''


def main() -> None:
    """Run the benchmark and print one line of JSON per index; the exit code is 1 if the merger exceeds its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--batch", type=int, default=525_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--index", nargs="*", default=["bucket", "simple"], choices=["bucket", "simple"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        install(root / "site")
        spark = local_session("benchmark", cores="2", **{"spark.driver.memory": "4g"})
        base, batch = data.base(arguments.rows), data.batch(arguments.batch, arguments.rows)
        base_path = data.store_batch(base, root / "base", files=8)
        batch_path = data.store_batch(batch, root / "batch")
        results = [
            measure(spark, root / index, index, base, base_path, batch_path, arguments.runs)
            for index in arguments.index
        ]
    sys.exit(any(result["short"] for result in results))


def install(site: Path) -> None:
    """Put the merger on the path of this process and of the workers that it starts."""
    new = NewPlugin.of("merger", NAME, Catalogue())
    info = site / f"{new.module}-0.1.0.dist-info"
    info.mkdir(parents=True)
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {new.distribution}\nVersion: 0.1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[hoodoo.merger]\n{NAME} = {new.module}\n")
    site.joinpath(f"{new.module}.py").write_text(RULE)
    sys.path.insert(0, str(site))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])


def measure(spark, root: Path, index: str, base, base_path: str, batch_path: str, runs: int) -> dict:
    """Measure upserts with both mergers alternately; print and return their times, the ratio and the limit."""
    times: dict[str, list[float]] = {"event-time": [], NAME: []}
    rows = {}
    for merger in times:
        create(spark, root / merger, index, base, base_path, merger=merger)
    for run in range(runs + 1):
        for merger in sorted(times, reverse=bool(run % 2)):
            copy = root / f"copy-{run}"
            subprocess.run(["cp", "-al", str(root / merger), str(copy)], check=True)
            start = time.perf_counter()
            commit = hoodoo.write(spark.read.parquet(batch_path), copy, options(index, "upsert"))
            if run:  # the first is the warm-up
                times[merger].append(time.perf_counter() - start)
            rows[merger] = commit.rows_updated, commit.rows_inserted
            shutil.rmtree(copy)
    assert rows["event-time"] == rows[NAME], rows
    ratio = statistics.median(times[NAME]) / statistics.median(times["event-time"])
    result = {"index": index, "updated": rows[NAME][0], "inserted": rows[NAME][1]}
    result |= {f"{merger}_s": [round(t, 2) for t in found] for merger, found in times.items()}
    result |= {"ratio": round(ratio, 3), "limit": LIMIT, "short": ratio > LIMIT}
    print(json.dumps(result), flush=True)
    return result


if __name__ == "__main__":
    main()
