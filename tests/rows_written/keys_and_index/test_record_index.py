"""The index `record` finds keys by the record index of the metadata table; the rows are those of `global-simple`."""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.diagnosis import Status
from hoodoo.diagnosis.metadata.validate import validate
from hoodoo.errors import CommitConflict, CorruptTableError
from hoodoo.index.index_types import RecordIndex
from hoodoo.options import NoEffectWarning, parse
from hoodoo.schema.meta_columns import without_meta
from hoodoo.storage import storage_for
from hoodoo.testing.engine import ArrowBatch, write_arrow
from hoodoo.txn import Transaction
from hoodoo.txn.metadata.preparation import IndexDisabled
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.write import write_batch
from tests.rows_written.keys_and_index.test_global import OPTIONS, SCHEMA, Model, row, stored, winners
from tests.support.metadata_tables import add_record_index, recorded_hfiles
from tests.support.rows import assert_same, hoodoo_rows, hudi_rows

pytestmark = pytest.mark.slow

TYPES = ["COPY_ON_WRITE", "MERGE_ON_READ"]
KEYS = pa.schema([SCHEMA.field(0), SCHEMA.field(1)])


def write(path: Path, rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA, cores: int = 2, **options: Any) -> Any:
    """Write rows, and return the commit; a warning is an error."""
    table = pa.Table.from_pylist(rows, schema)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return write_arrow(table, path, {**OPTIONS, "index": "record", **options}, cores=cores)


def problems(path: Path) -> list[str]:
    return [str(finding) for finding in validate(path).findings if finding.status is Status.PROBLEM]


CASES = [
    (type_, version, moves, seed)
    for type_ in TYPES
    for version in (6, 8, 9)
    for moves in (True, False)
    for seed in range(4)
]


@pytest.mark.parametrize(
    ("table_type", "version", "moves", "seed"),
    [
        case
        if case[3] == 0 and (case[1], case[2]) in ((6, True), (9, False))
        else pytest.param(*case, marks=pytest.mark.nightly)
        for case in CASES
    ],
)
def test_histories(table_type: str, version: int, moves: bool, seed: int, tmp_path: Path) -> None:
    """After each write of a history the rows are those of the model, as with `global-simple`."""
    chance, model = random.Random(seed), Model(moves)
    options = {"table_type": table_type, "table_version": version, "update_partition": moves}
    options |= {"max_file_size": chance.choice([1, 1 << 27]), "small_file_limit": chance.choice([0, 1 << 26])}
    for step in range(16):
        places = chance.sample("xyz", chance.randint(1, 3))
        batch = [
            row(f"k{chance.randrange(12)}", chance.choice(places), chance.randint(step, step + 3), f"{step}.{n}")
            for n in range(chance.randint(1, 12))
        ]
        cores = chance.randint(1, 4)
        operation = chance.choice(["upsert", "upsert", "upsert", "delete", "insert", "replace"]) if step else "upsert"
        if operation == "delete":
            keys = [{"id": r["id"], "place": r["place"]} for r in batch]
            write(tmp_path, keys, KEYS, cores, operation="delete", **options)
            model.delete(batch)
        elif operation == "insert":
            if table_type == "MERGE_ON_READ":
                hoodoo.Table(tmp_path).compact()
            policy = {"operation": "insert", "dup_policy": "drop", "combine_before_insert": True}
            write(tmp_path, batch, cores=cores, **policy, **options)
            model.insert(batch)
        elif operation == "replace":
            batch = [{**r, "id": f"{r['id']}-{step}"} for r in batch]
            write(tmp_path, batch, cores=cores, operation="insert_overwrite", combine_before_insert=True, **options)
            # the versions of a key are combined first
            touched = {r["place"] for r in winners(batch)}
            model.rows = {key: found for key, found in model.rows.items() if found[0] not in touched}
            model.insert(batch)
        else:
            write(tmp_path, batch, cores=cores, **options)
            model.upsert(batch)
        if not step:
            add_record_index(tmp_path, chance.choice([1, 3]))
        assert stored(tmp_path) == model.expected(), (step, operation)
        if chance.random() < 0.2:
            hoodoo.Table(tmp_path).compact()
        assert not problems(tmp_path)
    if not any(commit.operation == "insert_overwrite" for commit in hoodoo.Table(tmp_path).history()):
        # the package loses rows of a history with several replacecommits, also without a metadata table
        assert_same(hudi_rows(tmp_path), hoodoo_rows(tmp_path), "the hudi package", SCHEMA.names)


@pytest.mark.parametrize(
    ("index", "version", "seed"),
    [
        case if case == ("simple", 9, 0) else pytest.param(*case, marks=pytest.mark.nightly)
        for case in itertools.product(["simple", "bloom", "global-simple", "bucket", "record"], [6, 9], range(4))
    ],
)
def test_logs_of_each_index_keep_the_record_index(index: str, version: int, seed: int, tmp_path: Path) -> None:
    """Keys are inserted, updated, deleted and inserted again; the record index has exactly the keys of the rows."""
    chance, options = random.Random(seed), {"table_type": "MERGE_ON_READ", "table_version": version, "index": index}
    options |= {"buckets": 2} if index == "bucket" else {"small_file_limit": chance.choice([0, 1 << 26])}
    write(tmp_path, [row(f"k{n}", "xyz"[n % 3], 0) for n in range(6)], **options)
    add_record_index(tmp_path, 2)
    for step in range(1, 12):
        numbers = chance.sample(range(12), chance.randint(1, 8))
        batch = [row(f"k{n}", "xyz"[n % 3], chance.randint(step - 1, step + 2)) for n in numbers]
        action = chance.choice(["upsert", "upsert", "delete", "compact"])
        if action == "compact":
            hoodoo.Table(tmp_path).compact()
        elif action == "delete":
            keys = [{"id": r["id"], "place": r["place"]} for r in batch]
            write(tmp_path, keys, KEYS, operation="delete", **options)
        else:
            write(tmp_path, batch, **options)
        assert not problems(tmp_path), (step, action)


