"""The properties of a new table, of version 6, 8 or 9."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
from attrs import frozen

from hoodoo.properties import property_keys as keys
from hoodoo.properties.table_properties import ARCHIVE_NAMES, LAYOUT_OF_VERSION, TIMELINE_NAME, table_checksum
from hoodoo.record import KeyConfig
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import without_meta

__all__ = ["KEYGEN_TYPES", "NewKeys", "NewRule", "NewTable", "new_table_properties"]

_KEYGEN_PACKAGE = "org.apache.hudi.keygen."

KEYGEN_TYPES = {
    "SimpleKeyGenerator": "SIMPLE",
    "ComplexKeyGenerator": "COMPLEX",
    "NonpartitionedKeyGenerator": "NON_PARTITION",
    "TimestampBasedKeyGenerator": "TIMESTAMP",
    "CustomKeyGenerator": "CUSTOM",
    "GlobalDeleteKeyGenerator": "GLOBAL_DELETE",
}
"""The type that later table versions store for a key generator of Hudi, by its class without the package."""


@frozen
class NewTable:
    """Table to create.

    Attributes:
        name: Name of the table.
        schema: The data columns; meta columns are ignored.
        table_type: COPY_ON_WRITE or MERGE_ON_READ.
        database: Name of the database, which enters the checksum; empty for none. SQL of Hudi refuses to write to a
            table that a catalog lists in another database.
        version: The table version: 6, 8 or 9.
        timezone: Time zone of instants: UTC, or LOCAL for that of each writer.
    """

    name: str
    schema: pa.Schema
    table_type: str = "COPY_ON_WRITE"
    database: str = ""
    version: int = 6
    timezone: str = "UTC"


@frozen
class NewKeys:
    """Record keys and partition paths of a table to create.

    Attributes:
        config: The columns, and the form of partition paths.
        keygen_class: Java class name of the key generator.
    """

    config: KeyConfig
    keygen_class: str


@frozen
class NewRule:
    """Merge rule of a table to create, in terms of Hudi's properties.

    Attributes:
        ordering: Ordering columns.
        payload_class: Java class name of the payload; None for a rule without one. Versions from 8 on store it as the
            legacy payload, which is not run, unless the merge mode is CUSTOM.
        strategy_id: UUID of the merge strategy; None for a rule without one.
        merge_mode: COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM. Versions from 8 on need it, and version 6 does
            not store it.
    """

    ordering: tuple[str, ...] = ()
    payload_class: str | None = None
    strategy_id: str | None = None
    merge_mode: str | None = None


def new_table_properties(
    table: NewTable, new_keys: NewKeys, rule: NewRule = NewRule(), extra: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Return the entries of `hoodie.properties` of a new table.

    No entry names a metadata table, so that readers list the files themselves.

    Args:
        table: The name, columns, type and version of the table.
        new_keys: Record keys and partition paths.
        rule: The merge rule, as far as Hudi's properties can express it.
        extra: Further entries: `hoodie.keygen.timebased.*`, `hoodoo.*`. They replace others of the same key.
    """
    config = new_keys.config
    entries = {
        keys.TABLE_NAME: table.name,
        **({keys.DATABASE: table.database} if table.database else {}),
        keys.TABLE_TYPE: table.table_type,
        keys.TABLE_VERSION: str(table.version),
        keys.LAYOUT_VERSION: str(LAYOUT_OF_VERSION[table.version]),
        keys.BASE_FILE_FORMAT: "PARQUET",
        keys.TIMEZONE: table.timezone,
        keys.ARCHIVE_FOLDER: ARCHIVE_NAMES[1],
        keys.HIVE_STYLE: _text(config.hive_style),
        keys.URL_ENCODE: _text(config.url_encode),
        keys.DROP_PARTITION_COLUMNS: "false",
        keys.CREATE_SCHEMA: to_avro(without_meta(table.schema), table.name, null_first=False),
        keys.TABLE_CHECKSUM: table_checksum(table.name, table.database),
    }
    optional: dict[str, str | None] = {keys.RECORD_KEY_FIELDS: ",".join(config.record_key)}
    optional |= _version_6(new_keys, rule) if table.version == 6 else _version_9(table.version, new_keys, rule)
    if table.version == 8:
        # Hudi 1.0 has the entries of version 9 except for these names
        optional |= {keys.ORDERING_FIELDS: None, keys.PRECOMBINE_FIELD: ",".join(rule.ordering)}
    entries.update({key: value for key, value in optional.items() if value})
    entries.update(extra or {})
    return entries


def _version_6(new_keys: NewKeys, rule: NewRule) -> dict[str, str | None]:
    """Return the entries of keys, partitions and the merge rule in version 6, which stores no kinds of partitions."""
    return {
        keys.PARTITION_FIELDS: ",".join(new_keys.config.partition_columns),
        keys.KEYGEN_CLASS: new_keys.keygen_class,
        keys.PRECOMBINE_FIELD: ",".join(rule.ordering),
        keys.PAYLOAD_CLASS: rule.payload_class,
        keys.OLD_STRATEGY_ID: rule.strategy_id,
    }


def _version_9(version: int, new_keys: NewKeys, rule: NewRule) -> dict[str, str | None]:
    """Return the entries of keys, partitions and the merge rule in version 9, and those that version 6 lacks."""
    keygen_type = KEYGEN_TYPES.get(new_keys.keygen_class.removeprefix(_KEYGEN_PACKAGE))
    custom = rule.merge_mode == "CUSTOM"
    return {
        keys.INITIAL_VERSION: str(version),
        keys.TABLE_FORMAT: "native",
        keys.TIMELINE_PATH: TIMELINE_NAME,
        keys.HISTORY_PATH: ARCHIVE_NAMES[2],
        keys.PARTITION_FIELDS: ",".join(new_keys.config.partition_by),
        keys.KEYGEN_TYPE: keygen_type or "USER_PROVIDED",
        keys.KEYGEN_CLASS: None if keygen_type else new_keys.keygen_class,
        keys.ORDERING_FIELDS: ",".join(rule.ordering),
        keys.MERGE_MODE: rule.merge_mode,
        keys.STRATEGY_ID: rule.strategy_id,
        keys.PAYLOAD_CLASS: rule.payload_class if custom else None,
        keys.LEGACY_PAYLOAD_CLASS: None if custom else rule.payload_class,
    }


def _text(flag: bool) -> str:
    return "true" if flag else "false"
