"""The index `partitioned-record` finds keys by a partitioned record index, which each operation keeps current."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.index.index_types import PartitionedRecordIndex
from hoodoo.options import NoEffectWarning
from hoodoo.properties import load_properties
from hoodoo.storage import storage_for
from hoodoo.testing.engine import write_arrow
from hoodoo.txn.metadata.preparation import IndexNotCreated
from tests.support.metadata_tables import recorded_hfiles

pytestmark = pytest.mark.slow

OPTIONS = {"table_name": "t", "table_version": 9, "record_key": "id", "partition_by": "place", "ordering": "ts"}
CREATE = {"hoodie.metadata.enable": "true", "hoodie.metadata.record.level.index.enable": "true"}
SCHEMA = pa.schema([("id", pa.string()), ("place", pa.string()), ("ts", pa.int64())])
KEYS = pa.schema([SCHEMA.field(0), SCHEMA.field(1)])
PLACES = ["x", "y-z_1", "é/%"]

Rows = dict[tuple[str, str], int]


def write(path: Path, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA, cores: int = 2, **options: Any) -> Any:
    """Write rows, and return the commit; a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {**OPTIONS, "index": "partitioned-record", **options}
        return write_arrow(pa.Table.from_pylist(rows, schema), path, given, cores=cores)


def row(key: str, place: str, ts: int) -> dict[str, Any]:
    return {"id": key, "place": place, "ts": ts}


def stored(path: Path) -> Rows:
    rows = hoodoo.Table(path).to_arrow(SCHEMA.names).to_pylist()
    found = {(r["id"], r["place"]): r["ts"] for r in rows}
    assert len(found) == len(rows)
    return found


def problems(path: Path) -> list[str]:
    assert "record_index" in load_properties(storage_for(path)).metadata_partitions
    return [str(finding) for finding in validate(path).findings if finding.status is Status.PROBLEM]


@pytest.mark.parametrize(
    ("table_type", "seed"),
    [
        case if case[1] == 0 else pytest.param(*case, marks=pytest.mark.nightly)
        for case in ((type_, seed) for type_ in ("COPY_ON_WRITE", "MERGE_ON_READ") for seed in range(6))
    ],
)
def test_histories(table_type: str, seed: int, tmp_path: Path) -> None:
    """A key is unique in its partition; the index has the locations of all rows after each operation."""
    chance, model = random.Random(seed), Rows()
    options = {"table_type": table_type, "max_file_size": chance.choice([1, 1 << 27])}
    options |= {"small_file_limit": chance.choice([0, 1 << 26]), "metadata_compact_after_commits": 4}
    late = chance.random() < 0.5
    for step in range(14):
        places = chance.sample(PLACES, chance.randint(1, 3))
        keys = {(f"k{chance.randrange(10)}", chance.choice(places)) for _ in range(chance.randint(1, 12))}
        batch = [row(key, place, step) for key, place in sorted(keys)]
        cores = chance.randint(1, 4)
        operation = chance.choice(["upsert", "upsert", "delete", "insert_overwrite", "delete_partition"])
        if step < 2:
            # an index of a new table, or of one with rows
            create = CREATE if step == late else {}
            write(tmp_path, batch, cores=cores, index="simple", **options, **create)
            model.update(dict.fromkeys(keys, step))
        elif operation == "delete":
            write(
                tmp_path, [{"id": k, "place": p} for k, p in sorted(keys)], KEYS, cores, operation="delete", **options
            )
            model = {key: ts for key, ts in model.items() if key not in keys}
        elif operation == "delete_partition":
            write(tmp_path, batch, cores=cores, operation=operation, **options)
            gone = {place for _, place in keys}
            model = {key: ts for key, ts in model.items() if key[1] not in gone}
        elif operation == "insert_overwrite":
            write(tmp_path, batch, cores=cores, operation=operation, **options)
            gone = {place for _, place in keys}
            model = {key: ts for key, ts in model.items() if key[1] not in gone} | dict.fromkeys(keys, step)
        else:
            # another index keeps it too
            index = chance.choice(["partitioned-record", "partitioned-record", "simple"])
            write(tmp_path, batch, cores=cores, **{**options, "index": index})
            model.update(dict.fromkeys(keys, step))
        assert stored(tmp_path) == model, (step, operation)
        if step > 1 and chance.random() < 0.2:
            hoodoo.Table(tmp_path).compact() if table_type == "MERGE_ON_READ" else hoodoo.Table(tmp_path).clean()
        assert step < late or not problems(tmp_path), (step, operation)


def test_a_write_reads_the_shards_of_its_partitions_and_no_base_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, [row(f"k{n}", PLACES[n % 3], 1) for n in range(30)], index="simple", **CREATE)
    read = recorded_hfiles(monkeypatch)
    monkeypatch.setattr(PartitionedRecordIndex, "locate", None)
    # the second commit finds the records of the first one in logs
    hoodoo.Table(tmp_path).drop_indexes("record_index")
    assert hoodoo.Table(tmp_path).create_indexes("partitioned_record_index") == ("record_index",)
    commit = write(tmp_path, [row("k0", "x", 2), row("k1", "x", 2)])
    assert (commit.rows_updated, commit.rows_inserted) == (1, 1)
    assert {path for path in read if "record_index" in path}
    assert all("record-index-x-" in path for path in read if "record_index" in path)
    assert not problems(tmp_path)


def test_names_and_definition(tmp_path: Path) -> None:
    write(
        tmp_path, [row("a", place, 1) for place in PLACES], **{"index": None, "hoodie.index.type": "simple", **CREATE}
    )
    shards = {file.name.split("_")[0] for file in (tmp_path / ".hoodie/metadata/record_index").glob(".record*")}
    assert shards == {
        ".record-index-x-0000-0",
        ".record-index-y%2Dz%5F1-0000-0",
        ".record-index-é%2F%25-0000-0",
    }
    assert '"isPartitioned": "true"' in (tmp_path / ".hoodie/.index_defs/index.json").read_text()


def test_an_index_of_an_empty_table_gets_its_file_groups_with_the_rows(tmp_path: Path) -> None:
    write(tmp_path, [], index="simple", **CREATE)
    assert not problems(tmp_path)
    write(tmp_path, [row("a", "x", 1)])
    write(tmp_path, [row("a", "x", 2), row("a", "y-z_1", 2)])
    assert stored(tmp_path) == {("a", "x"): 2, ("a", "y-z_1"): 2}
    assert not problems(tmp_path)


def test_a_table_without_a_partitioned_record_index_is_searched_with_a_notice(tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1)])
    rows = pa.Table.from_pylist([row("a", "x", 2)], SCHEMA)
    options = {**OPTIONS, "hoodie.index.type": "RECORD_LEVEL_INDEX"}
    with pytest.warns(NoEffectWarning, match="'simple' does: the table has no record index"):
        write_arrow(rows, tmp_path, options)
    assert stored(tmp_path) == {("a", "x"): 2}
    hoodoo.Table(tmp_path).create_indexes("record_index")
    with pytest.warns(NoEffectWarning, match="the record index is not partitioned"):
        write_arrow(
            pa.Table.from_pylist([row("a", "x", 3)], SCHEMA), tmp_path, {**OPTIONS, "index": "partitioned-record"}
        )


def test_a_table_that_cannot_have_one(tmp_path: Path) -> None:
    with pytest.warns(IndexNotCreated, match="'record_index': a partitioned record index needs table version 9"):
        write_arrow(
            pa.Table.from_pylist([row("a", "x", 1)], SCHEMA), tmp_path, {**OPTIONS, **CREATE, "table_version": 8}
        )
