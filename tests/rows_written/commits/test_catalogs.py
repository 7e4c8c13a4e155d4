"""Catalogs after a write: the tables, the partitions that are compared, failures, and the command that syncs again."""

from __future__ import annotations

import json
import os
import re
import shlex
import uuid
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import hoodoo
from hoodoo.catalog_sync import choose_catalogs
from hoodoo.cli import main
from hoodoo.errors import CatalogError, OptionError, UnknownOption, UnknownPlugin
from hoodoo.options import CatalogOptions, NoEffectWarning, parse
from hoodoo.plugin import default_catalogue
from hoodoo.service.inline import ServiceFailed
from hoodoo.testing.engine import write_arrow
from tests.support.installed import installed
from tests.support.memory_catalog import MemoryCatalog

pytestmark = pytest.mark.slow

HIVE = "hoodie.datasource.hive_sync."
SECRET = "hunter2-hunter2"
BASE = {"table_name": "trips", "record_key": "id", "partition_by": "city", "ordering": "ts"}
MEMORY = {"catalogs": "memory", HIVE + "memory.address": "here", HIVE + "memory.password": SECRET}


@pytest.fixture
def memory(tmp_path, monkeypatch):
    """Install the in-memory catalog as a plugin, and yield its class."""
    entry_points = (
        "[hoodoo.catalog]\nmemory = memory_catalog_plugin\n"
        "[hoodoo.catalog.alias]\norg.acme.MemorySyncTool = memory_catalog_plugin\n"
    )
    source = (
        "'''A catalog of a test.'''\nfrom hoodoo.plugin import hookimpl\n"
        "from tests.support.memory_catalog import MemoryCatalog\n\n@hookimpl\n"
        "def hoodoo_catalog():\n    return MemoryCatalog\n"
    )
    monkeypatch.delenv("HOODOO_PLUGINS", raising=False)
    MemoryCatalog.reset()
    module = "memory_catalog_plugin"
    with installed(tmp_path / "site", monkeypatch, "memory-catalog-plugin", module, source, entry_points):
        yield MemoryCatalog


def rows(*cities: str, **columns: Any) -> pa.Table:
    numbers = list(range(len(cities)))
    return pa.table({"id": [f"{c}{n}" for n, c in enumerate(cities)], "city": cities, "ts": numbers, **columns})


def write(path, table, **options):
    return write_arrow(table, path, {**BASE, **MEMORY, **options})


def compared(memory):
    """Return the partition values that the last sync of each table looked up, by table; None stands for all."""
    return {call[1]: call[2] for call in memory.calls if call[0] == "find_partitions"}


def test_a_write_creates_database_table_and_partitions(memory, tmp_path):
    commit = write(tmp_path / "t", rows("oslo", "rome"))
    table = memory.tables["default", "trips"]

    assert memory.databases == {"default"}
    assert [each.name for each in table.columns][5:] == ["id", "ts"]
    assert memory.partitions["default", "trips"] == {
        ("oslo",): f"file://{tmp_path}/t/oslo",
        ("rome",): f"file://{tmp_path}/t/rome",
    }
    assert table.properties["last_commit_time_sync"] == commit.instant
    assert table.properties["last_commit_completion_time_sync"] >= commit.instant
    assert table.properties["owned"] == "yes"


def test_only_touched_partitions_are_compared(memory, tmp_path):
    write(tmp_path / "t", rows("oslo", "rome"))
    memory.calls.clear()
    write(tmp_path / "t", rows("oslo", "bonn"))

    assert compared(memory) == {"trips": [("bonn",), ("oslo",)]}
    assert set(memory.partitions["default", "trips"]) == {("oslo",), ("rome",), ("bonn",)}


def test_partitions_of_a_failed_sync_are_compared_by_the_next(memory, tmp_path):
    write(tmp_path / "t", rows("oslo"))
    memory.refuses.append("add_partitions")
    with pytest.warns(ServiceFailed):
        write(tmp_path / "t", rows("rome"))
    memory.refuses.clear()
    write(tmp_path / "t", rows("bonn"))

    assert set(memory.partitions["default", "trips"]) == {("oslo",), ("rome",), ("bonn",)}


