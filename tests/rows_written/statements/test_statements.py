"""MERGE, UPDATE and DELETE by Spark, compared with a model in plain Python that merges row by row."""

from __future__ import annotations

import random

import pytest

import hoodoo
from hoodoo.errors import CommitConflict, DataError, OptionError, StatementError
from hoodoo.spark.session_conf import setting
from hoodoo.spark.statements import source_rows
from hoodoo.spark.statements.clause_rows import ClauseRows
from hoodoo.spark.statements.execution import Execution

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
    return f"p{key % 3}"


def rows_of(numbers: range, seed: int) -> list[tuple]:
    chosen = random.Random(seed)
    return [
        (key, part_of(key), chosen.randrange(100), chosen.choice(["U", "D", "X", None]), chosen.randrange(10))
        for key in numbers
    ]


def model(stored: list[tuple], source: list[tuple]) -> tuple[dict[int, tuple], dict[str, int]]:
    """Return the rows after the MERGE of `merged`, and its numbers."""
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
    found = hoodoo.read(spark, path).select("id", "part", "amount", "op", "ts").collect()
    assert len({row[0] for row in found}) == len(found)
    return {row[0]: tuple(row) for row in found}


@pytest.fixture
def create(spark, tmp_path):
    def made(rows: list[tuple], **options):
        path = tmp_path / f"table{len(list(tmp_path.iterdir()))}"
        given = {"table_name": "t", "record_key": "id", "ordering": "ts", **options}
        hoodoo.write(spark.createDataFrame(rows, COLUMNS), path, given)
        return path

    return made


@pytest.mark.parametrize("kind", KINDS)
def test_a_merge_gives_the_rows_and_numbers_of_the_model(spark, create, kind):
    before, source = rows_of(range(60), 1), rows_of(range(40, 90), 2)
    path = create(before, **KINDS[kind])
    result = merged(spark, path, source, kind)
    expected, counts = model(before, source)
    assert stored_rows(spark, path) == expected
    assert {name: getattr(result, name) for name in counts} == counts
    assert result.commit.operation == "upsert"


@pytest.mark.parametrize("kind", ["partitioned", "bucket"])
def test_a_merge_with_a_join_gives_the_same(spark, create, kind, monkeypatch):
    before, source = rows_of(range(60), 3), rows_of(range(40, 90), 4)
    path = create(before, **KINDS[kind])
    monkeypatch.setattr(source_rows.SourceRows, "suffice", lambda *_: False)
    result = merged(spark, path, source, kind)
    expected, counts = model(before, source)
    assert stored_rows(spark, path) == expected
    assert {name: getattr(result, name) for name in counts} == counts


def test_several_source_rows_of_one_key_are_resolved_by_ordering(spark, create):
    path = create([(1, "p1", 1, "U", 1)])
    source = [(1, "p1", 2, "U", 5), (1, "p1", 3, "D", 4), (2, "p2", 4, "U", 1), (2, "p2", 5, "D", 2)]
    merged(spark, path, source, "simple")
    # the row of key 2 with the larger ordering value is inserted: no clause deletes a key that is not stored
    assert stored_rows(spark, path) == {1: (1, "p1", 2, "U", 5), 2: (2, "p2", 5, "D", 2)}


