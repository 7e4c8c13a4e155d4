"""Seconds of one core to write and read an HFile of a million cells, and to find some of its keys.

The floor writes and reads the same two columns as a Parquet file in memory with pyarrow, without a dictionary and with
the same codec. Keys and values have the sizes of those of a record index.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import statistics
import time
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq

from hoodoo.format.hfile import Cells, Codec, HFile, HFileSource, hfile_bytes

_CODECS = {Codec.GZIP: "gzip", Codec.NONE: "none"}


def main() -> None:
    """Run the benchmark and print one line of JSON for each codec."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cells", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    pa.set_cpu_count(1)
    generator = random.Random(1)
    keys = pa.array(sorted(generator.randbytes(16).hex().encode() for _ in range(arguments.cells)), pa.large_binary())
    cells = Cells(
        keys, pa.array([generator.randbytes(24) + b"\0" * 40 for _ in range(arguments.cells)], pa.large_binary())
    )
    wanted = generator.sample(keys.to_pylist(), 100)
    for codec in Codec:
        print(json.dumps({"codec": codec.name, "seconds": _measured(cells, codec, wanted, arguments.runs)}), flush=True)


def _measured(cells: Cells, codec: Codec, wanted: list[bytes], runs: int) -> dict[str, float]:
    data = hfile_bytes(cells, codec=codec)
    table = pa.table([cells.keys, cells.values], ["key", "value"])
    parquet = _parquet(table, codec)

    def opened() -> HFile:
        return HFile.open(HFileSource(lambda offset, length: data[offset : offset + length], len(data), "an HFile", ""))

    steps: dict[str, Callable[[], object]] = {
        "write": lambda: hfile_bytes(cells, codec=codec),
        "write_floor": lambda: _parquet(table, codec),
        "read": lambda: opened().all(),
        "read_floor": lambda: pq.read_table(io.BytesIO(parquet)),
        "one_key": lambda: opened().lookup(wanted[:1]),
        "100_keys": lambda: opened().lookup(wanted),
    }
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(runs):
        for name, step in steps.items():
            start = time.process_time()
            step()
            times[name].append(time.process_time() - start)
    return {name: round(statistics.median(found), 4) for name, found in times.items()}


def _parquet(table: pa.Table, codec: Codec) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, compression=_CODECS[codec], use_dictionary=False)
    return out.getvalue()


if __name__ == "__main__":
    main()