def test_all_partitions_are_compared_when_the_last_commit_is_not_on_the_timeline(memory, tmp_path):
    write(tmp_path / "t", rows("oslo", "rome"))
    key = "default", "trips"
    memory.tables[key].properties["last_commit_time_sync"] = "20200101000000000"
    memory.partitions[key].pop(("oslo",))
    memory.partitions[key]["kyiv",] = "elsewhere"
    memory.calls.clear()
    write(tmp_path / "t", rows("bonn"))

    assert compared(memory) == {"trips": None}
    assert set(memory.partitions[key]) == {("oslo",), ("rome",), ("bonn",)}


@pytest.mark.parametrize("version", [6, 9])
def test_a_deleted_partition_is_dropped_until_it_is_written_again(memory, tmp_path, version):
    path, key = tmp_path / "t", ("default", "trips")
    write(path, rows("oslo", "rome"), table_version=version)
    write(path, rows("rome"), operation="delete_partition")
    assert set(memory.partitions[key]) == {("oslo",)}
    write(path, rows("rome"))
    assert set(memory.partitions[key]) == {("oslo",), ("rome",)}


def test_a_folder_is_listed_once_after_a_change_of_decoding(memory, tmp_path):
    key, path, folder = ("default", "trips"), tmp_path / "t", f"file://{tmp_path}/t/a%3Ab"
    for decode, values in (("false", "a%3Ab"), ("true", "a:b"), ("false", "a%3Ab")):
        write(path, rows("a:b"), url_encode=True, **{"hoodie.meta.sync.decode_partition": decode})
        assert memory.partitions[key] == {(values,): folder}


def test_new_columns_are_added(memory, tmp_path):
    write(tmp_path / "t", rows("oslo"))
    write(tmp_path / "t", rows("oslo", tip=[1.5]))
    table = memory.tables["default", "trips"]

    assert [(each.name, each.type) for each in table.columns][-1] == ("tip", "double")
    assert '"name":"tip","type":"double"' in table.properties["spark.sql.sources.schema.part.0"]
    assert ("alter_table", "trips", True) in memory.calls


def test_a_sync_without_changes_stores_the_last_commit_unless_conditional(memory, tmp_path):
    first = write(tmp_path / "t", rows("oslo")).instant
    conditional = {"hoodie.datasource.meta_sync.condition.sync": "true"}
    write(tmp_path / "t", rows("oslo"), **conditional)
    assert memory.tables["default", "trips"].properties["last_commit_time_sync"] == first
    second = write(tmp_path / "t", rows("oslo")).instant
    assert memory.tables["default", "trips"].properties["last_commit_time_sync"] == second


def test_a_merge_on_read_table_has_three_tables_with_partitions(memory, tmp_path):
    write(tmp_path / "t", rows("oslo"), table_type="MERGE_ON_READ")
    write(tmp_path / "t", rows("oslo", "rome"))

    assert {name for _, name in memory.tables} == {"trips_ro", "trips_rt", "trips"}
    assert all(set(partitions) == {("oslo",), ("rome",)} for partitions in memory.partitions.values())


def test_a_table_without_partitions_has_none_in_the_catalog(memory, tmp_path):
    write(tmp_path / "t", rows("oslo"), partition_by="")
    table = memory.tables["default", "trips"]

    assert table.partition_columns == ()
    assert compared(memory) == {}


def test_a_failed_sync_keeps_the_commit_and_names_the_command(memory, tmp_path, capsys):
    memory.refuses.append("create_table")
    path = tmp_path / "a table"
    options = {"hoodie.datasource.hive_sync.database": "rides"}
    with pytest.warns(ServiceFailed, match="the rows are committed, and the sync with the catalog of .*memory") as seen:
        write(path, rows("oslo"), **options)
    [text] = [str(each.message) for each in seen]

    assert hoodoo.Table(path).to_arrow().num_rows == 1
    assert SECRET not in text
    assert "create_table is refused for here and ***" in text
    command = shlex.split(text.partition("this command: ")[2])
    assert command[:4] == ["hoodoo", "table", "sync", str(path)]

    memory.refuses.clear()
    with pytest.raises(SystemExit) as ended:
        main(command[1:])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert out.splitlines() == [
        "memory at here: rides.trips",
        "  created table rides.trips",
        "  added 1 partition of rides.trips",
    ]
    assert set(memory.partitions["rides", "trips"]) == {("oslo",)}