def test_a_null_equals_nothing(spark, create):
    path = create([(1, "p1", 1, "U", 1), (2, None, 2, "U", 1)], partition_by="part")
    source = spark.createDataFrame([(None, "p1", 9, "U", 9), (2, None, 9, "U", 9), (1, "p1", 9, "U", 9)], COLUMNS)
    merge = hoodoo.Table(path).merge(source, "t.id = s.id AND t.part = s.part").whenMatchedUpdateAll()
    merge.execute()
    assert stored_rows(spark, path) == {1: (1, "p1", 9, "U", 9), 2: (2, None, 2, "U", 1)}
    with pytest.raises(DataError):
        merge.whenNotMatchedInsertAll().execute()


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["partitioned", "merge-on-read partitioned"])
def test_a_key_in_the_partition_of_nulls_is_not_inserted_again(spark, create, kind):
    path = create([(2, None, 2, "U", 1), (3, "p1", 3, "U", 1)], **KINDS[kind])
    source = spark.createDataFrame([(2, None, 9, "U", 9), (4, None, 4, "U", 9)], COLUMNS)
    condition = "t.id = s.id AND t.part = s.part"
    merge = hoodoo.Table(path).merge(source, condition).whenNotMatchedInsertAll()
    with pytest.raises(DataError, match="that the table holds already") as refused:
        merge.execute()
    assert refused.value.code == "duplicate_key"
    hoodoo.Table(path).merge(source.where("id = 4"), condition).whenNotMatchedInsertAll().execute()
    same = hoodoo.Table(path).merge(source, "t.id = s.id AND t.part <=> s.part")
    same.whenMatchedUpdate(set={"amount": "s.amount"}).whenNotMatchedInsertAll().execute()
    assert stored_rows(spark, path) == {2: (2, None, 9, "U", 1), 3: (3, "p1", 3, "U", 1), 4: (4, None, 4, "U", 9)}


@pytest.mark.parametrize("kind", ["global", "merge-on-read global"])
def test_a_row_that_moves_is_updated_once(spark, create, kind):
    path = create([(1, "p1", 1, "U", 5), (2, "p1", 2, "U", 5), (3, "p1", 3, "U", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, "p2", 9, "U", 9), (2, "p2", 9, "U", 4), (3, "p1", 9, "U", 9)], COLUMNS)
    result = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll().execute()
    assert (result.inserted, result.updated, result.deleted, result.overridden) == (0, 2, 0, 1)
    assert stored_rows(spark, path) == {1: (1, "p2", 9, "U", 9), 2: (2, "p1", 2, "U", 5), 3: (3, "p1", 9, "U", 9)}
    tied = spark.createDataFrame([(1, "p0", 7, "U", 9), (1, "p0", 8, "U", 9)], COLUMNS)
    with pytest.raises(DataError, match="several rows of the source have the same key"):
        hoodoo.Table(path).merge(tied, "t.id = s.id").whenMatchedUpdateAll().execute()


@pytest.mark.nightly
def test_a_deleted_row_is_counted_once_although_it_has_moved(spark, create):
    path = create([(1, "p1", 1, "U", 1), (2, "p1", 2, "U", 1)], **KINDS["merge-on-read global"])
    for ts, part in ((2, "p2"), (3, "p0"), (4, "p2")):
        moved = spark.createDataFrame([(1, part, ts, "U", ts)], COLUMNS)
        hoodoo.Table(path).merge(moved, "t.id = s.id").whenMatchedUpdateAll().execute()
    result = hoodoo.Table(path).delete("id = 1", spark=spark)
    assert (result.deleted, result.overridden) == (1, 0)
    assert stored_rows(spark, path) == {2: (2, "p1", 2, "U", 1)}


@pytest.mark.nightly
def test_tied_source_rows_without_a_clause_are_no_fault(spark, create):
    path = create([(1, "p1", 1, "U", 5)])
    source = spark.createDataFrame([(1, "p1", 8, "U", 9), (1, "p1", 9, "U", 9)], COLUMNS)
    result = hoodoo.Table(path).merge(source, "t.id = s.id").whenNotMatchedInsertAll().execute()
    assert (result.inserted, result.updated) == (0, 0)
    assert stored_rows(spark, path) == {1: (1, "p1", 1, "U", 5)}


def test_rows_of_one_key_with_different_clauses_are_joined(spark, create):
    path = create([(1, "p1", 1, "U", 1)])
    source = [(1, "p1", 2, "X", 9), (1, "p1", 3, "U", 4), (2, "p2", 4, "X", 9), (2, "p2", 5, "U", 2)]
    merged(spark, path, source, "simple")
    assert stored_rows(spark, path) == {1: (1, "p1", 3, "U", 4), 2: (2, "p2", 5, "U", 2)}


