"""Properties of a table: `hoodie.properties`."""

from hoodoo.properties.java_properties import dump_properties, parse_properties
from hoodoo.properties.new_table import NewKeys, NewRule, NewTable, new_table_properties
from hoodoo.properties.properties_file import create_properties, load_properties, update_properties
from hoodoo.properties.table_properties import LAYOUT_OF_VERSION, METADATA_TABLE_FOLDER, TableProperties, table_checksum

__all__ = [
    "LAYOUT_OF_VERSION",
    "METADATA_TABLE_FOLDER",
    "NewKeys",
    "NewRule",
    "NewTable",
    "TableProperties",
    "create_properties",
    "dump_properties",
    "load_properties",
    "new_table_properties",
    "parse_properties",
    "table_checksum",
    "update_properties",
]
