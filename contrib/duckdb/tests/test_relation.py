"""Relations and names: options, errors, unchanged state, and the example of the README."""

from __future__ import annotations

import re
import subprocess
import sys
import textwrap
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import hoodoo_duckdb
import pyarrow as pa
import pytest

from hoodoo.errors import HoodooError, NotATable, OptionError, SchemaError, UnknownOption, UnsupportedTable
from hoodoo.options import NoEffectWarning
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.storage import storage_for

FIRST, SECOND = "20240101000000000", "20240102000000000"


@pytest.fixture
def path(write, tmp_path):
    """Create a table with two commits, of three rows and of two, and return its path."""
    write(tmp_path / "t", pa.table({"id": [1, 2, 3], "v": ["a", "b", "c"]}), FIRST)
    return write(tmp_path / "t", pa.table({"id": [4, 5], "v": ["d", None]}), SECOND)


def _ids(relation):
    return sorted(key for (key,) in relation.select("id").fetchall())


def test_options_choose_rows(connection, path):
    def ids(**options):
        return _ids(hoodoo_duckdb.relation(connection, path, **options))

    assert ids() == [1, 2, 3, 4, 5]
    assert ids(as_of=FIRST) == ids(as_of="2024-01-01") == [1, 2, 3]
    assert ids(**{"as.of.instant": FIRST[:14]}) == [1, 2, 3]
    assert ids(query_type="incremental", begin=FIRST) == [4, 5]
    assert ids(query_type="incremental", end=FIRST) == [1, 2, 3]
    assert ids(query_type="read_optimized") == [1, 2, 3, 4, 5]


def test_options_choose_columns(connection, path):
    def columns(**options):
        return hoodoo_duckdb.relation(connection, path, **options).columns

    assert columns() == [*META_COLUMNS, "id", "v"]
    assert columns(meta_columns=False) == ["id", "v"]
    assert columns(columns=["v", "_hoodie_commit_time"]) == ["v", "_hoodie_commit_time"]
    assert columns(columns="id", meta_columns=False) == ["id"]


def test_options_choose_paths(connection, path):
    def ids(**options):
        return _ids(hoodoo_duckdb.relation(connection, path, **options))

    assert ids(paths=f"{path}/{SECOND}*") == [4, 5]
    assert ids(query_type="incremental", incremental_paths=f"/{FIRST}*") == [1, 2, 3]


def test_changes_are_rows_too(connection, path):
    properties = path / ".hoodie/hoodie.properties"
    properties.write_text(properties.read_text() + "hoodie.table.cdc.enabled=true\n")
    changes = hoodoo_duckdb.relation(connection, path, query_type="incremental", incremental_format="cdc", begin=FIRST)
    assert changes.columns == ["op", "ts_ms", "before", "after"]
    assert changes.filter('after LIKE \'%"v":"d"%\'').select("op").fetchall() == [("i",)]
    assert len(changes.fetchall()) == 2


def test_a_metadata_table_that_does_not_exist_is_a_warning(connection, path):
    with pytest.warns(NoEffectWarning, match="the table has no metadata table"):
        relation = hoodoo_duckdb.relation(connection, path, metadata_table=True)
    with warnings.catch_warnings(action="ignore", category=NoEffectWarning):
        assert _ids(relation) == [1, 2, 3, 4, 5]


def test_a_table_in_an_object_store(connection, path, s3_options, make_bucket):
    address = f"s3://{make_bucket()}/t"
    storage = storage_for(address, s3_options)
    for file in filter(Path.is_file, path.rglob("*")):
        storage.create(str(file.relative_to(path)), file.read_bytes())
    assert _ids(hoodoo_duckdb.relation(connection, address, **s3_options)) == [1, 2, 3, 4, 5]
    hoodoo_duckdb.register(connection, "stored", address, as_of=FIRST, **s3_options)
    assert connection.sql("SELECT max(id) FROM stored").fetchall() == [(3,)]
    connection.unregister("stored")


def test_before_the_first_commit_there_are_no_rows(connection, path):
    assert hoodoo_duckdb.relation(connection, path, as_of="2023-12-31").fetchall() == []


def test_time_travel_shows_the_columns_of_that_time(connection, write, path):
    write(path, pa.table({"id": [6], "v": ["f"], "extra": [1.5]}), "20240103000000000")
    assert hoodoo_duckdb.relation(connection, path, meta_columns=False).columns == ["id", "v", "extra"]
    assert hoodoo_duckdb.relation(connection, path, meta_columns=False, as_of=SECOND).columns == ["id", "v"]
    now = hoodoo_duckdb.relation(connection, path)
    assert sorted(now.filter("extra is null").select("id").fetchall()) == [(1,), (2,), (3,), (4,), (5,)]