@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
def test_values_of_the_stored_row_and_rows_without_a_source_row(spark, create, kind):
    path = create([(1, "p1", 10, "U", 5), (2, "p2", 20, "U", 5), (3, "p0", 30, "D", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, 7)], "order_id int, more int")
    result = (
        hoodoo.Table(path)
        .merge(source, "t.id = s.order_id")
        .whenMatchedUpdate(set={"amount": "t.amount + s.more"})
        .whenNotMatchedBySourceDelete("t.op = 'D'")
        .whenNotMatchedBySourceUpdate(set={"op": "concat(op, '!')"})
        .execute()
    )
    assert stored_rows(spark, path) == {1: (1, "p1", 17, "U", 5), 2: (2, "p2", 20, "U!", 5)}
    assert (result.updated, result.deleted, result.inserted) == (2, 1, 0)


@pytest.mark.parametrize("kind", ["partitioned", "merge-on-read"])
def test_update_and_delete_by_a_condition(spark, create, kind):
    before = rows_of(range(30), 5)
    path = create(before, **KINDS[kind])
    updated = hoodoo.Table(path).update("id % 2 = 0 AND t.amount > 20", {"amount": "amount * 2"}, spark=spark)
    deleted = hoodoo.Table(path).delete("op IS NULL", spark=spark)
    twice = {row[0]: (*row[:2], row[2] * 2, *row[3:]) if row[0] % 2 == 0 and row[2] > 20 else row for row in before}
    assert stored_rows(spark, path) == {key: row for key, row in twice.items() if row[3] is not None}
    assert updated.updated == sum(row[0] % 2 == 0 and row[2] > 20 for row in before)
    assert deleted.deleted == sum(row[3] is None for row in before)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
@pytest.mark.parametrize("condition", ["x > 5", "NOT (x <= 5)", "x = double('NaN')", "t.x IN (7D, double('NaN'))"])
def test_nan_is_larger_than_each_number(spark, tmp_path, kind, condition):
    rows = spark.createDataFrame([(1, 1.0), (2, float("nan")), (3, None)], "id int, x double")
    hoodoo.write(rows, tmp_path / "t", {"table_name": "t", "record_key": "id", **KINDS[kind]})
    hoodoo.Table(tmp_path / "t").update(condition, {"x": "-1"}, spark=spark)
    found = hoodoo.read(spark, tmp_path / "t").select("id", "x").collect()
    assert {row["id"]: row["x"] for row in found} == {1: 1.0, 2: -1.0, 3: None}


def test_schema_evolution_adds_columns(spark, create):
    path = create([(1, "p1", 10, "U", 5)])
    source = spark.createDataFrame([(1, 5, "x"), (2, 6, "y")], "id int, ts int, note string")
    merge = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll()
    with pytest.raises(StatementError, match="the source has no column 'part'"):
        merge.execute()
    merge.withSchemaEvolution().execute()
    rows = {row["id"]: (row["amount"], row["note"]) for row in hoodoo.read(spark, path).collect()}
    assert rows == {1: (10, "x"), 2: (None, "y")}


@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
def test_an_overridden_change_is_explained(spark, create, kind):
    path = create([(1, "p1", 10, "U", 5)], **KINDS[kind])
    late = spark.createDataFrame([(1, "p1", 99, "U", 4)], COLUMNS)
    result = hoodoo.Table(path).merge(late, "t.id = s.id").whenMatchedUpdateAll().execute()
    assert (result.updated, result.overridden) == (0, 1)
    if kind == "merge-on-read":
        said = hoodoo.Table(path).explain("1").answer("which_statement")
        assert "refused its change of this record, made by WHEN MATCHED THEN UPDATE SET *" in said
    forced = hoodoo.Table(path).merge(late, "t.id = s.id", override_ordering=True).whenMatchedUpdateAll().execute()
    assert (forced.updated, forced.overridden) == (1, 0)
    assert stored_rows(spark, path) == {1: (1, "p1", 99, "U", 5)}


