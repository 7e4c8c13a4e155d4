"""Properties of a new metadata table."""

from __future__ import annotations

from hoodoo.properties import LAYOUT_OF_VERSION, TableProperties, property_keys, table_checksum
from hoodoo.properties.table_properties import ARCHIVE_NAMES, TIMELINE_NAME

__all__ = ["new_properties"]

_PAYLOAD = "org.apache.hudi.metadata.HoodieMetadataPayload"
_KEYGEN = "org.apache.hudi.metadata.HoodieTableMetadataKeyGenerator"
_PAYLOAD_STRATEGY = "eeb8d96f-b1e4-49fd-bbf8-28ac514178e5"
_CUSTOM_STRATEGY = "00000000-0000-0000-0000-000000000000"


def new_properties(table: TableProperties) -> dict[str, str]:
    """Return the entries of `hoodie.properties` of a table's metadata table, as Hudi writes them."""
    name = f"{table.name}_metadata"
    entries = {
        property_keys.TABLE_NAME: name,
        property_keys.TABLE_TYPE: "MERGE_ON_READ",
        property_keys.TABLE_VERSION: str(table.version),
        property_keys.LAYOUT_VERSION: str(LAYOUT_OF_VERSION[table.version]),
        property_keys.BASE_FILE_FORMAT: "HFILE",
        property_keys.RECORD_KEY_FIELDS: "key",
        property_keys.PAYLOAD_CLASS: _PAYLOAD,
        property_keys.POPULATE_META_FIELDS: "false",
        property_keys.DROP_PARTITION_COLUMNS: "false",
        property_keys.TABLE_CHECKSUM: table_checksum(name),
    }
    if table.version == 6:
        return entries | {
            property_keys.ARCHIVE_FOLDER: ARCHIVE_NAMES[1],
            property_keys.KEYGEN_CLASS: _KEYGEN,
            property_keys.OLD_STRATEGY_ID: _PAYLOAD_STRATEGY,
        }
    return entries | {
        property_keys.INITIAL_VERSION: str(table.version),
        property_keys.TIMELINE_PATH: TIMELINE_NAME,
        property_keys.HISTORY_PATH: ARCHIVE_NAMES[2],
        property_keys.ARCHIVE_FOLDER: ARCHIVE_NAMES[2],
        property_keys.KEYGEN_TYPE: "HOODIE_TABLE_METADATA",
        property_keys.MERGE_MODE: "CUSTOM",
        property_keys.STRATEGY_ID: _CUSTOM_STRATEGY,
    }
