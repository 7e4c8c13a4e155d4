"""Script that prints the effects of a third party's declarations on tables, as JSON.

It runs in an environment in which the distribution of the third party is installed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

import hoodoo
from hoodoo.properties import load_properties, update_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow

COLUMNS = {"id": pa.string(), "amount": pa.int64(), "points": pa.int64(), "status": pa.string(), "note": pa.string()}
SCHEMA = pa.schema(list(COLUMNS.items()))


def rows(*found: tuple[Any, ...]) -> pa.Table:
    return pa.Table.from_pylist([dict(zip(SCHEMA.names, row, strict=True)) for row in found], schema=SCHEMA)


STORED = rows(*((key, 5, 1, None, "first") for key in "abcd"))
INCOMING = rows(
    ("a", 9, 0, None, "more amount"),
    ("b", 1, 7, None, "more points"),
    ("c", 1, 1, "void", "void"),
    ("d", 9, 9, "gone", "gone"),
)
LATER = rows(("a", 8, 0, None, "less again"), ("b", 6, 0, None, "more at last"))


def left(folder: Path) -> dict[str, str]:
    table = hoodoo.Table(folder).to_arrow(columns=["id", "note"])
    return dict(zip(table["id"].to_pylist(), table["note"].to_pylist(), strict=True))


def forget(folder: Path) -> None:
    """Remove hoodoo's own properties of the rule, so that only Hudi's are left, as in tables of other writers."""
    own = ("hoodoo.merger", "hoodoo.payload", "hoodoo.rule", "hoodoo.delete_rule", "hoodoo.compat")
    storage = storage_for(folder)
    update_properties(storage, {}, [key for key in load_properties(storage) if key.startswith(own)])


def history(folder: Path, version: int, kind: str, **rule: str) -> dict[str, Any]:
    options = {"table_name": "orders", "record_key": "id", "table_version": version, "table_type": kind, **rule}
    write_arrow(STORED, folder, options)
    write_arrow(INCOMING, folder, options)
    properties = dict(hoodoo.Table(folder).properties)
    found: dict[str, Any] = {"properties": properties, "rows": left(folder)}
    forget(folder)
    found["rows read by Hudi's properties"] = left(folder)
    write_arrow(LATER, folder, {"operation": "upsert"})
    found["rows after a write by Hudi's properties"] = left(folder)
    return found


def main(folder: Path) -> None:
    cases = {
        f"{version} {kind} {family}": history(folder / f"{version}-{kind}-{family}", version, kind, **{family: name})
        for version in (6, 9)
        for kind in ("COPY_ON_WRITE", "MERGE_ON_READ")
        for family, name in (("merger", "acme-highest"), ("payload", "acme-feed"))
    }
    print(json.dumps(cases))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
