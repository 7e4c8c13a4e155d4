"""Tables in a Hive metastore, in the form in which Hive, Trino and Spark read them as Hudi tables."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

import attrs
from attrs import define, field

from hoodoo.errors import CatalogError
from hoodoo.plugin import CatalogColumn, CatalogPartition, CatalogTable, hookimpl, option

if TYPE_CHECKING:
    from pymetastore.hive_metastore import ttypes

__version__ = "0.1.0"

_T = TypeVar("_T")

_HIVE = "hoodie.datasource.hive_sync."
_PORT = 9083
_ESCAPED = re.compile(r"[\x01-\x1f\x7f\"#%'*/:=?\\{\[\]^]")
"""Characters that a metastore escapes in the name of a partition."""


def _positive(instance: Any, attribute: attrs.Attribute[Any], value: int) -> None:
    if value < 1:
        raise ValueError(f"{attribute.name} is {value} and must be at least 1")


@define(eq=False)
class HiveCatalog:
    """Provider HiveSyncTool of Hudi in mode `hms`: a client of the metastore's Thrift service, without Kerberos."""

    uris: str | None = option(
        default=None,
        key=_HIVE + "metastore.uris",
        more_keys=("hive.metastore.uris", "spark.hadoop.hive.metastore.uris"),
        help="Addresses of the metastore, comma-separated, such as thrift://host:9083; the first that accepts a "
        "connection is used.",
    )
    batch: int = option(
        default=1000, key=_HIVE + "batch_num", help="Maximum number of partitions in one call.", validator=_positive
    )
    timeout_ms: int = option(
        default=60_000, help="Milliseconds to wait for a response of the metastore.", validator=_positive
    )
    owner: str = option(default="hoodoo", key=_HIVE + "username", help="Owner of new tables.")
    _client: Any = field(default=None, init=False, repr=False)
    _transport: Any = field(default=None, init=False, repr=False)
    _address: str = field(default="", init=False)

    def __attrs_post_init__(self) -> None:
        for uri in self._uris:
            parts = urlsplit(uri)
            if parts.scheme != "thrift" or not parts.hostname:
                raise ValueError(f"{_HIVE}metastore.uris has '{uri}'; expected addresses such as thrift://host:{_PORT}")

    def missing(self) -> str:
        """Return an instruction if the address, which has no default, is missing; else ""."""
        return "" if self._uris else f"its address is missing; set {_HIVE}metastore.uris, such as thrift://host:{_PORT}"

    def describe(self) -> str:
        """Return the address of the metastore, or all configured addresses before a connection, for messages."""
        return f"Hive metastore ({self._address or ', '.join(self._uris)})"

    def has_database(self, database: str) -> bool:
        """Return whether the catalog has a database."""
        from pymetastore.hive_metastore.ttypes import NoSuchObjectException

        with self._named(f"database '{database}' cannot be read") as client:
            try:
                client.get_database(database.lower())
            except NoSuchObjectException:
                return False
        return True

    def create_database(self, database: str) -> None:
        """Create a database. The call has no effect if the database exists."""
        from pymetastore.hive_metastore.ttypes import AlreadyExistsException, Database

        with self._named(f"database '{database}' cannot be created") as client:
            try:
                client.create_database(Database(name=database.lower(), description="created by hoodoo", parameters={}))
            except AlreadyExistsException:
                return

    def find_table(self, database: str, table: str) -> CatalogTable | None:
        """Return a table; None if the catalog does not have it."""
        found = self._find(database, table)
        return None if found is None else _table_of(database, table, found)

    def create_table(self, table: CatalogTable) -> None:
        """Create a table with its partition columns; partitions are not added."""
        from pymetastore.hive_metastore.ttypes import Table

        created = Table(
            dbName=table.database.lower(),
            tableName=table.name.lower(),
            owner=self.owner,
            createTime=int(time.time()),
            sd=_descriptor(table, None),
            partitionKeys=_fields(table.partition_columns),
            parameters=dict(table.properties),
            tableType="MANAGED_TABLE" if table.managed else "EXTERNAL_TABLE",
        )
        with self._named(f"table {table.label} cannot be created") as client:
            client.create_table(created)

    def alter_table(self, table: CatalogTable, *, cascade: bool) -> None:
        """Set columns, formats and properties; attributes that other programs set remain.

        With `cascade`, the existing partitions get the columns too.

        Raises:
            CatalogError: The table does not exist, or the catalog cannot be read or changed.
        """
        from pymetastore.hive_metastore.ttypes import EnvironmentContext

        found = self._find(table.database, table.name)
        if found is None:
            raise CatalogError(f"{self.describe()}: table {table.label} was dropped during the sync; sync it again")
        found.parameters = {**(found.parameters or {}), **table.properties}
        found.sd = _descriptor(table, found.sd)
        context = EnvironmentContext({"CASCADE": "true"} if cascade else {})
        with self._named(f"table {table.label} cannot be altered") as client:
            client.alter_table_with_environment_context(table.database.lower(), table.name.lower(), found, context)

    def find_partitions(
        self, table: CatalogTable, values: Sequence[tuple[str, ...]] | None = None
    ) -> list[CatalogPartition]:
        """Return the existing partitions with these values, read in batches; all partitions for None."""
        if values is None:
            with self._named(f"partitions of {table.label} cannot be listed") as client:
                names = client.get_partition_names(table.database.lower(), table.name.lower(), -1)
        else:
            names = [_partition_name(table, each) for each in values]
        return [CatalogPartition(tuple(each.values), each.sd.location) for each in self._get(table, names)]

    def add_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Add partitions in batches; partitions that exist already are not changed."""
        from pymetastore.hive_metastore.ttypes import AddPartitionsRequest, Partition

        database, name = table.database.lower(), table.name.lower()
        for batch in _batches(partitions, self.batch):
            added = []
            for each in batch:
                descriptor = _descriptor(table, None)
                descriptor.location = each.location
                added.append(
                    Partition(values=list(each.values), dbName=database, tableName=name, sd=descriptor, parameters={})
                )
            with self._named(f"partitions of {table.label} cannot be added") as client:
                client.add_partitions_req(AddPartitionsRequest(database, name, added, True, False))

    def move_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Set the locations of existing partitions; partitions that do not exist are skipped."""
        locations = {each.values: each.location for each in partitions}
        for batch in _batches(locations, self.batch):
            found = self._get(table, [_partition_name(table, values) for values in batch])
            for each in found:
                each.sd.location = locations[tuple(each.values)]
            with self._named(f"partitions of {table.label} cannot be moved") as client:
                client.alter_partitions(table.database.lower(), table.name.lower(), found)

    def drop_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Drop partitions and keep their files; partitions that do not exist are skipped."""
        from pymetastore.hive_metastore.ttypes import NoSuchObjectException

        with self._named(f"partitions of {table.label} cannot be dropped") as client:
            for each in partitions:
                try:
                    client.drop_partition(table.database.lower(), table.name.lower(), list(each.values), False)
                except NoSuchObjectException:
                    continue

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()
            self._client = self._transport = None

    @property
    def _uris(self) -> tuple[str, ...]:
        return tuple(uri.strip() for uri in (self.uris or "").split(",") if uri.strip())

    def _find(self, database: str, table: str) -> ttypes.Table | None:
        from pymetastore.hive_metastore.ttypes import NoSuchObjectException

        with self._named(f"table {database}.{table} cannot be read") as client:
            try:
                return client.get_table(database.lower(), table.lower())
            except NoSuchObjectException:
                return None

    def _get(self, table: CatalogTable, names: Sequence[str]) -> list[ttypes.Partition]:
        found: list[Any] = []
        with self._named(f"partitions of {table.label} cannot be read") as client:
            for batch in _batches(names, self.batch):
                found += client.get_partitions_by_names(table.database.lower(), table.name.lower(), list(batch))
        return found

    def _connected(self) -> Any:
        """Return the connected client; if there is none, connect to the first metastore that accepts a connection."""
        from pymetastore.hive_metastore import ThriftHiveMetastore
        from thrift.protocol.TBinaryProtocol import TBinaryProtocol
        from thrift.transport.TSocket import TSocket
        from thrift.transport.TTransport import TBufferedTransport, TTransportException

        failures = []
        for uri in self._uris if self._client is None else ():
            parts = urlsplit(uri)
            socket = TSocket(parts.hostname, parts.port or _PORT)
            socket.setTimeout(self.timeout_ms)
            transport = TBufferedTransport(socket)
            try:
                transport.open()
            except (TTransportException, OSError) as error:
                failures.append(f"{uri}: {_text(error)}")
                continue
            self._transport, self._address = transport, uri
            self._client = ThriftHiveMetastore.Client(TBinaryProtocol(transport))
            break
        if self._client is None:
            raise CatalogError(
                f"no Hive metastore accepts a connection ({'; '.join(failures)}); check {_HIVE}metastore.uris"
            )
        return self._client

    @contextmanager
    def _named(self, problem: str) -> Iterator[Any]:
        """Yield the client; for an error of the connection or the metastore, disconnect and raise a `CatalogError`."""
        from thrift.Thrift import TException

        client = self._connected()
        try:
            yield client
        except (TException, OSError, EOFError) as error:
            text = f"{self.describe()}: {problem}: {_text(error)}"
            # the rest of a response would be interpreted as the next response
            self.close()
            raise CatalogError(text) from None


def _text(error: BaseException) -> str:
    message = getattr(error, "message", None) or str(error)
    return f"{type(error).__name__}: {message}"


def _partition_name(table: CatalogTable, values: Iterable[str]) -> str:
    """Return the name of a partition in the metastore, such as `year=2020/month=1`."""
    columns = (column.name.lower() for column in table.partition_columns)
    return "/".join(f"{_escaped(name)}={_escaped(value)}" for name, value in zip(columns, values, strict=True))


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"%{ord(found[0]):02X}", text)


def _fields(columns: Sequence[CatalogColumn]) -> list[ttypes.FieldSchema]:
    from pymetastore.hive_metastore.ttypes import FieldSchema

    return [FieldSchema(each.name.lower(), each.type, each.comment) for each in columns]


def _descriptor(table: CatalogTable, existing: ttypes.StorageDescriptor | None) -> ttypes.StorageDescriptor:
    """Return the existing descriptor, or a new one for None, with the columns and formats of a table."""
    from pymetastore.hive_metastore.ttypes import SerDeInfo, StorageDescriptor

    if existing is None:
        existing = StorageDescriptor(
            location=table.location,
            compressed=False,
            numBuckets=-1,
            serdeInfo=SerDeInfo(),
            bucketCols=[],
            sortCols=[],
            parameters={},
        )
    existing.cols = _fields(table.columns)
    existing.inputFormat, existing.outputFormat = table.input_format, table.output_format
    existing.serdeInfo.serializationLib = table.serde
    existing.serdeInfo.parameters = {**(existing.serdeInfo.parameters or {}), **table.serde_properties}
    return existing


def _table_of(database: str, name: str, found: ttypes.Table) -> CatalogTable:
    descriptor, serde = found.sd, found.sd.serdeInfo
    return CatalogTable(
        database=database,
        name=name,
        columns=_catalog_columns(descriptor.cols),
        partition_columns=_catalog_columns(found.partitionKeys),
        location=descriptor.location or "",
        input_format=descriptor.inputFormat or "",
        output_format=descriptor.outputFormat or "",
        serde=serde.serializationLib or "",
        serde_properties=serde.parameters or {},
        properties=found.parameters or {},
        managed=found.tableType == "MANAGED_TABLE",
    )


def _catalog_columns(found: Sequence[ttypes.FieldSchema] | None) -> tuple[CatalogColumn, ...]:
    return tuple(CatalogColumn(each.name, each.type, each.comment or "") for each in found or ())


def _batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


@hookimpl
def hoodoo_catalog() -> type[HiveCatalog]:
    """Return the class of the catalog provider."""
    return HiveCatalog
