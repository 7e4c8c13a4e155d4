"""Names of tables: paths, names of the session, of a file, and of the catalogue."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from pyspark.sql.utils import AnalysisException

import hoodoo
from hoodoo.errors import NotATable, OptionError, StatementError
from hoodoo.spark.sql.tables import catalogue
from hoodoo.spark.sql.tables.names import resolve

ROWS = pa.table({"id": [1, 2], "v": ["a", "b"]})


@pytest.fixture
def path(database: str) -> str:
    """Write a table of two rows, which no catalogue has, and return its path."""
    path = f"{database}/elsewhere"
    hoodoo.write(ROWS, path, {"table_name": "elsewhere", "record_key": "id"})
    return path


@pytest.mark.needs_pyspark("4.0")
def test_the_catalogue_of_the_session_keeps_a_name(spark: SparkSession, database: str, path: str, run) -> None:
    run(
        f"CREATE TABLE kept USING hudi LOCATION '{path}' COMMENT 'two rows' "
        "TBLPROPERTIES ('hoodie.clean.automatic' = 'false')"
    )

    assert ("statements", "kept", False) in run("SHOW TABLES")
    [[information]] = spark.sql("SHOW TABLE EXTENDED LIKE 'kept'").select("information").collect()
    assert "Provider: hoodoo" in information
    assert "Comment: two rows" in information
    assert [field.name for field in spark.catalog.listColumns("kept")] == ["id", "v"]
    for name in ("kept", "KEPT", "statements.kept", "Statements.Kept", "spark_catalog.statements.kept", "`kept`"):
        assert run(f"SELECT count(*) FROM {name}") == [(2,)], name
    assert run("SHOW TBLPROPERTIES kept ('hoodie.clean.automatic')") == [("hoodie.clean.automatic", "false")]
    spark.sql("USE default")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        run("SELECT * FROM kept")
    assert run("SELECT count(*) FROM statements.kept") == [(2,)]
    spark.sql("USE statements")
    run("ALTER TABLE kept RENAME TO renamed")
    assert run("SELECT count(*) FROM renamed") == [(2,)]
    assert hoodoo.Table(path).properties.name == "renamed"
    run("DROP TABLE renamed")
    # other tests may have left temporary views in the session
    assert [row for row in run("SHOW TABLES") if not row[2]] == []
    assert hoodoo.Table(path).to_arrow(["id"]).num_rows == 2


@pytest.mark.parametrize("place", ["session", "file"])
def test_a_temporary_view_hides_a_table(spark: SparkSession, path: str, run, place: str) -> None:
    if place == "file":
        spark.conf.set("hoodoo.sql.tables", f"{path}/../names.json")
    run(f"CREATE TABLE kept USING hudi LOCATION '{path}'")
    spark.range(5).createOrReplaceTempView("kept")
    try:
        assert run("SELECT count(*) FROM kept") == [(5,)]
        assert run("SELECT count(*) FROM statements.kept") == [(2,)]
    finally:
        spark.catalog.dropTempView("kept")


def test_names_of_views_and_of_no_table_are_not_described(
    spark: SparkSession, path: str, run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(f"CREATE TABLE kept USING hudi LOCATION '{path}'")
    spark.range(5).createOrReplaceTempView("seen")

    def described(*_: object) -> None:
        raise AssertionError("the description of a table takes longer than a query")

    monkeypatch.setattr(catalogue, "plain_sql", described)
    try:
        for parts in (("seen",), ("none",), ("none", "kept"), ("parquet", "/data/files"), ("a", "b", "c")):
            assert resolve(spark, parts) is None
        with pytest.raises(AssertionError, match="takes longer"):
            resolve(spark, ("kept",))
    finally:
        spark.catalog.dropTempView("seen")


def test_a_session_keeps_temporary_names(spark: SparkSession, path: str, run) -> None:
    run(f"CREATE TEMPORARY VIEW mine USING hoodoo OPTIONS (path '{path}')")

    run("INSERT INTO mine VALUES (3, 'c')")
    assert run("SELECT count(*) FROM Mine") == [(3,)]
    assert "mine" not in {row[1] for row in run("SHOW TABLES")}
    with pytest.raises(StatementError, match="the session has a table 'mine' already"):
        run(f"CREATE TEMPORARY VIEW mine USING hoodoo OPTIONS (path '{path}')")
    run(f"CREATE OR REPLACE TEMPORARY VIEW mine USING hoodoo OPTIONS (path '{path}')")
    run("DROP TABLE mine")
    with pytest.raises(AnalysisException, match="TABLE_OR_VIEW_NOT_FOUND"):
        run("SELECT * FROM mine")
    with pytest.raises(NotATable):
        run(f"CREATE TEMPORARY VIEW mine USING hoodoo OPTIONS (path '{path}/none')")
    with pytest.raises(StatementError, match="needs the path of a table"):
        run("CREATE TEMPORARY VIEW mine USING hoodoo")


def test_an_enabled_session_finds_tables_by_name(spark: SparkSession, path: str, run) -> None:
    run(f"CREATE TABLE kept USING hudi LOCATION '{path}'")
    run("CREATE TABLE plain (id INT) USING parquet")
    first = hoodoo.Table(path).timeline.commits[-1].time
    run("INSERT INTO kept VALUES (3, 'c')")
    plain = spark.table
    hoodoo.enable(spark)
    try:
        assert sorted(row.id for row in spark.table("kept").collect()) == [1, 2, 3]
        assert spark.table("statements.`kept`").where("id > 1").count() == 2
        assert spark.read.table("Kept").columns == spark.table("kept").columns
        assert spark.read.option("as.of.instant", first).table("kept").count() == 2
        assert spark.read.options(columns="id").table("kept").columns == ["id"]
        assert spark.table(f"hoodoo.`{path}`").count() == 3
        assert spark.table("plain").count() == spark.read.table("statements.plain").count() == 0
        spark.range(5).createOrReplaceTempView("kept")
        assert spark.table("kept").count() == 5
        assert spark.table("statements.kept").count() == 3
        for name in ("none", "a b"):
            with pytest.raises(AnalysisException):
                spark.table(name).collect()
    finally:
        spark.catalog.dropTempView("kept")
        hoodoo.disable(spark)
    assert spark.table == plain


def test_a_file_keeps_names(spark: SparkSession, database: str, path: str, tmp_path: Path, run) -> None:
    file = tmp_path / "names.json"
    spark.conf.set("hoodoo.sql.tables", str(file))
    run(f"CREATE TABLE kept USING hudi LOCATION '{path}' TBLPROPERTIES ('hoodie.clean.automatic' = 'false')")

    entry = {"path": path, "options": {"hoodie.clean.automatic": "false"}}
    assert json.loads(file.read_text()) == {"statements.kept": entry}
    assert "kept" not in {row[1] for row in run("SHOW TABLES")}
    assert run("SELECT count(*) FROM KEPT") == run("SELECT count(*) FROM statements.kept") == [(2,)]
    run("ALTER TABLE kept RENAME TO renamed")
    run(f"CREATE TABLE other USING hudi LOCATION '{path}'")
    for name in ("Renamed", "other"):
        with pytest.raises(StatementError, match=f"there is a table or view '{name}' already"):
            run(f"ALTER TABLE renamed RENAME TO {name}")
    run("DROP TABLE other")
    run("ALTER TABLE renamed UNSET TBLPROPERTIES ('hoodie.clean.automatic')")
    assert json.loads(file.read_text()) == {"statements.renamed": {"path": path, "options": {}}}
    run("DROP TABLE renamed")
    assert json.loads(file.read_text()) == {}
    assert sorted(file.parent.glob("names*")) == [file]


@pytest.mark.parametrize(
    ("text", "match"), [("{", "is not JSON"), ("[]", "is not a dictionary"), ('{"a": 1}', "is not a dictionary")]
)
def test_a_wrong_file_is_an_error(
    spark: SparkSession, database: str, tmp_path: Path, run, text: str, match: str
) -> None:
    file = tmp_path / "names.json"
    file.write_text(text)
    spark.conf.set("hoodoo.sql.tables", str(file))
    with pytest.raises(OptionError, match=match):
        run("SELECT * FROM t")
    with pytest.raises(OptionError, match=match):
        run("CREATE TABLE t (id INT) USING hoodoo TBLPROPERTIES (primaryKey = 'id')")
    assert not Path(database, "t").exists()
    spark.conf.set("hoodoo.sql.tables", "names.json")
    with pytest.raises(OptionError, match="give an absolute path"):
        run("SELECT * FROM t")


def test_a_path_may_have_any_characters(spark: SparkSession, database: str, run) -> None:
    folder = f'{database}/it\'s a "strange" folder é ${{x}} `y`'
    written = folder.replace("'", "\\'")
    run(f"CREATE TABLE mine (a_b INT, v STRING) USING hoodoo LOCATION '{written}' TBLPROPERTIES (primaryKey = 'a_b')")
    run("INSERT INTO mine VALUES (1, 'x')")

    assert run("SELECT a_b FROM mine") == [(1,)]
    assert hoodoo.Table(folder).to_arrow(["a_b"]).num_rows == 1


def test_a_name_that_is_taken_is_refused(spark: SparkSession, path: str, run) -> None:
    run("CREATE TABLE plain (id INT) USING parquet")
    with pytest.raises(StatementError, match="is a table or view of another format"):
        run(f"CREATE OR REPLACE TABLE plain USING hoodoo LOCATION '{path}'")
    with pytest.raises(StatementError, match="there is no database 'none'"):
        run(f"CREATE TABLE none.t USING hoodoo LOCATION '{path}'")
    run(f"CREATE TABLE kept USING hoodoo LOCATION '{path}'")
    with pytest.raises(StatementError, match="exists already"):
        run(f"CREATE TABLE kept USING hoodoo LOCATION '{path}'")
    run(f"CREATE TABLE IF NOT EXISTS kept USING hoodoo LOCATION '{path}'")
    with pytest.raises(StatementError, match="and LOCATION is"):
        run("CREATE TABLE IF NOT EXISTS kept USING hoodoo LOCATION '/other'")
    with pytest.raises(StatementError, match="already; choose another name"):
        run("ALTER TABLE kept RENAME TO plain")
    with pytest.raises(StatementError, match="a table stays in its database"):
        run("ALTER TABLE kept RENAME TO default.kept")
