"""Global indexes: a key is unique in the whole table, also if its rows name several partitions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import CommitConflict, DataError
from hoodoo.options import parse
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.txn import Transaction
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

SCHEMA = pa.schema([("id", pa.string()), ("place", pa.string()), ("ts", pa.int64()), ("note", pa.string())])
OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "place", "ordering": "ts"}
INDEXES = ["global-simple", "global-bloom"]
TYPES = ["COPY_ON_WRITE", "MERGE_ON_READ"]

Row = dict[str, Any]


def row(key: str, place: str, ts: int, note: str = "") -> Row:
    return {"id": key, "place": place, "ts": ts, "note": note}


def write(path: Path, rows: Iterable[Row], schema: pa.Schema = SCHEMA, cores: int = 2, **options: Any) -> hoodoo.Commit:
    table = pa.Table.from_pylist(list(rows), schema)
    return write_arrow(table, path, {**OPTIONS, "index": "global-simple", **options}, cores=cores)


def stored(path: Path) -> dict[str, tuple[str, str, int, str]]:
    """Return the partition path and the columns by key; fail if a key is stored twice."""
    names = ["_hoodie_record_key", "_hoodie_partition_path", "place", "ts", "note"]
    rows = hoodoo.Table(path).to_arrow(names).to_pylist()
    found = {r["_hoodie_record_key"]: tuple(r[name] for name in names[1:]) for r in rows}
    assert len(found) == len(rows)
    return found


class Model:
    """Model of the table as a dictionary: key to (partition path, row)."""

    def __init__(self, moves: bool) -> None:
        self.moves = moves
        self.rows: dict[str, tuple[str, Row]] = {}

    def upsert(self, batch: list[Row]) -> None:
        for new in winners(batch):
            home, old = self.rows.get(new["id"], (None, None))
            if old is not None and old["ts"] > new["ts"]:
                continue
            self.rows[new["id"]] = (new["place"] if home is None or self.moves else home, new)

    def delete(self, batch: list[Row]) -> None:
        for gone in batch:
            self.rows.pop(gone["id"], None)

    def insert(self, batch: list[Row]) -> None:
        for new in winners(batch):
            self.rows.setdefault(new["id"], (new["place"], new))

    def expected(self) -> dict[str, tuple[str, str, int, str]]:
        return {key: (home, r["place"], r["ts"], r["note"]) for key, (home, r) in self.rows.items()}


def winners(batch: list[Row]) -> list[Row]:
    best: dict[str, Row] = {}
    for new in batch:
        if new["id"] not in best or new["ts"] >= best[new["id"]]["ts"]:
            best[new["id"]] = new
    return list(best.values())


@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize(
    ("index", "table_type", "version", "seed"),
    [
        ("global-simple", "COPY_ON_WRITE", 6, 0),
        ("global-bloom", "COPY_ON_WRITE", 9, 1),
        ("global-simple", "MERGE_ON_READ", 9, 2),
        ("global-bloom", "MERGE_ON_READ", 6, 3),
        ("global-simple", "MERGE_ON_READ", 6, 4),
    ],
)
def test_histories(index: str, table_type: str, version: int, seed: int, moves: bool, tmp_path: Path) -> None:
    """After a history of writes hoodoo and the `hudi` package return the rows of the model."""
    chance, model = random.Random(seed), Model(moves)
    options = {"index": index, "table_type": table_type, "table_version": version, "update_partition": moves}
    options |= {"max_file_size": chance.choice([1, 1 << 27]), "small_file_limit": chance.choice([0, 1 << 26])}
    for step in range(7):
        places = chance.sample("xyz", chance.randint(1, 3))
        batch = [
            row(f"k{chance.randrange(12)}", chance.choice(places), chance.randint(step, step + 3), f"{step}.{n}")
            for n in range(chance.randint(0, 12))
        ]
        cores = chance.randint(1, 3)
        operation = chance.choice(["upsert", "upsert", "upsert", "delete", "insert"]) if step else "upsert"
        if operation == "insert":
            if table_type == "MERGE_ON_READ":
                hoodoo.Table(tmp_path).compact()
            write(
                tmp_path,
                batch,
                cores=cores,
                operation="insert",
                dup_policy="drop",
                combine_before_insert=True,
                **options,
            )
            model.insert(batch)
        elif operation == "delete":
            keys = [{"id": r["id"], "place": r["place"]} for r in batch]
            commit = write(
                tmp_path, keys, pa.schema([SCHEMA.field(0), SCHEMA.field(1)]), cores, operation="delete", **options
            )
            assert commit.rows_incoming == len(batch)
            model.delete(batch)
        else:
            commit = write(tmp_path, batch, cores=cores, **options)
            assert commit.rows_incoming == len(batch)
            model.upsert(batch)
        assert stored(tmp_path) == model.expected(), (step, operation)
        if chance.random() < 0.2:
            hoodoo.Table(tmp_path).compact()
    assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package", SCHEMA.names)


@pytest.mark.parametrize("table_type", TYPES)
def test_a_row_that_loses_moves_nothing_and_one_that_wins_takes_its_key_along(table_type: str, tmp_path: Path) -> None:
    options = {"table_type": table_type}
    write(tmp_path, [row("a", "x", 5, "old"), row("b", "x", 5, "old"), row("c", "x", 5)], **options)
    commit = write(tmp_path, [row("a", "y", 4, "late"), row("b", "y", 6, "new")], **options)
    assert stored(tmp_path) == {"a": ("x", "x", 5, "old"), "b": ("y", "y", 6, "new"), "c": ("x", "x", 5, "")}
    assert (commit.rows_incoming, commit.rows_inserted, commit.rows_deleted) == (2, 1, 1)
    since = hoodoo.Table(tmp_path).to_arrow(query_type="incremental", begin=hoodoo.Table(tmp_path).history()[1].instant)
    assert since.column("id").to_pylist() == ["b"]
    assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package", SCHEMA.names)


@pytest.mark.parametrize("version", [6, 9])
def test_a_row_that_left_can_come_back_to_a_slice_with_logs(version: int, tmp_path: Path) -> None:
    options = {"table_type": "MERGE_ON_READ", "table_version": version}
    write(tmp_path, [row("a", "x", 1), row("b", "x", 1), row("c", "y", 1)], **options)
    for ts, place in enumerate("yxyxx", 2):
        write(tmp_path, [row("a", place, ts)], **options)
        assert stored(tmp_path)["a"] == (place, place, ts, "")
    write(tmp_path, [row("a", "y", 3)], **options)  # late, for a partition that it has left
    assert stored(tmp_path)["a"] == ("x", "x", 6, "")
    write(tmp_path, [{"id": "a", "place": "z"}], pa.schema([SCHEMA.field(0), SCHEMA.field(1)]), operation="delete")
    assert set(stored(tmp_path)) == {"b", "c"}
    write(tmp_path, [row("a", "y", 1, "again")], **options)
    assert stored(tmp_path)["a"] == ("y", "y", 1, "again")
    assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package", SCHEMA.names)


def test_a_move_merges_columns_first(tmp_path: Path) -> None:
    """If the rule keeps a stored value because the newer row has null, the row in the new partition has the value."""
    options = {"merger": "event-time-partial", "merger_options": {"partial": "ignore-defaults"}}
    write(tmp_path, [row("a", "x", 1, "kept")], **options)
    write(tmp_path, [{**row("a", "y", 2), "note": None}])
    assert stored(tmp_path) == {"a": ("y", "y", 2, "kept")}


def test_rows_of_one_key_meet_whatever_their_partitions_are(tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1), row("a", "y", 3), row("a", "z", 2), row("b", "z", 1)])
    assert stored(tmp_path) == {"a": ("y", "y", 3, ""), "b": ("z", "z", 1, "")}


def test_keys_that_are_stored_twice_become_one(tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1), row("a", "y", 1), row("b", "x", 1)], operation="insert")
    commit = write(tmp_path, [row("a", "z", 2)])
    assert (commit.rows_inserted, commit.rows_deleted) == (1, 2)
    assert stored(tmp_path)["a"] == ("z", "z", 2, "")


@pytest.mark.parametrize("table_type", TYPES)
@pytest.mark.parametrize("key", ["hoodie.simple.index.update.partition.path", "update_partition"])
def test_rows_stay_in_their_partition_if_requested(key: str, table_type: str, tmp_path: Path) -> None:
    write(
        tmp_path, [row("a", "x", 1)], **{"index": None, "hoodie.index.type": "GLOBAL_SIMPLE", "table_type": table_type}
    )
    write(tmp_path, [row("a", "y", 2), row("b", "y", 2)], **{key: "false"})
    assert stored(tmp_path) == {"a": ("x", "y", 2, ""), "b": ("y", "y", 2, "")}


def test_an_insert_that_fails_on_stored_keys_looks_in_all_partitions(tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1)])
    with pytest.raises(DataError, match="such as 'a'"):
        write(tmp_path, [row("a", "y", 2)], operation="insert", dup_policy="fail")
    write(tmp_path, [row("b", "y", 2)], operation="insert", dup_policy="fail")
    assert set(stored(tmp_path)) == {"a", "b"}


def test_a_table_with_another_index_can_be_written_to_globally(tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1)], index="simple")
    write(tmp_path, [row("a", "y", 2)], index="GLOBAL_BLOOM")
    assert stored(tmp_path) == {"a": ("y", "y", 2, "")}


@pytest.mark.parametrize("table_type", TYPES)
def test_a_delete_needs_no_partition(table_type: str, tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1), row("b", "y", 1)], table_type=table_type)
    commit = write(tmp_path, [{"id": "b"}, {"id": "c"}], pa.schema([SCHEMA.field(0)]), operation="delete")
    assert (commit.rows_incoming, commit.rows_deleted, commit.rows_ignored) == (2, 1, 1)
    assert set(stored(tmp_path)) == {"a"}


def test_two_writes_that_bring_one_key_to_two_partitions_conflict(tmp_path: Path) -> None:
    @contextmanager
    def overtaken(transaction: Transaction) -> Iterator[Callable[[], None]]:
        yield lambda: None
        write(tmp_path, [row("b", "y", 1)])

    write(tmp_path, [row("a", "x", 1)])
    batch = ArrowBatch(pa.Table.from_pylist([row("b", "z", 2)], SCHEMA))
    options = parse({**OPTIONS, "index": "global-simple"}, GROUPS)
    with pytest.raises(CommitConflict, match="inserted new keys into partition 'y'"):
        write_batch(batch, storage_for(tmp_path), options, "append", progress=overtaken)
    assert stored(tmp_path)["b"] == ("y", "y", 1, "")


def test_a_rule_that_keeps_deleted_rows_cannot_move_them_by_logs(tmp_path: Path) -> None:
    options = {"merger": "deduplicate", "merger_options": {"ignore_delete": True}}
    write(tmp_path / "logs", [row("a", "x", 1)], table_type="MERGE_ON_READ", **options)
    with pytest.raises(DataError, match="'a' are to move"):
        write(tmp_path / "logs", [row("a", "y", 2)])
    write(tmp_path / "logs", [row("a", "y", 2)], update_partition=False)
    assert stored(tmp_path / "logs") == {"a": ("x", "y", 2, "")}
    write(tmp_path / "files", [row("a", "x", 1)], **options)
    write(tmp_path / "files", [row("a", "y", 2)])
    assert stored(tmp_path / "files") == {"a": ("y", "y", 2, "")}


@pytest.mark.parametrize("how", ["flag", "operation"])
@pytest.mark.parametrize("place", ["x", "y"], ids=["its own partition", "another partition"])
@pytest.mark.parametrize("table_type", TYPES)
def test_a_late_delete_deletes_nothing_wherever_it_says_the_row_is(
    table_type: str, place: str, how: str, tmp_path: Path
) -> None:
    """A late delete changes nothing, and a newer delete deletes the row, whatever partition the delete names."""
    options = {"table_type": table_type}
    flagged = pa.schema([*SCHEMA, ("_hoodie_is_deleted", pa.bool_())])
    first = {**row("a", "x", 5, "old"), "_hoodie_is_deleted": False}
    write(tmp_path, [first, {**first, "id": "b"}], flagged, **options)

    def delete(ts: int) -> None:
        if how == "flag":
            write(tmp_path, [{**row("a", place, ts), "_hoodie_is_deleted": True}], flagged, **options)
        else:
            keys = pa.schema([SCHEMA.field(name) for name in ("id", "place", "ts")])
            write(tmp_path, [{"id": "a", "place": place, "ts": ts}], keys, operation="delete", **options)

    delete(4)
    assert stored(tmp_path) == {"a": ("x", "x", 5, "old"), "b": ("x", "x", 5, "old")}
    delete(6)
    assert stored(tmp_path) == {"b": ("x", "x", 5, "old")}
    assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package", SCHEMA.names)