@pytest.mark.parametrize("kind", ["simple", "merge-on-read bucket"])
def test_a_stored_key_that_the_condition_excludes_is_not_inserted(spark, create, kind):
    path = create([(1, "p1", 10, "U", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, "p1", 99, "U", 9), (2, "p2", 1, "U", 1)], COLUMNS)
    merge = hoodoo.Table(path).merge(source, "t.id = s.id AND t.amount > 50").whenNotMatchedInsertAll()
    with pytest.raises(DataError, match="that the table holds already"):
        merge.execute()
    assert stored_rows(spark, path) == {1: (1, "p1", 10, "U", 5)}


@pytest.mark.representatives(ordering=[{}])
@pytest.mark.parametrize("ordering", [{}, {"ordering": None}])
def test_source_rows_that_tie_are_refused(spark, create, ordering):
    path = create([(1, "p1", 10, "U", 5)], **ordering)
    source = spark.createDataFrame([(1, "p1", 1, "U", 7), (1, "p1", 2, "U", 7)], COLUMNS)
    with pytest.raises(DataError, match="several rows of the source have the same key"):
        hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll().execute()


def test_a_row_moves_to_another_partition_only_with_a_global_index(spark, create):
    for kind, moves in (("partitioned", False), ("global", True)):
        path = create([(1, "p1", 10, "U", 5)], **KINDS[kind])
        source = spark.createDataFrame([(1, "p2", 11, "U", 6)], COLUMNS)
        merge = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedUpdateAll()
        if moves:
            merge.execute()
            assert stored_rows(spark, path) == {1: (1, "p2", 11, "U", 6)}
        else:
            with pytest.raises(DataError, match="moves rows to another partition"):
                merge.execute()


def test_bad_statements_write_nothing(spark, create):
    path = create([(1, "p1", 10, "U", 5)], partition_by="part")
    source = spark.createDataFrame([(1, "p1", 11, "U", 6)], COLUMNS)
    before = hoodoo.Table(path).timeline.instants

    def merge(condition="t.id = s.id AND t.part = s.part"):
        return hoodoo.Table(path).merge(source, condition)

    bad = [
        lambda: merge().execute(),
        lambda: merge("t.part = s.part").whenMatchedUpdateAll().execute(),
        lambda: merge("t.id = s.id OR t.part = s.part").whenMatchedUpdateAll().execute(),
        lambda: merge().whenMatchedUpdate(set={"nothing": "1"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"id": "s.id + 1"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"part": "'p2'"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"_hoodie_record_key": "'2'"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "1", "t.amount": "2"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "amount"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "sum(s.amount)"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "cast(rand() * 9 AS int)"}).execute(),
        lambda: merge().whenMatchedUpdate(set={"amount": "'text'"}).execute(),
        lambda: merge().whenMatchedUpdateAll().whenMatchedDelete("s.op = 'D'").execute(),
        lambda: merge().whenNotMatchedInsert(values={"id": "t.id"}).execute(),
        lambda: hoodoo.Table(path).update("id = 1; DROP TABLE x", {"amount": "1"}, spark=spark),
        lambda: hoodoo.Table(path).update("idd = 1", {"amount": "1"}, spark=spark),
        lambda: hoodoo.Table(path).delete("", spark=spark),
    ]
    for statement in bad:
        with pytest.raises(StatementError):
            statement()
    with pytest.raises(OptionError):
        hoodoo.Table(path).delete("id = 1", spark=spark, operation="insert")
    assert hoodoo.Table(path).timeline.instants == before


