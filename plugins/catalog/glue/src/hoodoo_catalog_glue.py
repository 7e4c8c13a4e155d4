"""Tables in the AWS Glue Data Catalog, in the form in which Athena, Trino and Spark read them as Hudi tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, TypeVar

from attrs import define, field

from hoodoo.errors import CatalogError
from hoodoo.plugin import CatalogColumn, CatalogPartition, CatalogTable, hookimpl, option

__version__ = "0.1.0"

_T = TypeVar("_T")

_GLUE = "hoodie.datasource.meta.sync.glue."
_AWS = "hoodie.aws."
_LISTING = "hudi.metadata-listing-enabled"
"""Property of a table; with the value TRUE, Athena lists files from the metadata table."""
# limits of the service for the partitions of one call
_MOST_READ = 1000
_MOST_CHANGED = 100
_MOST_DELETED = 25

_WRITABLE = (
    "Name",
    "Description",
    "Owner",
    "LastAccessTime",
    "LastAnalyzedTime",
    "Retention",
    "StorageDescriptor",
    "PartitionKeys",
    "ViewOriginalText",
    "ViewExpandedText",
    "TableType",
    "Parameters",
    "TargetTable",
)
"""Attributes of a table that `update_table` accepts; the service computes the others."""


@define(eq=False)
class GlueCatalog:
    """Provider AwsGlueCatalogSyncTool of Hudi. Credentials are those of boto3 unless options state them."""

    region: str | None = option(
        default=None,
        key=_AWS + "glue.region",
        help="AWS region; by default the environment variable `AWS_REGION` or `AWS_DEFAULT_REGION`, or us-east-1.",
    )
    endpoint_url: str | None = option(
        default=None, key=_AWS + "glue.endpoint", help="Address of Glue; by default that of AWS in the region."
    )
    catalog_id: str | None = option(
        default=None, key=_GLUE + "catalogId", help="AWS account of the catalog; by default that of the credentials."
    )
    skip_archive: bool = option(
        default=True,
        key=_GLUE + "skip_table_archive",
        help="Do not keep the previous version of a changed table in the catalog.",
    )
    metadata_file_listing: bool = option(
        default=False,
        key=_GLUE + "metadata_file_listing",
        help="Set the property by which Athena lists the files of a table from its metadata table, which must exist.",
    )
    access_key: str | None = option(
        default=None, key=_AWS + "access.key", help="Access key; by default that of boto3's configuration.", secret=True
    )
    secret_key: str | None = option(default=None, key=_AWS + "secret.key", help="Secret key.", secret=True)
    session_token: str | None = option(default=None, key=_AWS + "session.token", help="Session token.", secret=True)
    _client: Any = field(default=None, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if bool(self.access_key) != bool(self.secret_key):
            given, missing = ("access", "secret") if self.access_key else ("secret", "access")
            raise ValueError(f"{_AWS}{given}.key is set without {_AWS}{missing}.key; set both of them or neither")

    def describe(self) -> str:
        """Return the address of the catalog, or its region without one, and the account if it is set, for messages."""
        account = f", account {self.catalog_id}" if self.catalog_id else ""
        return f"AWS Glue ({self.endpoint_url or self._region}{account})"

    def has_database(self, database: str) -> bool:
        """Return whether the catalog has a database."""
        with self._named(f"database '{database}' cannot be read") as client:
            try:
                client.get_database(Name=database.lower(), **self._catalog)
            except client.exceptions.EntityNotFoundException:
                return False
        return True

    def create_database(self, database: str) -> None:
        """Create a database. The call has no effect if the database exists."""
        with self._named(f"database '{database}' cannot be created") as client:
            try:
                created = {"Name": database.lower(), "Description": "created by hoodoo"}
                client.create_database(DatabaseInput=created, **self._catalog)
            except client.exceptions.AlreadyExistsException:
                return

    def find_table(self, database: str, table: str) -> CatalogTable | None:
        """Return a table; None if the catalog does not have it."""
        found = self._find(database, table)
        return None if found is None else _table_of(database, table, found)

    def create_table(self, table: CatalogTable) -> None:
        """Create a table with its partition columns; partitions are not added."""
        created = {
            "Name": table.name.lower(),
            "TableType": "MANAGED_TABLE" if table.managed else "EXTERNAL_TABLE",
            "Parameters": self._parameters(table),
            "PartitionKeys": _columns(table.partition_columns),
            "StorageDescriptor": _descriptor(table, {}),
        }
        with self._named(f"table {table.label} cannot be created") as client:
            client.create_table(DatabaseName=table.database.lower(), TableInput=created, **self._catalog)

    def alter_table(self, table: CatalogTable, *, cascade: bool) -> None:
        """Set columns, formats and properties; attributes that other programs set remain.

        With `cascade`, the existing partitions get the columns and formats too.

        Raises:
            CatalogError: The table does not exist, or the catalog cannot be read or changed.
        """
        found = self._find(table.database, table.name)
        if found is None:
            raise CatalogError(f"{self.describe()}: table {table.label} was dropped during the sync; sync it again")
        changed = {key: found[key] for key in _WRITABLE if found.get(key) is not None}
        changed["Parameters"] = {**found.get("Parameters", {}), **self._parameters(table)}
        changed["StorageDescriptor"] = _descriptor(table, found["StorageDescriptor"])
        if cascade:
            # before the table, so that a sync after a failure finds the change again
            self._update(
                table, self._list(table), lambda each: _descriptor(table, each["StorageDescriptor"], own=False)
            )
        with self._named(f"table {table.label} cannot be altered") as client:
            client.update_table(
                DatabaseName=table.database.lower(), TableInput=changed, SkipArchive=self.skip_archive, **self._catalog
            )

    def find_partitions(
        self, table: CatalogTable, values: Sequence[tuple[str, ...]] | None = None
    ) -> list[CatalogPartition]:
        """Return the existing partitions with these values, read in batches; all partitions for None."""
        found = self._list(table) if values is None else self._get(table, values)
        return [CatalogPartition(tuple(each["Values"]), each["StorageDescriptor"]["Location"]) for each in found]

    def add_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Add partitions in batches; partitions that exist already are not changed."""
        descriptor = _descriptor(table, {})
        for batch in _batches(partitions, _MOST_CHANGED):
            inputs = [
                {"Values": list(each.values), "StorageDescriptor": {**descriptor, "Location": each.location}}
                for each in batch
            ]
            with self._named(f"partitions of {table.label} cannot be added") as client:
                answer = client.batch_create_partition(PartitionInputList=inputs, **self._table(table))
            self._check(f"partitions of {table.label} cannot be added", answer, allowed="AlreadyExistsException")

    def move_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Set the locations of existing partitions; partitions that do not exist are skipped."""
        locations = {each.values: each.location for each in partitions}
        found = self._get(table, list(locations))
        self._update(
            table, found, lambda each: {**each["StorageDescriptor"], "Location": locations[tuple(each["Values"])]}
        )

    def drop_partitions(self, table: CatalogTable, partitions: Sequence[CatalogPartition]) -> None:
        """Drop partitions in batches and keep their files; partitions that do not exist are skipped."""
        for batch in _batches(partitions, _MOST_DELETED):
            values = [{"Values": list(each.values)} for each in batch]
            with self._named(f"partitions of {table.label} cannot be dropped") as client:
                answer = client.batch_delete_partition(PartitionsToDelete=values, **self._table(table))
            self._check(f"partitions of {table.label} cannot be dropped", answer, allowed="EntityNotFoundException")

    def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            self._client.close()
            self._client = None

    @property
    def _region(self) -> str:
        return self.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1"

    @property
    def _catalog(self) -> dict[str, str]:
        return {"CatalogId": self.catalog_id} if self.catalog_id else {}

    def _table(self, table: CatalogTable) -> dict[str, str]:
        return {"DatabaseName": table.database.lower(), "TableName": table.name.lower(), **self._catalog}

    def _parameters(self, table: CatalogTable) -> dict[str, str]:
        return {**table.properties, _LISTING: "TRUE" if self.metadata_file_listing else "FALSE"}

    def _find(self, database: str, table: str) -> dict[str, Any] | None:
        with self._named(f"table {database}.{table} cannot be read") as client:
            try:
                answer = client.get_table(DatabaseName=database.lower(), Name=table.lower(), **self._catalog)
            except client.exceptions.EntityNotFoundException:
                return None
        found: dict[str, Any] = answer["Table"]
        return found

    def _list(self, table: CatalogTable) -> list[dict[str, Any]]:
        with self._named(f"partitions of {table.label} cannot be listed") as client:
            pages = client.get_paginator("get_partitions").paginate(**self._table(table))
            return [each for page in pages for each in page["Partitions"]]

    def _get(self, table: CatalogTable, values: Sequence[tuple[str, ...]]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        wanted = [{"Values": list(each)} for each in values]
        with self._named(f"partitions of {table.label} cannot be read") as client:
            while wanted:
                batch, wanted = wanted[:_MOST_READ], wanted[_MOST_READ:]
                answer = client.batch_get_partition(PartitionsToGet=batch, **self._table(table))
                found += answer.get("Partitions", ())
                # the service truncates a large response
                wanted += answer.get("UnprocessedKeys", ())
        return found

    def _update(
        self,
        table: CatalogTable,
        partitions: Sequence[Mapping[str, Any]],
        descriptor: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> None:
        for batch in _batches(partitions, _MOST_CHANGED):
            entries = [
                {
                    "PartitionValueList": each["Values"],
                    "PartitionInput": {
                        "Values": each["Values"],
                        "StorageDescriptor": descriptor(each),
                        "Parameters": each.get("Parameters", {}),
                    },
                }
                for each in batch
            ]
            with self._named(f"partitions of {table.label} cannot be altered") as client:
                answer = client.batch_update_partition(Entries=entries, **self._table(table))
            self._check(f"partitions of {table.label} cannot be altered", answer)

    def _check(self, problem: str, answer: Mapping[str, Any], *, allowed: str = "") -> None:
        """Raise `CatalogError` for the first error in a response to a batch; ignore errors with the code `allowed`."""
        for error in answer.get("Errors", ()):
            detail = error.get("ErrorDetail", {})
            if detail.get("ErrorCode") != allowed:
                values = error.get("PartitionValues") or error.get("PartitionValueList") or ()
                text = f"{detail.get('ErrorCode')}: {detail.get('ErrorMessage')}"
                raise CatalogError(f"{self.describe()}: {problem}: ({', '.join(values)}): {text}")

    def _connected(self) -> Any:
        if self._client is None:
            import boto3
            from botocore.config import Config

            endpoint = self.endpoint_url
            if endpoint is not None and "://" not in endpoint:
                endpoint = f"https://{endpoint}"
            self._client = boto3.client(
                "glue",
                region_name=self._region,
                endpoint_url=endpoint,
                aws_access_key_id=self.access_key,
                aws_secret_access_key=self.secret_key,
                aws_session_token=self.session_token,
                config=Config(
                    connect_timeout=5, read_timeout=30, retries={"total_max_attempts": 4, "mode": "standard"}
                ),
            )
        return self._client

    @contextmanager
    def _named(self, problem: str) -> Iterator[Any]:
        """Yield the client; raise an error of boto3 as a `CatalogError` that states the problem, without secrets."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            yield self._connected()
        except (BotoCoreError, ClientError) as error:
            text = str(error)
            for secret in (self.access_key, self.secret_key, self.session_token):
                text = text.replace(secret, "***") if secret else text
            raise CatalogError(f"{self.describe()}: {problem}: {text}") from None


