"""The choice between Spark and this process."""

from __future__ import annotations

import subprocess
import sys
from types import ModuleType

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.errors import DataError, OptionError
from hoodoo.write_rows import write

ROWS = pa.table({"id": ["a", "b"], "v": [1, 2]})


@pytest.fixture
def spark_writer(monkeypatch):
    """Replace the module that writes with Spark, and return the arguments of its calls."""
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


def test_a_pandas_frame_on_spark_is_no_data_frame_of_spark(spark_writer):
    frame = type("DataFrame", (), {"__module__": "pyspark.pandas.frame"})()

    with pytest.raises(DataError, match=r"this is a pyspark.pandas.frame.DataFrame"):
        write(frame, "path", {})
    assert spark_writer == []


def test_the_public_name_is_this_function():
    assert hoodoo.write is write


def test_rows_that_are_refused_create_no_table(tmp_path):
    with pytest.raises(DataError, match=r"this is a builtins.list"):
        write([{"id": 1}], tmp_path / "t", {"table_name": "t"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [0, -5, "much"])
def test_a_wrong_limit_of_memory_is_refused(tmp_path, value):
    with pytest.raises(OptionError, match="option 'Batch_Memory' is"):
        write(ROWS, tmp_path / "t", {"table_name": "t", "Batch_Memory": value})


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
