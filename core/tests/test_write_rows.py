"""The choice whether Spark or this process writes rows."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError, TableExists
from hoodoo.write_rows import write, writer

ROWS = pa.table({"id": ["a", "b"], "v": [1, 2]})


@pytest.fixture
def spark_writer(monkeypatch):
    """Replace the module that writes with Spark; return a list that gets the arguments of each call."""
    calls = []
    module = ModuleType("hoodoo.spark.write.writer")
    module.write = lambda *arguments: calls.append(arguments)
    monkeypatch.setitem(sys.modules, "hoodoo.spark.write.writer", module)
    return calls


def frame_of(module: str, name: str = "DataFrame", base: type = object):
    return type(name, (base,), {"__module__": module, "__arrow_c_stream__": ROWS.__arrow_c_stream__})()


@pytest.mark.parametrize("module", ["dataframe", "classic.dataframe", "connect.dataframe"])
def test_spark_writes_its_data_frames(spark_writer, module):
    pytest.importorskip("pyspark")
    own = frame_of(f"pyspark.sql.{module}")
    for frame in (own, frame_of("mine", "Special", type(own))):
        write(frame, "path", {"a": 1}, "ignore")

        assert spark_writer.pop() == (frame, "path", {"a": 1}, "ignore")

        writer(frame).option("a", 1).options(b=2, **{"c.d": 3}).mode("overwrite").save("path")

        assert spark_writer.pop() == (frame, "path", {"a": 1, "b": 2, "c.d": 3}, "overwrite")


def test_a_pandas_frame_on_spark_is_no_data_frame_of_spark(spark_writer):
    frame = type("DataFrame", (), {"__module__": "pyspark.pandas.frame"})()

    with pytest.raises(DataError, match=r"the given object is of type pyspark.pandas.frame.DataFrame"):
        write(frame, "path", {})
    assert spark_writer == []


def test_the_public_names_are_these_functions():
    assert hoodoo.write is write
    assert hoodoo.writer is writer


@pytest.mark.parametrize("form", [lambda rows: rows, lambda rows: rows.to_reader(), lambda rows: rows.to_pandas()])
def test_a_writer_takes_the_rows_that_a_write_takes(tmp_path, form):
    options = {"table_name": "t", "record_key": "id"}
    commit = writer(form(ROWS)).options(**options).option("index", "simple").save(tmp_path / "t")
    again = writer(form(ROWS)).options(**options).mode("ignore").save(tmp_path / "t")

    assert (commit.rows_inserted, again.instant) == (2, None)
    assert hoodoo.Table(tmp_path / "t").to_arrow(["id", "v"]).sort_by("id") == ROWS


def test_a_writer_refuses_what_a_write_refuses(tmp_path):
    with pytest.raises(DataError, match=r"the given object is of type builtins.list"):
        writer([{"id": 1}]).option("table_name", "t").save(tmp_path / "t")


def test_rows_that_are_refused_create_no_table(tmp_path):
    with pytest.raises(DataError, match=r"the given object is of type builtins.list"):
        write([{"id": 1}], tmp_path / "t", {"table_name": "t"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [0, -5, "much"])
def test_a_wrong_limit_of_memory_is_refused(tmp_path, value):
    with pytest.raises(OptionError, match="option 'Batch_Memory' is"):
        write(ROWS, tmp_path / "t", {"table_name": "t", "Batch_Memory": value})


@pytest.mark.slow
def test_pyspark_is_not_imported_for_arrow(tmp_path):
    code = f"""
import sys
sys.modules["pyspark"] = None  # an import fails, as if it were not installed
import pyarrow as pa
import hoodoo
path = {str(tmp_path / "t")!r}
commit = hoodoo.write(pa.table({{"id": ["a"], "v": [1]}}), path, {{"table_name": "t", "record_key": "id"}})
print(commit.rows_inserted, hoodoo.Table(path).to_arrow(["id", "v"]).to_pylist())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "1 [{'id': 'a', 'v': 1}]\n"


@pytest.mark.parametrize("mode", ["Append", "OVERWRITE"])
def test_a_mode_is_taken_in_any_case(tmp_path, mode):
    options = {"table_name": "t", "record_key": "id"}
    hoodoo.write(pa.table({"id": [1, 2]}), tmp_path, options)
    hoodoo.write(pa.table({"id": [3]}), tmp_path, {}, mode=mode)
    expected = {"Append": [1, 2, 3], "OVERWRITE": [3]}[mode]
    assert sorted(hoodoo.Table(tmp_path).to_arrow(["id"])["id"].to_pylist()) == expected
    assert hoodoo.write(pa.table({"id": [4]}), tmp_path, {}, mode="Ignore").instant is None
    with pytest.raises(TableExists):
        hoodoo.write(pa.table({"id": [4]}), tmp_path, {}, mode="default")
