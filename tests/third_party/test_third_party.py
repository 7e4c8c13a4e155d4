"""A distribution of an outsider's shape: built, installed into a fresh environment, found and used by its name."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent / "hoodoo-merger-acme-max"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that sees what runs these tests and, installed from its wheel, the distribution."""
    folder = tmp_path_factory.mktemp("third-party")
    source = shutil.copytree(FOLDER, folder / "source")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source)
    (wheel,) = folder.glob("*.whl")

    venv.create(folder / "env", with_pip=True, symlinks=os.name != "nt")
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)
    # a folder on the path is not enough: editable installs are path files in it
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(site, "outer.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return python


def run(*command: object, status: int = 0, **environment: str) -> str:
    """The output of a command, which must end with the given status."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        check=False,
        env={**{k: v for k, v in os.environ.items() if k not in ("HOODOO_PLUGINS", "PYTHONPATH")}, **environment},
    )
    assert done.returncode == status, f"{command} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout if status == 0 else done.stderr


def hoodoo(python: Path, *arguments: str, status: int = 0, **environment: str) -> str:
    return run(python, "-c", "from hoodoo.cli import main; main()", *arguments, status=status, **environment)


def test_it_is_not_in_the_environment_that_runs_the_tests():
    """Otherwise nothing below would show that its wheel is what is used."""
    assert "acme-max" not in hoodoo(Path(sys.executable), "plugins", "list")


def test_it_is_listed(python):
    (row,) = [row for row in json.loads(hoodoo(python, "plugins", "list", "--json")) if row["name"] == "acme-max"]

    assert row == {
        "family": "merger",
        "name": "acme-max",
        "distribution": "hoodoo-merger-acme-max",
        "version": "1.2.0",
        "module": "hoodoo_merger_acme_max",
        "aliases": ["com.acme.hudi.MaxRecordMerger"],
        "allowed": True,
    }


def test_it_is_shown_with_its_options_and_laws(python):
    shown = json.loads(hoodoo(python, "plugins", "show", "MaxRecordMerger", "--json"))

    assert shown["description"].startswith("The version with the larger value of a column")
    assert shown["laws"] == ["ASSOCIATIVE", "IDEMPOTENT", "REPLAY_SAFE"]
    assert [(option["name"], option["required"]) for option in shown["options"]] == [("column", True)]


def test_the_allow_list_keeps_it_out(python):
    message = hoodoo(python, "plugins", "show", "acme-max", status=1, HOODOO_PLUGINS="builtin")

    assert "merger 'acme-max' (hoodoo-merger-acme-max 1.2.0)" in message
    assert "allow-list" in message


MERGE = """
import json
import numpy as np
import pyarrow as pa
from hoodoo.merge import Rule
from hoodoo.plugin import Catalogue
from hoodoo.record import MergerConfig

config = MergerConfig(record_key=("id",))
merger = Catalogue().make("merger", "acme-max", {"column": "price"})
rule = Rule.of_merger(merger, "acme-max", config)
schema = pa.schema([("id", pa.string()), ("price", pa.int64()), ("note", pa.string())])
columns = [list("ababca"), [3, 1, 2, 1, None, 3], ["first", "first", "second", "second", "only", "third"]]
table = pa.table(columns, schema=schema)
keys = table["id"].combine_chunks()
folded = rule.fold(rule.incoming(table, schema, keys, np.zeros(table.num_rows, dtype=bool)))
print(json.dumps(dict(zip(folded.keys.to_pylist(), folded.column("note").to_pylist()))))
"""


def test_it_merges_arrow_data(python):
    assert json.loads(run(python, "-c", MERGE)) == {"a": "third", "b": "second", "c": "only"}


UPSERT = """
import sys
import hoodoo
from hoodoo.spark.session import local_session

spark = local_session(cores="2")
options = {"table_name": "prices", "record_key": "id", "merger": "acme-max", "merger_options": '{"column": "price"}'}
stored = [("a", 3, "stored"), ("b", 1, "stored")]
incoming = [("a", 2, "lower"), ("b", 9, "higher"), ("b", 5, "lower"), ("c", 1, "new")]
for rows in (stored, incoming):
    hoodoo.write(spark.createDataFrame(rows, "id string, price long, note string"), sys.argv[1], options)
rows = hoodoo.read(spark, sys.argv[1], columns="id,note").collect()
print(sorted((row.id, row.note) for row in rows))
print(hoodoo.Table(sys.argv[1]).properties["hoodoo.merger"])

fields = '{"fields": {"price": {"agg": "sum"}, "note": {"agg": "acme-longest"}}}'
for rows in (stored, incoming):
    more = {**options, "merger": "aggregate", "merger_options": fields}
    hoodoo.write(spark.createDataFrame(rows, "id string, price long, note string"), sys.argv[1] + "-notes", more)
rows = hoodoo.read(spark, sys.argv[1] + "-notes", columns="id,price,note").collect()
print(sorted((row.id, row.price, row.note) for row in rows))
"""


@pytest.mark.spark
def test_it_is_selected_by_name_in_a_spark_upsert(python, tmp_path):
    """Driver and executors find it by its name; nothing else is imported for it."""
    lines = run(python, "-c", UPSERT, tmp_path / "table").splitlines()

    assert lines[-3:-1] == ["[('a', 'stored'), ('b', 'higher'), ('c', 'new')]", "acme-max"]
    assert lines[-1] == "[('a', 5, 'stored'), ('b', 15, 'higher'), ('c', 1, 'new')]"


def test_its_own_tests_pass_where_it_is_installed(python, tmp_path):
    tests = shutil.copytree(FOLDER / "tests", tmp_path / "tests")

    assert "10 passed" in run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests)