def test_only_the_shards_and_file_groups_of_the_keys_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, [row(f"k{n}", "xyz"[n % 3], 1) for n in range(30)], max_file_size=1)
    add_record_index(tmp_path, 7)
    read = recorded_hfiles(monkeypatch)
    monkeypatch.setattr(RecordIndex, "locate", None)
    located = {s.path for s in hoodoo.Table(tmp_path).file_slices()}
    commit = write(tmp_path, [row("k3", "x", 2), row("k3", "x", 3), row("k4", "y", 2)], cores=3)
    assert (commit.rows_updated, commit.rows_inserted, commit.files) == (2, 0, 2)
    assert len(located - {s.path for s in hoodoo.Table(tmp_path).file_slices()}) == 2
    lookups = [path for path in read if "record_index" in path]
    assert 1 <= len(set(lookups)) <= 2


def test_a_table_without_a_record_index_is_searched_with_a_notice(tmp_path: Path) -> None:
    options = {**OPTIONS, "hoodie.index.type": "RECORD_INDEX"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # a new table has no stored keys
        write_arrow(pa.Table.from_pylist([row("a", "x", 1)], SCHEMA), tmp_path, options)
    with pytest.warns(NoEffectWarning, match="no record index in its metadata table") as caught:
        write_arrow(pa.Table.from_pylist([row("a", "y", 2), row("b", "y", 2)], SCHEMA), tmp_path, options)
    assert len(caught) == 1
    # Hudi's index leaves a row in its partition
    assert stored(tmp_path) == {"a": ("x", "y", 2, ""), "b": ("y", "y", 2, "")}


@pytest.mark.parametrize("name", ["record", "RECORD_INDEX", "global_record_level_index"])
def test_names(name: str, tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1)], index=name)
    add_record_index(tmp_path)
    write(tmp_path, [row("a", "y", 2)], index=name)
    assert stored(tmp_path)["a"][0] == ("y" if name == "record" else "x")


def test_a_file_group_that_does_not_exist(tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1), row("b", "y", 1)])
    add_record_index(tmp_path)
    folder = tmp_path / ".hoodie/metadata/record_index"
    other = tmp_path.parent / "other"
    write(other, [row("a", "x", 1), row("b", "y", 1)])
    add_record_index(other)
    for file in folder.iterdir():
        file.write_bytes((other / file.relative_to(tmp_path)).read_bytes())
    with pytest.raises(CorruptTableError, match=r"names file group '.*' in partition 'x' for key 'a'"):
        write(tmp_path, [row("a", "x", 2)])
    assert stored(tmp_path)["a"] == ("x", "x", 1, "")


def test_locations_of_later_commits_are_ignored(tmp_path: Path) -> None:
    """If a commit after the plan of a write changes locations, the write ignores them, and fails with a conflict."""

    @contextmanager
    def overtaken(transaction: Transaction) -> Iterator[Callable[[], None]]:
        write(tmp_path, [row("b", "y", 1), row("a", "z", 5)])
        yield lambda: None

    write(tmp_path, [row("a", "x", 1)])
    add_record_index(tmp_path)
    batch = ArrowBatch(pa.Table.from_pylist([row("b", "z", 2)], SCHEMA))
    options = parse({**OPTIONS, "index": "record"}, GROUPS)
    with pytest.raises(CommitConflict, match="inserted new keys into partition"):
        write_batch(batch, storage_for(tmp_path), options, "append", progress=overtaken)
    write(tmp_path, [row("b", "z", 2)])
    assert stored(tmp_path) == {"a": ("z", "z", 5, ""), "b": ("z", "z", 2, "")}
    assert not problems(tmp_path)


@pytest.mark.parametrize("table_type", TYPES)
def test_a_delete_needs_no_partition(table_type: str, tmp_path: Path) -> None:
    write(tmp_path, [row("a", "x", 1), row("b", "y", 1)], table_type=table_type)
    add_record_index(tmp_path)
    commit = write(tmp_path, [{"id": "b"}, {"id": "c"}], pa.schema([SCHEMA.field(0)]), operation="delete")
    assert (commit.rows_incoming, commit.rows_deleted) == (2, 1)
    assert set(stored(tmp_path)) == {"a"}


def test_a_record_index_that_another_writer_made(real_table: Callable[[str], Path]) -> None:
    """Each tenth row is changed in its file group, and a new key is inserted; the index gets no wrong entry."""
    path = real_table("sample_table_cow__v9_txns_simple_meta")
    table = hoodoo.Table(path)
    before = table.to_arrow()
    before = before.select(without_meta(before.schema).names)
    rows = before.take(pa.array(range(0, len(before), 10))).to_pylist()
    rows = [{**r, "currency": "XYZ"} for r in rows] + [{**rows[0], "txn_id": "a new one", "currency": "XYZ"}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", IndexDisabled)
        commit = hoodoo.write(
            pa.Table.from_pylist(rows, before.schema), path, {"table_name": table.properties.name, "index": "record"}
        )
    assert (commit.rows_updated, commit.rows_inserted) == (len(rows) - 1, 1)
    after = hoodoo.Table(path).to_arrow(["txn_id", "currency"]).to_pylist()
    assert len(after) == len(before) + 1
    assert sorted(r["txn_id"] for r in after if r["currency"] == "XYZ") == sorted(r["txn_id"] for r in rows)
    # rows of the table had no entries before
    assert all("without an entry" in problem for problem in problems(path))