def test_the_command_shows_json_and_what_is_up_to_date(memory, tmp_path, capsys):
    write(tmp_path / "t", rows("oslo"))
    arguments = ["table", "sync", str(tmp_path / "t"), "-o", "catalogs=memory", "-o", HIVE + "memory.address=here"]
    for extra in ([], ["--json"]):
        with pytest.raises(SystemExit):
            main([*arguments, *extra])
    text, _, rest = capsys.readouterr().out.partition("[")

    assert text == "memory at here: default.trips\n  there is nothing to change\n"
    assert json.loads("[" + rest) == [{"catalog": "memory at here", "tables": ["default.trips"], "changes": []}]


def test_table_sync_raises_what_a_write_warns_about(memory, tmp_path):
    write_arrow(rows("oslo"), tmp_path / "t", BASE)
    table = hoodoo.Table(tmp_path / "t")

    with pytest.raises(OptionError, match=r"is not updated: set hoodie.datasource.hive_sync.memory.address"):
        table.sync(catalogs="memory")
    with pytest.raises(UnknownPlugin, match=r"org.acme.Other"):
        table.sync(**{"hoodie.meta.sync.client.tool.class": "org.acme.Other"})
    memory.refuses.append("create_database")
    with pytest.raises(CatalogError, match=r"create_database is refused for here and \*\*\*"):
        table.sync(**MEMORY)


def test_a_missing_database_may_be_an_error(memory, tmp_path):
    with pytest.warns(ServiceFailed, match="memory at here has no database 'default'; create it"):
        write(tmp_path / "t", rows("oslo"), **{HIVE + "auto_create_database": "false"})
    assert memory.calls == []


@pytest.mark.parametrize(
    "options",
    [
        {"hoodie.datasource.meta.sync.enable": "true", "hoodie.meta.sync.client.tool.class": "org.acme.MemorySyncTool"},
        {"catalogs": ["memory"], "catalog_options": {"address": "here"}},
    ],
)
def test_a_catalog_is_chosen_by_hudis_keys_or_by_name(memory, tmp_path, options):
    address = {} if "catalog_options" in options else {HIVE + "memory.address": "here"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_arrow(rows("oslo"), tmp_path / "t", {**BASE, **options, **address})

    assert set(memory.tables) == {("default", "trips")}


@pytest.mark.parametrize(
    ("options", "notice"),
    [
        ({HIVE + "enable": "true", HIVE + "mode": "hms"}, r"set hoodie.datasource.hive_sync.metastore.uris"),
        ({HIVE + "enable": "true", HIVE + "use_jdbc": "true"}, r"set hoodie.datasource.hive_sync.metastore.uris"),
        (
            {
                "hoodie.datasource.meta.sync.enable": "true",
                "hoodie.meta.sync.client.tool.class": "org.apache.hudi.sync.datahub.DataHubSyncTool",
            },
            "the catalog is not updated by 'org.apache.hudi.sync.datahub.DataHubSyncTool'",
        ),
        ({HIVE + "database": "d"}, f"no effect without the sync of a catalog: {HIVE}database"),
        ({**MEMORY, HIVE + "jdbcurl": "jdbc:x"}, f"no effect with these catalogs: {HIVE}jdbcurl"),
    ],
)
def test_a_job_of_hudi_runs_with_a_notice(memory, tmp_path, options, notice):
    with pytest.warns(NoEffectWarning, match=notice):
        write_arrow(rows("oslo"), tmp_path / "t", {**BASE, **options})
    assert hoodoo.Table(tmp_path / "t").to_arrow().num_rows == 1


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"catalogs": "memry"}, UnknownPlugin, "memry"),
        ({HIVE + "enable": "true", HIVE + "mode": "fax"}, OptionError, "expected one of: hms, glue"),
        ({**MEMORY, HIVE + "table_properties": "x"}, OptionError, "expected one name=value per line"),
        (
            {**MEMORY, "catalog_options": {"place": "x"}},
            UnknownOption,
            "'place'; the options of these catalogs are",
        ),
    ],
)
def test_wrong_options_are_found_before_anything_is_written(memory, tmp_path, options, error, text):
    with pytest.raises(error, match=text):
        write_arrow(rows("oslo"), tmp_path / "t", {**BASE, **options})
    assert not (tmp_path / "t").exists()