@pytest.mark.parametrize(
    "value", ["amount div (amount - 10)", "amount + 2147483647L", "int(op)"], ids=["zero", "overflow", "text"]
)
def test_an_expression_without_a_value_is_an_error_of_the_row(spark, create, value):
    path = create([(1, "p1", 10, "U", 5)])
    # the default since Spark 4.0
    with setting(spark, "spark.sql.ansi.enabled", True), pytest.raises(DataError, match="has no value for a row"):
        hoodoo.Table(path).update("id = 1", {"amount": value}, spark=spark)
    assert stored_rows(spark, path) == {1: (1, "p1", 10, "U", 5)}


def test_a_merge_on_read_table_gets_only_keys_that_were_compared(spark, create):
    path = create([(1, "p1", 10, "U", 5)], **KINDS["merge-on-read bucket"])
    source = spark.createDataFrame([(1, "p1", 99, "U", 9)], COLUMNS)
    with pytest.raises(StatementError, match="both must be the same expression"):
        hoodoo.Table(path).merge(source, "t.id = s.id + 1").whenNotMatchedInsertAll().execute()
    values = {"id": "s.id+1", "part": "s.part", "ts": "s.ts"}
    hoodoo.Table(path).merge(source, "t.id = s.id + 1").whenNotMatchedInsert(values=values).execute()
    assert stored_rows(spark, path)[1] == (1, "p1", 10, "U", 5)
    assert stored_rows(spark, path)[2][:2] == (2, "p1")


def test_a_commit_during_a_statement_is_a_conflict(spark, create, monkeypatch):
    path = create([(1, "p1", 10, "U", 5)])
    from hoodoo.spark.statements.statement_batch import StatementBatch

    at = StatementBatch.at

    def interrupted(self, timeline):
        rows = at(self, timeline)
        monkeypatch.setattr(StatementBatch, "at", at)
        hoodoo.write(spark.createDataFrame([(1, "p1", 50, "U", 6)], COLUMNS), path, {})
        return rows

    monkeypatch.setattr(StatementBatch, "at", interrupted)
    with pytest.raises(CommitConflict):
        hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert stored_rows(spark, path) == {1: (1, "p1", 50, "U", 6)}
    hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert stored_rows(spark, path) == {1: (1, "p1", 51, "U", 6)}


def test_rows_are_made_again_if_another_writer_commits_before_the_statement_begins(spark, create, monkeypatch):
    path = create([(1, "p1", 10, "U", 5)])
    made, rows, run = [], ClauseRows.rows, Execution.run
    monkeypatch.setattr(ClauseRows, "rows", lambda *given: made.append(1) or rows(*given))
    hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert len(made) == 1

    def interrupted(*given):
        hoodoo.write(spark.createDataFrame([(1, "p1", 50, "U", 6)], COLUMNS), path, {})
        return run(*given)

    monkeypatch.setattr(Execution, "run", interrupted)
    hoodoo.Table(path).update("id = 1", {"amount": "amount + 1"}, spark=spark)
    assert len(made) == 3
    assert stored_rows(spark, path) == {1: (1, "p1", 51, "U", 6)}


@pytest.mark.parametrize("kind", [{}, {"table_type": "MERGE_ON_READ"}], ids=["copy-on-write", "merge-on-read"])
def test_files_of_other_partitions_are_not_opened(spark, create, kind):
    path = create(rows_of(range(30), 7), partition_by="part", hive_style=True, operation="bulk_insert", **kind)
    others = [*path.glob("part=p1/*.parquet"), *path.glob("part=p2/*.parquet")]
    assert len(others) == 2
    for file in others:
        file.write_bytes(b"not a Parquet file".ljust(file.stat().st_size))
    result = hoodoo.Table(path).update("part = 'p0' AND id < 10", {"amount": "-1"}, spark=spark)
    assert (result.updated, result.files_written, result.files_left) == (4, 1, 2)
    assert hoodoo.Table(path).delete("part = 'p0' AND id = 3", spark=spark).deleted == 1


