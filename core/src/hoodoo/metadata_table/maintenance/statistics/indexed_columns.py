"""Columns with statistics in the metadata table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.format.file_names import BaseFileName
from hoodoo.format.parquet.parquet_reader import open_base_file
from hoodoo.metadata_table.content.hashed_keys import stats_key
from hoodoo.metadata_table.index_definitions import definitions_in, read_document
from hoodoo.metadata_table.layers import Selection, layers
from hoodoo.metadata_table.maintenance.statistics.stored_type import stored_type
from hoodoo.metadata_table.maintenance.table_change import TableChange
from hoodoo.metadata_table.metadata_table import MetadataTable
from hoodoo.metadata_table.partition_kind import PartitionKind
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import INDEX_DEFINITIONS
from hoodoo.schema.columns import field_at
from hoodoo.schema.consistency import columns_of
from hoodoo.schema.meta_columns import COMMIT_TIME, META_COLUMNS, PARTITION_PATH, RECORD_KEY, with_meta
from hoodoo.storage import Missing, Storage, join
from hoodoo.timeline import Timeline

__all__ = ["IndexedColumns", "latest_columns"]

_ALWAYS = (COMMIT_TIME, PARTITION_PATH, RECORD_KEY)
_MOST = 32
_DEFINED = 8
"""The table version from which on a definition names the indexed columns."""
_COMPARED = 3
"""Number of base files that are examined for columns without statistics, in a table without a definition."""


@frozen
class IndexedColumns:
    """Choice of the columns with statistics.

    A reader of Hudi assumes that a column without statistics has only nulls in a file that has statistics of another
    column. Therefore a file has statistics of each chosen column that it contains.

    Attributes:
        version: The version of the statistics: 1, or 2 from table version 9 on.
        names: The columns that the definition of the index names; None for all columns whose types have statistics, in
            tables without a definition.
        without: Columns that have no statistics although their types permit them; empty if `names` is not None.
    """

    version: int
    names: tuple[str, ...] | None = None
    without: frozenset[str] = frozenset()

    @classmethod
    def load(cls, metadata_table: MetadataTable, change: TableChange) -> IndexedColumns:
        """Return the columns of a table.

        From table version 8 on, the definition of the index names them. Without it, all columns whose types have
        statistics are indexed, except those that a few examined files contain without statistics: the option with
        which Hudi limits the columns is not stored.

        Args:
            metadata_table: The metadata table.
            change: The change that is recorded, whose partitions are examined.

        Raises:
            CorruptTableError: The definitions cannot be read, or a file of the table or metadata table is damaged.
            UnsupportedTable: An examined file cannot be read.
        """
        storage, table = metadata_table.storage, metadata_table.table
        definition = _definition(storage, table)
        if definition is None:
            return cls(_default_version(table), None, _left_out(storage, metadata_table, change))
        names = tuple(str(name) for name in definition.get("sourceFields") or ())
        version = definition.get("version") or f"V{_default_version(table)}"
        return cls(1 if version == "V1" else 2, names)

    @classmethod
    def chosen(cls, table: TableProperties, schema: pa.Schema, columns: Sequence[str] = ()) -> IndexedColumns:
        """Return the columns of a new index.

        Args:
            table: The properties of the table.
            schema: The columns of the table; without columns if they are not known yet.
            columns: The choice of the user; () for the first 32 columns that can have statistics, and before table
                version 8 for all of them.

        Raises:
            SchemaError: The table has no such column, or the type of a column has no statistics.
        """
        version = _default_version(table)
        plain = [field.name for field in schema if field.name not in META_COLUMNS and _is_plain(field, version)]
        for name in columns if len(schema) else ():
            found = field_at(schema, name)
            if found is None or not _is_plain(found, version):
                reason = "which the table lacks" if found is None else f"whose type {found.type} has no statistics"
                raise SchemaError(
                    f"'hoodie.metadata.index.column.stats.column.list' has column '{name}', {reason}; name some "
                    f"of the columns that can have statistics: {', '.join(plain)}",
                    code="unknown_column",
                )
        if table.version < _DEFINED and not columns:
            return cls(version)
        first = _ALWAYS if table.populate_meta_fields else ()
        return cls(version, tuple(dict.fromkeys((*first, *(columns or plain[:_MOST])))))

    def of(self, schema: pa.Schema) -> list[str]:
        """Return the names of the indexed columns that a file with the given schema contains.

        If a definition names the first columns of the table, the user did not choose them: Hudi adds new columns of the
        schema, up to the 32nd.
        """
        plain = [field for field in schema if field.name not in META_COLUMNS and _is_plain(field, self.version)]
        if self.names is None:
            own = [field.name for field in plain if field.name not in self.without]
            return [name for name in META_COLUMNS if name in schema.names and name not in self.without] + own
        chosen = [name for name in self.names if field_at(schema, name) is not None]
        mine = [name for name in self.names if name not in _ALWAYS]
        for first in ([f.name for f in plain], [f.name for f in plain if not _is_bytes(f.type)]):
            if mine == first[: len(mine)]:
                return chosen + first[len(mine) : _MOST]
        return chosen


def latest_columns(table: TableProperties, timeline: Timeline) -> pa.Schema:
    """Return the columns of the table, with meta columns, from the newest commit that has a schema.

    If no commit has a schema, return those with which the table was created; without them, the result has no columns.
    """
    schemas = (timeline.commit_outline(instant).schema for instant in reversed(timeline.commits))
    text = next(filter(None, schemas), table.create_schema)
    return with_meta(columns_of(text)) if text else pa.schema([])


def _definition(storage: Storage, table: TableProperties) -> Mapping[str, Any] | None:
    path = table.get(INDEX_DEFINITIONS)
    if not path:
        return None
    try:
        return definitions_in(read_document(storage, path)).get(PartitionKind.COLUMN_STATS)
    except Missing:
        return None


def _default_version(table: TableProperties) -> int:
    return 1 if table.version < 9 else 2


def _is_plain(field: pa.Field, version: int) -> bool:
    return stored_type(field.type, version) is not None


def _is_bytes(type_: pa.DataType) -> bool:
    """Return whether Hudi's writers of Spark rows leave out a column of this type by default."""
    return bool(pa.types.is_binary(type_) or pa.types.is_fixed_size_binary(type_) or pa.types.is_decimal(type_))


def _left_out(storage: Storage, metadata_table: MetadataTable, change: TableChange) -> frozenset[str]:
    """Return the columns that a few indexed base files contain without statistics."""
    partitions = sorted({stat.partition_path or "" for stat in change.stats} | set(change.removed))
    lacking: set[str] = set()
    compared = 0
    for partition, files in metadata_table.files_of(partitions).items():
        for name in files:
            if compared == _COMPARED:
                return frozenset(lacking)
            path = join(partition, name)
            if BaseFileName.parse(name) is None or not storage.exists(path):
                continue
            with open_base_file(storage, path) as file:
                columns = file.schema_arrow.names
            keys = {stats_key(column, partition, name).encode(): column for column in columns}
            there = _existing(metadata_table, set(keys))
            if there:
                compared += 1
                lacking |= {column for key, column in keys.items() if key not in there}
    return frozenset(lacking)


def _existing(metadata_table: MetadataTable, keys: set[bytes]) -> set[bytes]:
    found: set[bytes] = set()
    for shard in metadata_table.shards(PartitionKind.COLUMN_STATS):
        for layer in layers(metadata_table.storage, shard, metadata_table.visible, Selection(keys=keys)):
            found.update(layer.cells.keys.to_pylist())
    return found & keys
