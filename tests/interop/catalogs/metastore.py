"""Tables of a Hive metastore in the form that its Thrift service returns, for comparison."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from attrs import asdict, field, frozen
from pymetastore.hive_metastore import ThriftHiveMetastore, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

__all__ = ["VOLATILE", "Entry", "entries", "entry_difference", "spark_settings"]

VOLATILE = {"last_commit_time_sync", "last_commit_completion_time_sync", "transient_lastDdlTime"}
"""Properties with times."""


@frozen
class Entry:
    """A table in the metastore, without its name, owner and times; and its partitions by their values."""

    columns: list[tuple[str, str, str]]
    partition_columns: list[tuple[str, str, str]]
    kind: str
    properties: dict[str, str]
    descriptor: dict[str, Any]
    partitions: dict[str, Any] = field(factory=dict)


def spark_settings(address: str) -> dict[str, str]:
    """Return the settings by which a Spark session uses a metastore."""
    return {
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": address,
        # tables without properties for Spark are read by their input format
        "spark.sql.hive.convertMetastoreParquet": "false",
    }


def entries(address: str, database: str) -> dict[str, Entry]:
    """Return the tables of a database by name."""
    with _client(address) as client:
        return {name: _entry(client, database, name) for name in client.get_all_tables(database)}


def entry_difference(ours: Entry, hudis: Entry) -> dict[str, tuple[Any, Any]]:
    """Return the values that differ, of hoodoo and of Hudi, by their path of names; a missing value is None."""
    mine, theirs = _flat(asdict(ours)), _flat(asdict(hudis))
    return {
        name: (mine.get(name), theirs.get(name))
        for name in sorted({*mine, *theirs})
        if mine.get(name) != theirs.get(name)
    }


@contextmanager
def _client(address: str) -> Iterator[Any]:
    parts = urlsplit(address)
    transport = TBufferedTransport(TSocket(parts.hostname, parts.port))
    transport.open()
    try:
        yield ThriftHiveMetastore.Client(TBinaryProtocol(transport))
    finally:
        transport.close()


def _entry(client: Any, database: str, name: str) -> Entry:
    table = client.get_table(database, name)
    partitions = client.get_partitions(database, name, -1)
    return Entry(
        _columns(table.sd.cols),
        _columns(table.partitionKeys),
        table.tableType,
        _lasting(table.parameters),
        _descriptor(table.sd),
        {"/".join(each.values): {**_descriptor(each.sd), "columns": _columns(each.sd.cols)} for each in partitions},
    )


def _descriptor(found: ttypes.StorageDescriptor) -> dict[str, Any]:
    return {
        "location": _local(found.location),
        "input_format": found.inputFormat,
        "output_format": found.outputFormat,
        "compressed": found.compressed,
        # Hudi stores 0 or -1
        "buckets": max(found.numBuckets, 0),
        "bucket_columns": found.bucketCols,
        "sort_columns": found.sortCols,
        "serde": found.serdeInfo.serializationLib,
        "serde_properties": {name: _local(value) for name, value in (found.serdeInfo.parameters or {}).items()},
        "parameters": dict(found.parameters or {}),
    }


def _local(location: str) -> str:
    """Return a location without the scheme of local files, which Hudi writes only if its user does."""
    return location.removeprefix("file://").removeprefix("file:")


def _columns(found: list[ttypes.FieldSchema] | None) -> list[tuple[str, str, str]]:
    return [(each.name, each.type, each.comment or "") for each in found or ()]


def _lasting(properties: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in properties.items() if name not in VOLATILE}


def _flat(value: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {path: value}
    flat: dict[str, Any] = {}
    for name, each in value.items():
        flat |= _flat(each, f"{path}/{name}" if path else str(name))
    return flat
