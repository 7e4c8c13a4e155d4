"""ALTER TABLE of fields of structs, of the positions of columns, and of NOT NULL."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

import hoodoo
from hoodoo.errors import StatementError
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.spark.pyspark_version import DATA_SOURCES

SETTING = "hoodie.schema.on.read.enable"


@pytest.fixture(autouse=True)
def schema_on_read(spark: SparkSession, database: str) -> None:
    spark.conf.set(SETTING, "true")


@pytest.mark.nightly
def test_fields_and_places_change(spark: SparkSession, run, database: str) -> None:
    run(
        "CREATE TABLE t (id INT, s STRUCT<f: INT, g: INT>, a STRING, w INT NOT NULL) USING hudi "
        "TBLPROPERTIES (primaryKey = 'id', type = 'mor')"
    )
    run("INSERT INTO t VALUES (1, named_struct('f', 10, 'g', 11), 'x', 5), (2, NULL, 'y', 6)")
    run("ALTER TABLE t RENAME COLUMN S.F TO h")
    run("ALTER TABLE t DROP COLUMN s.g")
    run("ALTER TABLE t ADD COLUMNS (s.g INT FIRST, b STRING COMMENT 'new' AFTER id)")
    run("ALTER TABLE t ALTER COLUMN w FIRST")
    assert hoodoo.Table(f"{database}/t").schema.names == ["w", "id", "b", "s", "a"]
    rows = [row[len(META_COLUMNS) :] for row in run("SELECT * FROM t ORDER BY id")]
    assert rows == [(5, 1, None, (None, 10), "x"), (6, 2, None, None, "y")]
    # Spark's own reader takes a struct for null if a file has none of the fields
    assert run("SELECT s.g FROM t WHERE s IS NOT NULL") == [(None,)]
    assert run("SELECT id FROM t WHERE s.h = 10") == [(1,)]
    run("ALTER TABLE t ALTER COLUMN w DROP NOT NULL")
    run("INSERT INTO t VALUES (NULL, 3, 'b', named_struct('g', 1, 'h', 2), 'z')")
    run("UPDATE t SET s.g = 4 WHERE id = 1")
    expected = [(1, None, (4, 10)), (2, None, None), (3, "b", (1, 2))]
    assert run("SELECT id, b, s FROM t ORDER BY id") == expected
    if DATA_SOURCES.is_available():
        listed = spark.catalog.listColumns("t")
        assert [column.name for column in listed] == ["w", "id", "b", "s", "a"]
        assert listed[2].description == "new"


@pytest.mark.nightly
@pytest.mark.parametrize(("kind", "version"), [("cow", 6), ("mor", 6), ("mor", 8), ("cow", 9), ("mor", 9)])
def test_fields_inside_of_arrays_and_maps(run, database: str, kind: str, version: int) -> None:
    struct = "STRUCT<f: INT, g: STRING>"
    run("SET hoodie.clean.automatic = false")
    run(
        f"CREATE TABLE t (id INT, l ARRAY<{struct}>, m MAP<STRING, {struct}>, ts BIGINT) USING hudi TBLPROPERTIES "
        f"(primaryKey = 'id', preCombineField = 'ts', type = '{kind}', 'hoodie.write.table.version' = '{version}')"
    )
    value = "named_struct('f', {0}, 'g', 'g{0}')"
    rows = [f"({key}, array({value.format(key)}), map('k', {value.format(key)}), 1)" for key in (1, 2, 3)]
    run(f"INSERT INTO t VALUES {', '.join(rows)}")
    run("UPDATE t SET ts = 2 WHERE id = 2")
    for place in ("l.element", "m.value"):
        run(f"ALTER TABLE t RENAME COLUMN {place}.g TO name")
        run(f"ALTER TABLE t ADD COLUMN {place}.g STRING AFTER f")
        run(f"ALTER TABLE t DROP COLUMN {place}.f")
        run(f"ALTER TABLE t ADD COLUMN {place}.f INT")
        run(f"ALTER TABLE t ALTER COLUMN {place}.f FIRST")
    shown = "SELECT id, l[0], m['k'] FROM t ORDER BY id"
    expected = {key: (key, (None, None, f"g{key}"), (None, None, f"g{key}")) for key in (1, 2, 3)}
    assert run(shown) == list(expected.values())
    run("UPDATE t SET l = array(named_struct('f', 7, 'g', 'new', 'name', 'n')), ts = 3 WHERE id = 1")
    expected[1] = (1, (7, "new", "n"), expected[1][2])
    assert run(shown) == list(expected.values())
    assert run("SELECT id FROM t WHERE m['k'].name = 'g3'") == [(3,)]
    assert run("SELECT count(*) FROM t WHERE l[0].g IS NULL") == [(2,)]
    if kind == "mor":
        run("CALL run_compaction(op => 'run', table => 't')")
        assert run(shown) == list(expected.values())
    table = hoodoo.Table(f"{database}/t")
    assert table.to_arrow(["l"], filter=pa.compute.field("id") == 3)["l"].to_pylist() == [
        [{"f": None, "g": None, "name": "g3"}]
    ]
    assert table.explain("3").rows[0]["m"] == [("k", {"f": None, "g": None, "name": "g3"})]
    first = table.timeline.commits[0].time
    old = table.to_arrow(["l"], as_of=first)["l"].to_pylist()
    assert sorted(old[0][0]) == ["f", "g"]


def test_refused_changes_write_nothing(spark: SparkSession, run, database: str) -> None:
    run(
        "CREATE TABLE t (id INT NOT NULL, k STRUCT<x: INT, y: INT>, l ARRAY<STRUCT<f: INT>>) USING hudi "
        "TBLPROPERTIES (primaryKey = 'id,k.x')"
    )
    run("INSERT INTO t VALUES (1, named_struct('x', 1, 'y', 2), array())")
    before = len(hoodoo.Table(f"{database}/t").history())
    for text, match in {
        "ALTER TABLE t RENAME COLUMN k.x TO z": "keys, the partitions or the ordering",
        "ALTER TABLE t RENAME COLUMN k TO z": "keys, the partitions or the ordering",
        "ALTER TABLE t RENAME COLUMN k.y TO X": "struct 'k' has a field 'X' already",
        "ALTER TABLE t DROP COLUMN l.f": "the struct inside of an array is its 'element'",
        "ALTER TABLE t DROP COLUMN l.element": "only structs have fields",
        "ALTER TABLE t DROP COLUMN l.element.f": "struct 'l.element' keeps at least one field",
        "ALTER TABLE t ADD COLUMN k.Y INT": "has a column 'k.Y' already",
        "ALTER TABLE t ADD COLUMNS (k.z INT, k.z INT)": "has a column 'k.z' already",
        "ALTER TABLE t ADD COLUMN k.z INT NOT NULL": "is NOT NULL",
        "ALTER TABLE t ADD COLUMN k.z INT AFTER none": "there is no 'k.none'",
        "ALTER TABLE t ADD COLUMN none.z INT": "the table has no column or field 'none'",
        "ALTER TABLE t ADD COLUMN z NONE FIRST": "Spark cannot parse",
        "ALTER TABLE t ALTER COLUMN l AFTER none": "there is no other 'none'",
        "ALTER TABLE t ALTER COLUMN l AFTER l": "there is no other 'l'",
        "ALTER TABLE t ALTER COLUMN id DROP NOT NULL": "is a column of the record key",
        "ALTER TABLE t ALTER COLUMN k.y DROP NOT NULL": "is a field of a struct",
    }.items():
        with pytest.raises(StatementError, match=match):
            run(text)
    assert run("ALTER TABLE t ALTER COLUMN id FIRST") == []
    assert run("ALTER TABLE t ALTER COLUMN l AFTER k") == []
    assert run("ALTER TABLE t ALTER COLUMN l DROP NOT NULL") == []
    assert run("ALTER TABLE t DROP COLUMN IF EXISTS k.none") == []
    assert run("ALTER TABLE t DROP COLUMN IF EXISTS k.none.x") == []
    spark.conf.set(SETTING, "false")
    for text in ("ADD COLUMN k.z INT", "ADD COLUMN z INT FIRST", "ALTER COLUMN l FIRST"):
        with pytest.raises(StatementError, match=f"SET {SETTING} = true"):
            run(f"ALTER TABLE t {text}")
    assert len(hoodoo.Table(f"{database}/t").history()) == before
