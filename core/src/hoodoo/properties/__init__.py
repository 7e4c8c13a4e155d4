"""`hoodie.properties`: what a table is."""

from hoodoo.properties.new import new_table_properties
from hoodoo.properties.store import create_properties, load_properties, update_properties
from hoodoo.properties.table import LAYOUT_OF_VERSION, TableProperties, table_checksum
from hoodoo.properties.text import dump_properties, parse_properties

__all__ = [
    "LAYOUT_OF_VERSION",
    "TableProperties",
    "create_properties",
    "dump_properties",
    "load_properties",
    "new_table_properties",
    "parse_properties",
    "table_checksum",
    "update_properties",
]
