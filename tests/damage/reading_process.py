"""A process that reads tables for the tests of hostile files, in bounded memory; `reader.py` runs it as a script.

Each line of its standard input is a request, as a JSON object: a `table`, and an `action`, one of `ACTIONS`, with its
`arguments`. Each line of its standard output is the answer to one request: the `outcome` (`rows`, `hoodoo error`,
`other error`) and its details, the `peak` of additional memory during the action, in bytes, and the `seconds` of
processor time.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

import hoodoo
from hoodoo.archived_timeline.layout2_reader import manifest_files, read_history_rows
from hoodoo.errors import CorruptTableError, HoodooError
from hoodoo.format.bloom import KeyFooter
from hoodoo.format.log import LogBlock, block_columns, decode_data, read_blocks
from hoodoo.format.parquet.parquet_reader import open_base_file, read_open_file
from hoodoo.properties import load_properties
from hoodoo.schema.meta_columns import with_meta
from hoodoo.storage import join, storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.timeline import Timeline, utc_now

KEY = ("_hoodie_record_key", "_hoodie_partition_path")


def read(table: str, **query: Any) -> dict[str, Any]:
    """Return the rows of a table: types, keys and whole rows in a fixed order."""
    return rows_of(hoodoo.Table(table).to_arrow(**query))


def rows_of(found: pa.Table) -> dict[str, Any]:
    rows = found.to_pylist()
    return {
        "columns": [f"{field.name}: {field.type}" for field in found.schema],
        "keys": sorted(repr([row.get(name) for name in KEY]) for row in rows),
        "rows": sorted(map(repr, rows)),
    }


def history(table: str) -> dict[str, Any]:
    """Return the instants and the operations of the completed commits."""
    return {"rows": [f"{commit.instant} {commit.operation}" for commit in hoodoo.Table(table).history()]}


def roll_back(table: str) -> dict[str, Any]:
    """Run the rollbacks with which a write begins, and return the instants that they rolled back."""
    from hoodoo.txn import Coordination, rollback_pending

    timeline = timeline_of(table)
    # the writer of the plan counts as dead by then
    late = Coordination(lambda: utc_now() + timedelta(hours=1))
    return {"rows": list(rollback_pending(timeline.storage, timeline, coordination=late))}


def write(table: str) -> dict[str, Any]:
    """Write to a copy of the table, with every service, and return the rows of the copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "table"
        shutil.copytree(table, copy)
        new = pa.table({"id": ["a1"], "p": ["a"], "ts": pa.array([9], pa.int64()), "s": ["new"]})
        write_arrow(new, copy, SERVED)
        query = hoodoo.Table(copy).to_arrow()
        # the times and the file names of the write differ from run to run
        return rows_of(query.drop_columns(["_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name"]))


def archived(table: str) -> dict[str, Any]:
    """Return the archived instants, the replaced file groups, and the paths of the files that the commits wrote."""
    from hoodoo.archived_timeline import Archive

    archive = Archive(timeline_of(table))
    stats = [stat.path for instant in archive.commits for stat in archive.commit_metadata(instant).stats()]
    return {"rows": [*(i.time for i in archive.instants), *map(repr, sorted(archive.replaced.items())), *stats]}


def timeline_of(table: str) -> Timeline:
    storage = storage_for(table)
    p = load_properties(storage)
    return Timeline.load(storage, p.layout_version, p.timeline_folder, p.archive_folder)


@lru_cache(maxsize=4)
def schema_of(table: str) -> pa.Schema:
    """Return the columns of an undamaged table, with the meta columns."""
    return with_meta(hoodoo.Table(table).schema)


def base_files(table: str) -> dict[str, Any]:
    """Return the rows of all base files, without the rest of the table; also read the key data in the footers."""
    schema, storage = schema_of(table), storage_for(table)
    found = [schema.empty_table()]
    for file in sorted(Path(table).glob("*.parquet")):
        with open_base_file(storage, file.name, schema) as opened:
            KeyFooter.of(opened)
            found += read_open_file(opened, file.name, schema)
    return rows_of(pa.concat_tables(found))


def log_files(table: str) -> dict[str, Any]:
    """Return the rows of all log files, without the rest of the table."""
    schema, storage = schema_of(table), storage_for(table)
    found = [schema.empty_table()]
    for file in sorted(Path(table).glob(".*.log.*")):
        for block in read_blocks(storage, file.name):
            assert isinstance(block, LogBlock)
            block_columns(storage, block)
            found += decode_data(storage, block, schema)
    return rows_of(pa.concat_tables(found))


def archive_files(table: str) -> dict[str, Any]:
    """Return the rows of all files of an archive."""
    timeline = timeline_of(table)
    storage, folder = timeline.storage, timeline.archive_folder
    texts = ("instantTime", "completionTime", "action")
    schema = pa.schema([*((name, pa.string()) for name in texts), ("metadata", pa.binary())])
    names = [name for name, _ in manifest_files(storage, folder)]
    return rows_of(pa.concat_tables(read_history_rows(storage, join(folder, name), schema) for name in names))


def flipped(table: str, file: str, at: int, then: dict[str, Any]) -> dict[str, Any]:
    """Return the results of an action after each of the eight bits of a byte was flipped."""
    with (Path(table) / file).open("r+b", buffering=0) as damaged:
        body = os.pread(damaged.fileno(), 1, at)
        found = []
        for bit in range(8):
            os.pwrite(damaged.fileno(), bytes([body[0] ^ 1 << bit]), at)
            found.append(answer({"table": table, **then}))
        os.pwrite(damaged.fileno(), body, at)
    return {"found": found}


SERVED = {
    "ordering": "ts",
    "commits_retained": 1,
    "keep_min_commits": 2,
    "keep_max_commits": 3,
    "compact_inline": True,
    "compact_after_commits": 1,
    "hoodie.cleaner.policy.failed.writes": "EAGER",
}

ACTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "read": read,
    "write": write,
    "history": history,
    "archived": archived,
    "roll back": roll_back,
    "base files": base_files,
    "log files": log_files,
    "archive files": archive_files,
    "flipped": flipped,
}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = ACTIONS[request["action"]](request["table"], **request["arguments"])
        return {"outcome": "rows", **result, "warnings": [f"{w.category.__name__}: {w.message}" for w in caught]}
    except HoodooError as error:
        file = error.file if isinstance(error, CorruptTableError) else None
        return {"outcome": "hoodoo error", "type": type(error).__name__, "message": str(error), "file": file}
    except BaseException as error:  # noqa: BLE001 - the test gets every error
        return {"outcome": "other error", "type": type(error).__name__, "message": traceback.format_exc(limit=-4)}


def status(name: str) -> int:
    """Return a value of the kernel's statistics of this process, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def main() -> None:
    allowance = int(sys.argv[1])
    warm = json.loads(sys.stdin.readline())
    # modules, thread pools and allocators are loaded before the limit is set
    for request in warm:
        answer(request)
    limit = status("VmSize") + allowance
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print(json.dumps({"limit": limit}), flush=True)
    for line in sys.stdin:
        Path("/proc/self/clear_refs").write_text("5")
        before, started = status("VmRSS"), time.process_time()
        found = answer(json.loads(line))
        found["seconds"] = time.process_time() - started
        found["peak"] = status("VmHWM") - before
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
