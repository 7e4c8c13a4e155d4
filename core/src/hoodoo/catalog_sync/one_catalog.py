"""Synchronisation of one catalog with a table: read the catalog, compute the changes, apply them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from attrs import evolve, frozen

from hoodoo.catalog_sync.catalog_changes import (
    LAST_COMMIT,
    LAST_COMPLETION,
    AddPartitions,
    AddTable,
    AlterTable,
    Change,
    MovePartitions,
    partition_changes,
    table_change,
    with_last_commit,
)
from hoodoo.catalog_sync.touched_partitions import TouchedPartitions, touched_partitions
from hoodoo.catalog_sync.wanted_tables import WantedTable, table_facts, wanted_tables
from hoodoo.errors import CatalogError
from hoodoo.options import CatalogOptions
from hoodoo.plugin import BaseCatalogProvider, CatalogTable
from hoodoo.properties import TableProperties
from hoodoo.reading import table_schema
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.reading.schema.table_schema import commit_schemas
from hoodoo.storage import Storage
from hoodoo.timeline import Timeline

__all__ = ["CatalogUpdate", "sync_catalog"]


@frozen
class CatalogUpdate:
    """Result of a sync with one catalog.

    Attributes:
        catalog: The catalog, with its address.
        tables: Names of the tables in the catalog, each with its database.
        changes: Descriptions of the changes to tables and partitions; empty if at most the stored last commit changed.
    """

    catalog: str
    tables: tuple[str, ...]
    changes: tuple[str, ...]


def sync_catalog(
    provider: BaseCatalogProvider,
    storage: Storage,
    properties: TableProperties,
    timeline: Timeline,
    options: CatalogOptions,
) -> CatalogUpdate:
    """Bring a catalog to the state of a table.

    Args:
        provider: The provider of the catalog.
        storage: The table's files.
        properties: The properties of the table.
        timeline: The timeline. Its last commit is stored in the catalog; in a conditional sync, only with a change.
        options: The options of the sync.

    Raises:
        CatalogError: The catalog rejects a change, does not respond, lacks the database, or has another table of this
            name; or a partition path does not fit the partition columns. Earlier changes remain; another sync completes
            them.
        OptionError: Options contradict each other, the table has no name, or a line of the additional properties has no
            '='.
        SchemaError: A column has no type in a catalog or in Spark, or names differ only by case.
        UnsupportedTable: Base files are not Parquet.
        CorruptTableError: A commit is damaged.
    """
    schema = with_path_columns(table_schema(timeline, properties), properties)
    comments = _comments(timeline) if options.catalog_comments else {}
    facts = table_facts(properties, hudi_location(storage.uri), schema, comments)
    wanted = wanted_tables(facts, options)
    _require_database(provider, wanted[0].table.database, create=options.catalog_create_database)
    done: list[Change] = []
    touched: dict[tuple[str | None, str | None], TouchedPartitions] = {}
    for table in wanted:
        existing = provider.find_table(table.table.database, table.table.name)
        synced = {} if existing is None else existing.properties
        last = synced.get(LAST_COMMIT), synced.get(LAST_COMPLETION)
        if last not in touched:
            touched[last] = touched_partitions(storage, timeline, *last)
        done += _sync_table(provider, table, existing, touched[last], timeline, conditional=options.catalog_conditional)
    return CatalogUpdate(provider.describe(), tuple(t.table.label for t in wanted), tuple(map(str, done)))


def hudi_location(uri: str) -> str:
    """Return the location of a table in Hudi's form for catalogs.

    A `file://` URI gets a decoded path, `s3a:` and `s3n:` become `s3:`, and other URIs are unchanged.
    """
    scheme, separator, rest = uri.partition("://")
    if scheme == "file":
        return f"file://{unquote(rest)}"
    return f"s3{separator}{rest}" if scheme in ("s3a", "s3n") else uri


def _sync_table(
    provider: BaseCatalogProvider,
    wanted: WantedTable,
    existing: CatalogTable | None,
    touched: TouchedPartitions,
    timeline: Timeline,
    *,
    conditional: bool,
) -> list[Change]:
    done: list[Change] = []
    change = table_change(wanted, existing)
    if isinstance(change, AddTable):
        provider.create_table(change.table)
        done.append(change)
    elif isinstance(change, AlterTable):
        provider.alter_table(change.table, cascade=change.cascade)
        done.append(change)
    current = existing if change is None else change.table
    assert current is not None, "a table that does not exist is created"
    # partitions are of the wanted table: its location may be another URI of the same folder
    located = evolve(current, location=wanted.table.location)
    if wanted.values.columns:
        for partitions in _partition_changes(provider, evolve(wanted, table=located), touched):
            _apply(provider, partitions)
            done.append(partitions)
    latest = timeline.latest_commit
    if latest is not None and (done or not conditional):
        marked = with_last_commit(current, latest.time, _latest_completion(timeline))
        if marked != current:
            provider.alter_table(marked, cascade=False)
    return done


def _partition_changes(provider: BaseCatalogProvider, wanted: WantedTable, touched: TouchedPartitions) -> list[Change]:
    values: list[tuple[str, ...]] | None = None
    if touched.absent is not None:
        paths = sorted(touched.present | touched.absent)
        values = list(dict.fromkeys(values for path in paths for values in wanted.values.spellings(path)))
        if not values:
            return []
    existing = provider.find_partitions(wanted.table, values)
    return partition_changes(wanted, existing, touched.present, touched.absent)


def _apply(provider: BaseCatalogProvider, change: Change) -> None:
    assert not isinstance(change, (AddTable, AlterTable)), "tables are changed before partitions"
    if isinstance(change, AddPartitions):
        provider.add_partitions(change.table, change.partitions)
    elif isinstance(change, MovePartitions):
        provider.move_partitions(change.table, change.partitions)
    else:
        provider.drop_partitions(change.table, change.partitions)


def _require_database(provider: BaseCatalogProvider, database: str, *, create: bool) -> None:
    if provider.has_database(database):
        return
    if not create:
        raise CatalogError(
            f"{provider.describe()} has no database '{database}'; create it, or remove "
            "hoodie.datasource.hive_sync.auto_create_database=false"
        )
    provider.create_database(database)


def _latest_completion(timeline: Timeline) -> str | None:
    return max((instant.completed_at or instant.time for instant in timeline.commits), default=None)


def _comments(timeline: Timeline) -> Mapping[str, str]:
    """Return the comments of the top-level columns in the newest schema."""
    _, text = next(commit_schemas(timeline), (None, "{}"))
    fields: Sequence[Mapping[str, Any]] = json.loads(text).get("fields", ())
    return {str(field["name"]): str(field["doc"]) for field in fields if field.get("doc")}
