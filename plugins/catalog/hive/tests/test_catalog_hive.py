"""The catalog provider `hive`: its calls with a simulated client, and its contract with a metastore."""

from __future__ import annotations

import os
import socket
from typing import Any

import attrs
import pytest
from hoodoo_catalog_hive import HiveCatalog
from pymetastore.hive_metastore import ttypes
from thrift.transport.TTransport import TTransportException

from hoodoo.errors import CatalogError, OptionError
from hoodoo.plugin import CatalogColumn, CatalogPartition, CatalogTable, default_catalogue
from hoodoo.testing import CatalogSuite

METASTORE = os.environ.get("HOODOO_METASTORE", "")
URIS = "hoodie.datasource.hive_sync.metastore.uris"
needs_metastore = pytest.mark.skipif(not METASTORE, reason="there is no Hive metastore; `tox -e catalogs` starts one")
TABLE = CatalogTable(
    "Sales",
    "Trips",
    (CatalogColumn("Id", "int"),),
    (CatalogColumn("City", "string"), CatalogColumn("day", "string")),
    "/data/trips",
    "in",
    "out",
    "serde",
    {"path": "/data/trips"},
    {"EXTERNAL": "TRUE"},
)


@needs_metastore
@pytest.mark.slow
class TestHive(CatalogSuite):
    plugin = "hive"

    @pytest.fixture(autouse=True)
    def _server(self, tmp_path: Any) -> None:
        type(self).options = {URIS: f"thrift://127.0.0.1:1,{METASTORE}", "hoodie.datasource.hive_sync.batch_num": "100"}

    @pytest.fixture
    def table(self, catalog: Any, tmp_path: Any) -> CatalogTable:
        """Create a table in a local folder and return it; the server has no client of an object store."""
        name = f"t_{tmp_path.name.lower().replace('-', '_')}"
        catalog.create_database(f"db_{name}")
        location = f"file:{tmp_path}"
        table = attrs.evolve(
            TABLE,
            database=f"db_{name}",
            name=name,
            columns=(CatalogColumn("id", "bigint"), CatalogColumn("fare", "struct<amount:double,unit:string>")),
            partition_columns=(CatalogColumn("city", "string"),),
            location=location,
            input_format="org.apache.hudi.hadoop.HoodieParquetInputFormat",
            output_format="org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
            serde="org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
        )
        found = catalog.find_table(table.database, table.name)
        assert found is None, "a test of an earlier run left its table"
        catalog.create_table(table)
        return table


class Client:
    """Client that returns or raises the answers of a test, and records the calls."""

    def __init__(self, **answers: Any) -> None:
        self.answers, self.calls = answers, []

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            self.calls.append((name, *arguments))
            answer = self.answers.get(name)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call


def made(client: Client | None = None, name: str = "hive", **options: Any) -> HiveCatalog:
    hive: HiveCatalog = default_catalogue().load("catalog", name).make({URIS: "thrift://metastore:9083", **options})
    hive._client = client
    return hive


@pytest.mark.parametrize("name", ["hms", "jdbc", "hiveql", "org.apache.hudi.hive.HiveSyncTool", "HiveSyncTool"])
def test_the_modes_of_hudi_are_names(name: str) -> None:
    assert made(name=name).describe() == "Hive metastore (thrift://metastore:9083)"


def test_a_missing_address_is_an_instruction() -> None:
    hive = default_catalogue().load("catalog", "hive").make({})

    assert f"set {URIS}" in hive.missing()
    assert made().missing() == ""


@pytest.mark.parametrize("uri", ["metastore:9083", "http://metastore:9083", "thrift://"])
def test_an_address_has_the_form_of_hive(uri: str) -> None:
    with pytest.raises(OptionError, match=r"expected addresses such as thrift://host:9083"):
        made(**{"uris": uri, URIS: uri})


def test_names_are_in_lower_case_and_the_table_is_external() -> None:
    client = Client()
    made(client, **{"hoodie.datasource.hive_sync.username": "ann"}).create_table(TABLE)
    [(_, table)] = client.calls

    assert (table.dbName, table.tableName, table.owner, table.tableType) == ("sales", "trips", "ann", "EXTERNAL_TABLE")
    assert [(field.name, field.type) for field in table.partitionKeys] == [("city", "string"), ("day", "string")]
    assert table.sd.serdeInfo.serializationLib == "serde"
    assert table.parameters == {"EXTERNAL": "TRUE"}


