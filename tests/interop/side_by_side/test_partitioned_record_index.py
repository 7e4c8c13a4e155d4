"""Histories in which Hudi 1.2.0 and hoodoo take turns on a table with a partitioned record index, which both keep.

Hudi or hoodoo creates the index, in a new table or in one that has rows, and neither builds it again. Both find the
rows of their upserts by it, so that a wrong location makes a duplicate. A dict predicts the rows of each partition.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from tests.interop.comparing import difference, parquet_table
from tests.interop.conftest import Sides

pytestmark = pytest.mark.interop

WRITE = "hoodie.datasource.write."
TURNS = 7
PARTITIONS = ["2024/01", "a-b_c", "x y", "é", "50%"]
INDEX = {
    "hoodie.metadata.enable": "true",
    "hoodie.metadata.record.level.index.enable": "true",
}
OPERATIONS = ["upsert", "upsert", "upsert", "delete", "insert_overwrite"]
KEPT = {"files", "record_index"}


@pytest.mark.parametrize(
    ("type_", "first", "hive_style"),
    [
        ("COPY_ON_WRITE", "hudi", True),
        ("MERGE_ON_READ", "hudi", False),
        ("COPY_ON_WRITE", "hoodoo", False),
        ("MERGE_ON_READ", "hoodoo late", True),
    ],
)
def test_both_keep_a_partitioned_record_index(
    type_: str, first: str, hive_style: bool, hudi: Sides, tmp_path: Path
) -> None:
    path, file, read = tmp_path / "table", tmp_path / "rows.parquet", tmp_path / "read"
    theirs = {
        **INDEX,
        "hoodie.table.name": "kept",
        WRITE + "recordkey.field": "id",
        WRITE + "precombine.field": "ts",
        WRITE + "partitionpath.field": "part",
        WRITE + "table.type": type_,
        WRITE + "hive_style_partitioning": str(hive_style).lower(),
        "hoodie.datasource.compaction.async.enable": "false",
        "hoodie.index.type": "RECORD_LEVEL_INDEX",
        "hoodie.metadata.index.column.stats.enable": "false",
        "hoodie.metadata.index.partition.stats.enable": "false",
        "hoodie.metadata.record.level.index.min.filegroup.count": "2",
        "hoodie.metadata.compact.max.delta.commits": "4",
        "hoodie.write.table.version": "9",
    }
    creating = {
        "table_name": "kept",
        "record_key": "id",
        "ordering": "ts",
        "partition_by": "part",
        "table_type": type_,
        "table_version": 9,
        "hive_style": hive_style,
    }

    def hudi_(operation: str, rows: pa.Table) -> None:
        pq.write_table(rows, file)
        hudi("1.2.0").write(path, file, {**theirs, WRITE + "operation": operation})

    def hoodoo_(operation: str, rows: pa.Table) -> None:
        options = {
            "operation": operation,
            "hoodie.index.type": "RECORD_LEVEL_INDEX",
            "metadata_compact_after_commits": 4,
        }
        if first != "hudi":
            options |= creating if number == 1 else {}
            options |= INDEX if number > 1 or first == "hoodoo" else {}
        if type_ == "MERGE_ON_READ":
            options |= {"compact_inline": True, "compact_after_commits": 3}
        hoodoo.write(rows, path, options)

    chance, model = random.Random(f"{type_} {first}"), dict[tuple[str, str], int]()
    done, own, definitions = [], b"", b""
    for number in range(1, TURNS + 1):
        writer = hudi_ if (number % 2 == 1) == (first == "hudi") else hoodoo_
        parts = chance.sample(PARTITIONS, chance.randint(1, 4))
        keys = sorted({(f"k{chance.randrange(12)}", chance.choice(parts)) for _ in range(chance.randint(2, 16))})
        if writer is hudi_:
            # Hudi may confuse the rows of one key in several partitions of its batch
            alone = [(key, part) for key, part in keys if {p for k, p in model if k == key} <= {part}]
            keys = sorted({key: (key, part) for key, part in alone}.values()) or [(f"new{number}", parts[0])]
        operation = chance.choice(OPERATIONS) if number > 2 else "upsert"
        if writer is hudi_ and operation == "insert_overwrite":
            # its index keeps a replaced key that the batch has in another partition
            keys = [key for key in keys if key[1] == keys[0][1]]
        rows = pa.table(
            {
                "id": [key for key, _ in keys],
                "part": [part for _, part in keys],
                "ts": pa.array([number] * len(keys), pa.int64()),
            }
        )
        done.append(f"{number}: {writer.__name__} {operation} {keys}")
        told = "\n".join(done)
        writer(operation, rows)
        if operation == "delete":
            model = {key: ts for key, ts in model.items() if key not in keys}
        else:
            gone = {part for _, part in keys} if operation == "insert_overwrite" else set()
            model = {key: ts for key, ts in model.items() if key[1] not in gone} | dict.fromkeys(keys, number)
        table = hoodoo.Table(path)
        found = [((r["id"], r["part"]), r["ts"]) for r in table.to_arrow(columns=["id", "part", "ts"]).to_pylist()]
        assert sorted(found) == sorted(model.items()), told
        assert [finding for finding in validate(path).findings if finding.status is Status.PROBLEM] == [], told
        if number == 1 and first == "hoodoo late":
            continue
        assert set(load_properties(storage_for(path)).metadata_partitions) == KEPT, told
        for enabled in ("true", "false"):
            hudi("1.2.0").read(path, {"hoodie.metadata.enable": enabled}, read)
            assert not difference(table.to_arrow(), parquet_table(read)), f"{enabled}: {told}"
            shutil.rmtree(read)
        # Hudi creates the first file when it builds a metadata table, and the second with an index
        now = (path / ".hoodie/metadata/.hoodie/hoodie.properties").read_bytes()
        assert own in (b"", now), f"the metadata table was built again\n{told}"
        defined = (path / ".hoodie/.index_defs/index.json").read_bytes()
        assert b"true" in defined
        assert definitions in (b"", defined), f"the index was built again\n{told}"
        own, definitions = now, defined
        builds = list((path / ".hoodie/metadata/.hoodie/timeline").glob("0000000000000000*.deltacommit"))
        assert len(builds) <= len(KEPT), told