def test_keys_of_aws_need_no_lock_provider_with_a_catalog(memory, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write(tmp_path / "t", rows("oslo"), **{"hoodie.aws.access.key": "AKIA"})


def test_the_options_of_docs_catalogs_choose_the_metastore():
    page = Path(__file__).resolve().parents[3] / "docs/catalogs.md"
    [block] = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(block, names)
    given = parse(names["options"], (CatalogOptions,))
    [chosen] = choose_catalogs(given, default_catalogue()).catalogs

    assert chosen.provider.describe() == "Hive metastore (thrift://metastore:9083)"
    assert (given[CatalogOptions].catalog_database, given[CatalogOptions].catalog_table) == ("rides", "trips")


@pytest.fixture(params=["glue", "hive"])
def service(request):
    """Return the name and the options of a service: AWS Glue simulated by moto, or a real Hive metastore."""
    database = f"d{uuid.uuid4().hex[:8]}"
    options = {HIVE + "enable": "true", HIVE + "database": database, HIVE + "partition_fields": "city"}
    if request.param == "hive":
        uris = os.environ.get("HOODOO_METASTORE")
        if not uris:
            pytest.skip("there is no Hive metastore; `tox -e catalogs` starts one")
        return "hms", {**options, HIVE + "mode": "hms", HIVE + "metastore.uris": uris}
    aws = {"access.key": "AKIAHOODOOTESTS", "secret.key": SECRET, "glue.region": "us-east-1"}
    endpoint = request.getfixturevalue("aws_endpoint")
    keys = {"hoodie.aws.glue.endpoint": endpoint, **{f"hoodie.aws.{key}": value for key, value in aws.items()}}
    return "glue", {**options, HIVE + "mode": "glue", **keys}


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
def test_a_table_in_a_real_service(service, tmp_path, kind):
    """The tables of a catalog follow a creation, a new column and partition, and the deletion of a partition.

    A sync of a table that has not changed reports no change.
    """
    mode, options = service
    path, database = tmp_path / "t", options[HIVE + "database"]
    provider = default_catalogue().load("catalog", mode)
    declared = {key for option in provider.options for key in option.keys}
    catalog = provider.make({key: value for key, value in options.items() if key in declared})
    with warnings.catch_warnings():
        warnings.simplefilter("error", ServiceFailed)
        write_arrow(rows("oslo", "rome"), path, {**BASE, "table_type": kind, **options})
        nested = pa.array([{"a": [1], "b": {"x": 1.5}}] * 2)
        write_arrow(rows("oslo", "são paulo", nested=nested), path, {**BASE, **options})
        last = write_arrow(rows("rome"), path, {**BASE, **options, "operation": "delete_partition"})
    names = ["trips"] if kind == "COPY_ON_WRITE" else ["trips", "trips_ro", "trips_rt"]

    for name in names:
        table = catalog.find_table(database, name)
        found = {each.values[0]: each.location.partition(":")[2].lstrip("/") for each in catalog.find_partitions(table)}
        local = str(path).lstrip("/")
        assert found == {"oslo": f"{local}/oslo", "são paulo": f"{local}/são paulo"}
        assert [(each.name, each.type) for each in table.columns][5:] == [
            ("id", "string"),
            ("ts", "bigint"),
            ("nested", "struct<a:array<bigint>,b:struct<x:double>>"),
        ]
        assert table.properties["last_commit_time_sync"] == last.instant
        assert table.properties["spark.sql.sources.provider"] == "hudi"
        assert table.serde_properties["hoodie.query.as.ro.table"] == ("true" if name == "trips_ro" else "false")
    catalog.close()
    [update] = hoodoo.Table(path).sync(**options)
    assert update.changes == ()