def test_partitions_are_named_as_the_metastore_names_them() -> None:
    client = Client(get_partitions_by_names=[])
    made(client).find_partitions(TABLE, [("são paulo", "2020-01-01"), ("a/b=c%", "*")])

    assert client.calls == [
        ("get_partitions_by_names", "sales", "trips", ["city=são paulo/day=2020-01-01", "city=a%2Fb%3Dc%25/day=%2A"])
    ]


def test_partitions_are_added_in_batches_unless_they_exist() -> None:
    client = Client()
    partitions = [CatalogPartition(("oslo", str(day)), f"/data/trips/oslo/{day}") for day in range(5)]
    made(client, **{"hoodie.datasource.hive_sync.batch_num": "2"}).add_partitions(TABLE, partitions)
    requests = [request for _, request in client.calls]

    assert [len(request.parts) for request in requests] == [2, 2, 1]
    assert all(request.ifNotExists for request in requests)
    assert requests[2].parts[0].sd.location == "/data/trips/oslo/4"
    assert requests[2].parts[0].values == ["oslo", "4"]


def test_a_dropped_partition_keeps_its_files_and_may_be_absent() -> None:
    client = Client(drop_partition=ttypes.NoSuchObjectException("gone"))
    made(client).drop_partitions(TABLE, [CatalogPartition(("oslo", "1"), "x"), CatalogPartition(("rome", "1"), "x")])

    assert client.calls == [
        ("drop_partition", "sales", "trips", ["oslo", "1"], False),
        ("drop_partition", "sales", "trips", ["rome", "1"], False),
    ]


def test_an_altered_table_keeps_what_others_set() -> None:
    serde = ttypes.SerDeInfo(name="their name", parameters={"theirs": "1"})
    stored = ttypes.Table(
        owner="bob", retention=7, sd=ttypes.StorageDescriptor(location="file:/data/trips", serdeInfo=serde)
    )
    client = Client(get_table=stored)
    made(client).alter_table(TABLE, cascade=True)
    name, database, table, altered, context = client.calls[-1]

    assert (name, database, table) == ("alter_table_with_environment_context", "sales", "trips")
    assert (altered.owner, altered.retention, altered.sd.location) == ("bob", 7, "file:/data/trips")
    assert altered.sd.serdeInfo.parameters == {"theirs": "1", "path": "/data/trips"}
    assert altered.parameters == {"EXTERNAL": "TRUE"}
    assert context.properties == {"CASCADE": "true"}


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        (ttypes.MetaException("no permission"), "MetaException: no permission"),
        (TTransportException(message="timed out"), "timed out"),
        (ConnectionResetError("reset by peer"), "ConnectionResetError: reset by peer"),
    ],
)
def test_an_error_names_the_address_and_the_table(raised: Exception, text: str) -> None:
    hive = made(Client(create_table=raised))
    closed: list[int] = []
    hive._transport = type("Transport", (), {"close": lambda self: closed.append(1)})()

    with pytest.raises(CatalogError, match=rf"Hive metastore \(thrift://metastore:9083\): table Sales.Trips .*{text}"):
        hive.create_table(TABLE)
    assert closed == [1], "an answer that was not read belongs to no later call"


def test_a_server_without_an_answer_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    hive = made(**{URIS: f"thrift://127.0.0.1:{port}"})

    with pytest.raises(CatalogError, match=rf"no Hive metastore accepts .*127.0.0.1:{port}: .*; check {URIS}"):
        hive.has_database("sales")


def test_a_server_that_is_no_metastore_is_an_error() -> None:
    """A call to a server that accepts the connection and closes it raises `CatalogError`."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        hive = made(timeout_ms=2000, **{URIS: f"thrift://127.0.0.1:{server.getsockname()[1]}"})
        hive._connected()
        server.accept()[0].close()
        with pytest.raises(CatalogError, match="database 'sales' cannot be read"):
            hive.has_database("sales")