def _columns(columns: Sequence[CatalogColumn]) -> list[dict[str, str]]:
    return [{"Name": each.name.lower(), "Type": each.type, "Comment": each.comment} for each in columns]


def _descriptor(table: CatalogTable, existing: Mapping[str, Any], *, own: bool = True) -> dict[str, Any]:
    """Return a storage descriptor with the columns and formats of a table.

    Args:
        table: The table, whose location is used only if `existing` has none.
        existing: The descriptor in the catalog, whose other attributes remain.
        own: Whether the SerDe properties of the table are set; an existing partition keeps its own.
    """
    serde = dict(existing.get("SerdeInfo", {}))
    serde["SerializationLibrary"] = table.serde
    if own:
        serde["Parameters"] = {**serde.get("Parameters", {}), **table.serde_properties}
    return {
        **existing,
        "Location": existing.get("Location", table.location),
        "Columns": _columns(table.columns),
        "InputFormat": table.input_format,
        "OutputFormat": table.output_format,
        "SerdeInfo": serde,
    }


def _table_of(database: str, name: str, found: Mapping[str, Any]) -> CatalogTable:
    descriptor = found.get("StorageDescriptor", {})
    serde = descriptor.get("SerdeInfo", {})
    return CatalogTable(
        database=database,
        name=name,
        columns=_catalog_columns(descriptor.get("Columns", ())),
        partition_columns=_catalog_columns(found.get("PartitionKeys", ())),
        location=descriptor.get("Location", ""),
        input_format=descriptor.get("InputFormat", ""),
        output_format=descriptor.get("OutputFormat", ""),
        serde=serde.get("SerializationLibrary", ""),
        serde_properties=serde.get("Parameters", {}),
        properties=found.get("Parameters", {}),
        managed=found.get("TableType") == "MANAGED_TABLE",
    )


def _catalog_columns(found: Sequence[Mapping[str, str]]) -> tuple[CatalogColumn, ...]:
    return tuple(CatalogColumn(each["Name"], each.get("Type", ""), each.get("Comment", "")) for each in found)


def _batches(items: Iterable[_T], size: int) -> Iterator[list[_T]]:
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


@hookimpl
def hoodoo_catalog() -> type[GlueCatalog]:
    """Return the class of the catalog provider."""
    return GlueCatalog
