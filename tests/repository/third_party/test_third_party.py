"""Distributions of third parties: built, installed into a fresh environment, found and used by their names."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
FOLDER = HERE / "hoodoo-merger-acme-max"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment that has the running one's packages and, from wheels, the distributions."""
    folder = tmp_path_factory.mktemp("third-party")
    for distribution in (FOLDER, HERE / "hoodoo-acme-orders"):
        source = shutil.copytree(distribution, folder / distribution.name)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, source)
    wheels = sorted(folder.glob("*.whl"))
    assert len(wheels) == 2

    venv.create(folder / "env", with_pip=True, symlinks=os.name != "nt")
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", *wheels)
    # a folder on the path is not enough: editable installs are path files in it
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(site, "outer.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    return python


def run(*command: object, status: int = 0, **environment: str) -> str:
    """Return the output of a command that must end with the given status; its error output if that is not 0."""
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
    """Otherwise the tests below would not prove that the wheel is used."""
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


@pytest.mark.nightly
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


@pytest.mark.nightly
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


@pytest.mark.nightly
@pytest.mark.spark
def test_it_is_selected_by_name_in_a_spark_upsert(python, tmp_path):
    """Driver and executors find the plugin by its name; the program does not import it."""
    lines = run(python, "-c", UPSERT, tmp_path / "table").splitlines()

    assert lines[-3:-1] == ["[('a', 'stored'), ('b', 'higher'), ('c', 'new')]", "acme-max"]
    assert lines[-1] == "[('a', 5, 'stored'), ('b', 15, 'higher'), ('c', 1, 'new')]"


@pytest.mark.nightly
def test_its_own_tests_pass_where_it_is_installed(python, tmp_path):
    tests = shutil.copytree(FOLDER / "tests", tmp_path / "tests")

    assert "10 passed" in run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests)


@pytest.fixture(scope="module")
def tables(python: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the results of `declarations.py` by version, table type and family of the rule."""
    return json.loads(run(python, HERE / "declarations.py", tmp_path_factory.mktemp("tables")))


TYPES = ("COPY_ON_WRITE", "MERGE_ON_READ")
ALL_PATHS = ("rows", "rows read by Hudi's properties")
OWN_STRATEGY = "5f7c0a9e-4f0e-4a54-9b55-0d1f4f3a8a11"


@pytest.mark.parametrize("kind", TYPES)
def test_its_merge_mode_is_stored_and_found_again(tables, kind):
    """A table stores the mode's name and strategy id in version 9, and its payload class in version 6."""
    later, earlier = (tables[f"{version} {kind} merger"]["properties"] for version in (9, 6))

    assert later["hoodie.record.merge.mode"] == "ACME_HIGHEST_ORDERING"
    assert later["hoodie.record.merge.strategy.id"] == OWN_STRATEGY
    assert earlier["hoodie.compaction.payload.class"] == "com.acme.hudi.HighestPayload"


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("version", [6, 9])
def test_its_merger_and_default_delete_rule_decide_in_writes_and_reads(tables, version, kind):
    """The higher amount wins, and a void order is deleted, with and without the properties of hoodoo."""
    found = tables[f"{version} {kind} merger"]

    assert found["properties"]["hoodoo.delete_rule"] == "acme-void"
    for path in ALL_PATHS:
        assert found[path] == {"a": "more amount", "b": "first", "d": "gone"}, path
    assert found["rows after a write by Hudi's properties"] == {"a": "more amount", "b": "more at last", "d": "gone"}


@pytest.mark.parametrize("kind", TYPES)
def test_its_payload_is_itself_in_version_6(tables, kind):
    """The table has the class that the payload declares and by which it is found again."""
    found = tables[f"6 {kind} payload"]

    assert found["properties"]["hoodie.compaction.payload.class"] == "com.acme.hudi.FeedPayload"
    assert found["properties"]["hoodoo.delete_rule"] == "acme-void"
    for path in ALL_PATHS:
        assert found[path] == {"a": "more amount", "b": "more points", "d": "gone"}, path
    assert found["rows after a write by Hudi's properties"] == {"a": "less again", "b": "more at last", "d": "gone"}


@pytest.mark.parametrize("kind", TYPES)
def test_its_payload_is_replaced_by_the_declared_substitute_in_version_9(tables, kind):
    """The table has the merger, options, ordering columns and marker of the substitute."""
    found = tables[f"9 {kind} payload"]
    properties = found["properties"]

    assert properties["hoodoo.merger"] == "acme-highest"
    assert json.loads(properties["hoodoo.rule.options"]) == {"column": "points"}
    assert properties["hoodie.record.merge.mode"] == "ACME_HIGHEST_ORDERING"
    assert properties["hoodie.table.legacy.payload.class"] == "com.acme.hudi.FeedPayload"
    assert properties["hoodie.table.ordering.fields"] == "points"
    prefix = "hoodie.record.merge.property.hoodie.payload.delete."
    assert (properties[prefix + "field"], properties[prefix + "marker"]) == ("status", "gone")
    assert found["rows"] == {"a": "first", "b": "more points", "c": "void"}