def test_row_groups_that_cannot_match_are_not_read(spark, create):
    path = create(rows_of(range(90), 8), partition_by="part", hive_style=True, operation="bulk_insert")
    for file in path.glob("part=p1/*.parquet"):
        # the footer, with the least and the largest value of each column, stays
        damaged = bytearray(file.read_bytes())
        footer = len(damaged) - 8 - int.from_bytes(damaged[-8:-4], "little")
        damaged[4:footer] = bytes(footer - 4)
        file.write_bytes(damaged)
    assert hoodoo.Table(path).update("id > 1000", {"amount": "-1"}, spark=spark).updated == 0
    assert hoodoo.Table(path).delete("id = 0", spark=spark).deleted == 1


@pytest.mark.representatives(kind=["merge-on-read"], joins=[False])
@pytest.mark.parametrize("kind", ["merge-on-read", "merge-on-read bucket"])
@pytest.mark.parametrize("joins", [False, True])
def test_a_delete_by_key_leaves_no_delete_of_absent_keys(spark, create, kind, joins, monkeypatch):
    if joins:
        monkeypatch.setattr(source_rows.SourceRows, "suffice", lambda *_: False)
    path = create(
        [(1, "p1", 1, "U", 5), (2, "p2", 2, "U", 5), (3, "p0", 3, "U", 5), (4, "p1", 4, "U", 5)], **KINDS[kind]
    )
    hoodoo.Table(path).delete("id = 3", spark=spark)

    def delete(*keys: tuple[int, int]):
        # a source with the columns that find and compare rows
        return (
            hoodoo.Table(path).merge(spark.createDataFrame(keys, "ts int, id int"), "t.id = s.id").whenMatchedDelete()
        )

    result = delete((9, 1), (4, 2), (20, 3), (20, 7)).execute()
    assert (result.inserted, result.updated, result.deleted, result.overridden) == (0, 0, 1, 1)
    new = [(3, "p0", 30, "U", 6), (7, "p1", 70, "U", 6)]
    hoodoo.write(spark.createDataFrame(new, COLUMNS), path, {"operation": "upsert"})
    kept = {2: (2, "p2", 2, "U", 5), 4: (4, "p1", 4, "U", 5), 3: new[0], 7: new[1]}
    assert stored_rows(spark, path) == kept
    result = delete((6, 3), (7, 4), (1, 1)).execute()
    assert (result.deleted, result.overridden) == (2, 0)
    assert stored_rows(spark, path) == {key: row for key, row in kept.items() if key not in (3, 4)}


@pytest.mark.parametrize("kind", ["partitioned", "merge-on-read partitioned", "merge-on-read bucket"])
def test_a_delete_of_absent_keys_writes_no_file(spark, create, kind):
    path = create([(1, "p1", 1, "U", 5)], **KINDS[kind])
    absent = spark.createDataFrame([(2, "p1", 2, "U", 5), (3, "p2", 2, "U", 5)], COLUMNS)
    result = hoodoo.Table(path).merge(absent, "t.id = s.id AND t.part = s.part").whenMatchedDelete().execute()
    assert (result.deleted, result.files_written, result.files_left) == (0, 0, 1)


@pytest.mark.parametrize("kind", ["simple", "merge-on-read"])
def test_a_delete_without_an_ordering_value_has_that_of_the_stored_row(spark, create, kind):
    path = create([(1, "p1", 1, "U", 5), (2, "p2", 2, "U", 5)], **KINDS[kind])
    source = spark.createDataFrame([(1, "p1", 1, "U", None), (2, "p2", 2, "U", 4)], COLUMNS)
    result = hoodoo.Table(path).merge(source, "t.id = s.id").whenMatchedDelete().execute()
    assert (result.deleted, result.overridden) == (1, 1)
    assert stored_rows(spark, path) == {2: (2, "p2", 2, "U", 5)}
