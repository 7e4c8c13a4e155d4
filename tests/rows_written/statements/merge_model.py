"""Model of a MERGE in plain Python, which merges row by row, and the same MERGE by Spark."""

from __future__ import annotations

import random

import hoodoo

COLUMNS = "id int, part string, amount int, op string, ts int"
KINDS = {
    "simple": {},
    "partitioned": {"partition_by": "part"},
    "bucket": {"index": "bucket", "buckets": 3},
    "global": {"partition_by": "part", "index": "global-simple"},
    "merge-on-read": {"table_type": "MERGE_ON_READ"},
    "merge-on-read bucket": {"table_type": "MERGE_ON_READ", "index": "bucket", "buckets": 3},
    "version 6": {"table_version": 6},
    "merge-on-read partitioned": {"table_type": "MERGE_ON_READ", "partition_by": "part"},
    "merge-on-read global": {"table_type": "MERGE_ON_READ", "partition_by": "part", "index": "global-simple"},
}


def part_of(key: int) -> str:
    """Return the partition value of a key."""
    return f"p{key % 3}"


def rows_of(numbers: range, seed: int) -> list[tuple]:
    """Return a random row of `COLUMNS` for each key."""
    chosen = random.Random(seed)
    return [
        (key, part_of(key), chosen.randrange(100), chosen.choice(["U", "D", "X", None]), chosen.randrange(10))
        for key in numbers
    ]


def model(stored: list[tuple], source: list[tuple]) -> tuple[dict[int, tuple], dict[str, int]]:
    """Return the rows by key after the MERGE of `merged`, and the numbers of its result."""
    found = {row[0]: row for row in stored}
    counts = dict.fromkeys(["inserted", "updated", "deleted", "overridden"], 0)
    for row in source:
        key, op, ts = row[0], row[3], row[4]
        old = found.get(key)
        if old is None:
            if op is None or op != "X":
                found[key] = row
                counts["inserted"] += 1
            continue
        if op == "D":
            new = None
        elif op == "U":
            new = row
        else:
            continue
        if ts < old[4]:
            counts["overridden"] += 1
        elif new is None:
            del found[key]
            counts["deleted"] += 1
        else:
            found[key] = new
            counts["updated"] += 1
    return found, counts


def merged(spark, path, source, kind: str):
    """Execute the MERGE of `model` on a table, and return the result."""
    condition = "t.id = s.id" + (" AND t.part = s.part" if kind.endswith("partitioned") else "")
    return (
        hoodoo.Table(path)
        .merge(spark.createDataFrame(source, COLUMNS), condition)
        .whenMatchedDelete("s.op = 'D'")
        .whenMatchedUpdateAll("s.op = 'U'")
        .whenNotMatchedInsertAll("op <> 'X' OR op IS NULL")
        .execute()
    )


def stored_rows(spark, path) -> dict[int, tuple]:
    """Return the rows of a table by key; fail if a key is stored twice."""
    found = hoodoo.read(spark, path).select("id", "part", "amount", "op", "ts").collect()
    assert len({row[0] for row in found}) == len(found)
    return {row[0]: tuple(row) for row in found}
