"""A process that reads tables for the tests of hostile files, in bounded memory; `reader.py` runs it as a script.

It takes one JSON object a line on its standard input: `table`, and `action`, one of `ACTIONS`, with its `arguments`.
It answers each with one on its standard output: the `outcome` (`rows`, `hoodoo error`, `other error`), what goes with
it, and the `peak`, the most memory in use meanwhile above what was in use before, in bytes.
"""

from __future__ import annotations

import json
import resource
import sys
import traceback
import warnings
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

import hoodoo
from hoodoo.errors import CorruptTableError, HoodooError
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.timeline import Timeline, utc_now

KEY = ("_hoodie_record_key", "_hoodie_partition_path")


def read(table: str, **query: Any) -> dict[str, Any]:
    """The rows of a table: types, keys and whole rows in one order, whatever order they were read in."""
    return rows_of(hoodoo.Table(table).to_arrow(**query))


def rows_of(found: pa.Table) -> dict[str, Any]:
    rows = found.to_pylist()
    return {
        "columns": [f"{field.name}: {field.type}" for field in found.schema],
        "keys": sorted(repr([row.get(name) for name in KEY]) for row in rows),
        "rows": sorted(map(repr, rows)),
    }


def history(table: str) -> dict[str, Any]:
    """The operations of the completed commits."""
    return {"rows": [f"{commit.instant} {commit.operation}" for commit in hoodoo.Table(table).history()]}


def roll_back(table: str) -> dict[str, Any]:
    """What a write does first: the instants that were rolled back."""
    from hoodoo.txn import Coordination, rollback_pending

    timeline = timeline_of(table)
    # the writer of the plan counts as dead by then
    late = Coordination(lambda: utc_now() + timedelta(hours=1))
    return {"rows": list(rollback_pending(timeline.storage, timeline, coordination=late))}


def archived(table: str) -> dict[str, Any]:
    """The instants in the archive, what they did, and the file groups that were replaced."""
    from hoodoo.archive import Archive

    archive = Archive(timeline_of(table))
    stats = [stat.path for instant in archive.commits for stat in archive.commit_metadata(instant).stats()]
    return {"rows": [*(i.time for i in archive.instants), *map(repr, sorted(archive.replaced.items())), *stats]}


def timeline_of(table: str) -> Timeline:
    storage = storage_for(table)
    p = load_properties(storage)
    return Timeline.load(storage, p.layout_version, p.timeline_folder, p.archive_folder)


ACTIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "read": read,
    "history": history,
    "archived": archived,
    "roll back": roll_back,
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
    except BaseException as error:  # noqa: BLE001 - whatever it is, the test is told
        return {"outcome": "other error", "type": type(error).__name__, "message": traceback.format_exc(limit=-4)}


def status(name: str) -> int:
    """A line of the kernel's account of this process, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def main() -> None:
    allowance = int(sys.argv[1])
    warm = json.loads(sys.stdin.readline())
    # modules, thread pools and allocators are there before the limit is drawn
    for request in warm:
        answer(request)
    limit = status("VmSize") + allowance
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print(json.dumps({"limit": limit}), flush=True)
    for line in sys.stdin:
        Path("/proc/self/clear_refs").write_text("5")
        before = status("VmRSS")
        found = answer(json.loads(line))
        found["peak"] = status("VmHWM") - before
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