def test_name_can_be_used_in_sql_and_taken_away(connection, path):
    hoodoo_duckdb.register(connection, "trips", path)
    assert connection.sql("select v from trips where id = 4").fetchall() == [("d",)]
    hoodoo_duckdb.register(connection, "trips", path, as_of=FIRST)
    assert connection.sql("select count(*) from trips").fetchall() == [(3,)]
    connection.unregister("trips")
    with pytest.raises(duckdb.CatalogException):
        connection.sql("from trips")


def test_relation_stands_for_the_table_as_it_was(connection, write, path):
    before = hoodoo_duckdb.relation(connection, path)
    write(path, pa.table({"id": [6], "v": ["f"]}), "20240103000000000")
    assert _ids(before) == [1, 2, 3, 4, 5]
    assert _ids(hoodoo_duckdb.relation(connection, path)) == [1, 2, 3, 4, 5, 6]


def test_many_threads_read_one_table(connection, path):
    """Each thread uses a separate cursor, as DuckDB requires."""

    def total(_):
        with connection.cursor() as cursor:
            t = hoodoo_duckdb.relation(cursor, path)
            return t.filter("id > 1").sum("id").fetchall()

    with ThreadPoolExecutor(8) as pool:
        assert set(map(str, pool.map(total, range(40)))) == {"[(14,)]"}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"querytype": "snapshot"}, UnknownOption, "query_type"),
        ({"query_type": "streaming"}, OptionError, "read_optimized"),
        ({"as_of": "yesterday"}, OptionError, "is not an instant"),
        ({"begin": FIRST}, OptionError, "incremental"),
        ({"columns": "id,nope"}, SchemaError, "nope"),
    ],
)
def test_wrong_options_are_refused_when_the_relation_is_made(connection, path, options, error, message):
    with pytest.raises(error, match=message):
        hoodoo_duckdb.relation(connection, path, **options)
    with pytest.raises(error, match=message):
        hoodoo_duckdb.register(connection, "t", path, **options)


def test_no_table_and_tables_that_cannot_be_read(connection, path, tmp_path):
    with pytest.raises(NotATable):
        hoodoo_duckdb.relation(connection, tmp_path / "nothing")
    properties = path / ".hoodie/hoodie.properties"
    properties.write_text(properties.read_text().replace("version=6", "version=99"))
    with pytest.raises(UnsupportedTable, match="99"):
        hoodoo_duckdb.relation(connection, path)


def test_damage_that_only_the_rows_show_comes_with_hoodoos_message(connection, path):
    relation = hoodoo_duckdb.relation(connection, path)
    file = max(path.glob("*.parquet"))
    file.write_bytes(b"PAR1" + file.read_bytes()[4:-8] + bytes(8))
    with pytest.raises(duckdb.Error, match=f"CorruptTableError.*{file.name}") as caught:
        relation.fetchall()
    assert not isinstance(caught.value, HoodooError)
    file.unlink()
    with pytest.raises(duckdb.Error, match=f"CorruptTableError.*{file.name}"):
        relation.filter("id = 4").fetchall()
    assert hoodoo_duckdb.relation(connection, path, as_of=FIRST).count("*").fetchall() == [(3,)]


@pytest.mark.slow
def test_result_that_was_not_read_to_its_end_does_not_keep_the_interpreter_from_ending(write, tmp_path):
    path = write(tmp_path, pa.table({"id": range(100)}), files=10)
    program = """
        import functools, sys
        import hoodoo
        import hoodoo_duckdb.dataset as dataset
        from hoodoo.options import ReadOptions
        dataset.read_ahead = functools.partial(dataset.read_ahead, budget=1)
        reader = dataset.HudiDataset(hoodoo.Table(sys.argv[1]), ReadOptions()).scanner().to_reader()
        print(reader.read_next_batch().num_rows)
    """
    command = [sys.executable, "-c", textwrap.dedent(program), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "10\n", "")


def test_example_of_the_readme(write, tmp_path, capsys):
    """Run the Python block of the README, with its table where the test may write."""
    rows = {"id": ["t1", "t2", "t3"], "city": ["oslo", "rome", "oslo"], "fare": [12.5, 20.0, 10.0]}
    path = write(tmp_path, pa.table(rows))
    [block] = re.findall(r"^```python\n(.*?)^```$", _readme(), re.MULTILINE | re.DOTALL)

    exec(compile(block.replace("/tmp/trips", str(path)), "README.md", "exec"), {})

    first, second = capsys.readouterr().out.split("\n\n")[:2]
    assert "t1" in first
    assert "12.5" in first
    assert "t2" not in first
    assert re.search(r"oslo\s*│\s*2\s*│\s*11\.25", second)


def _readme():
    return (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
