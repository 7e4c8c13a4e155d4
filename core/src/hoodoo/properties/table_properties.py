"""Properties of a table as a mapping with typed access."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

from attrs import field, frozen

from hoodoo.errors import CorruptTableError, StorageError, UnsupportedTable
from hoodoo.properties.property_keys import (
    ARCHIVE_FOLDER,
    BASE_FILE_FORMAT,
    CREATE_SCHEMA,
    DATABASE,
    DROP_PARTITION_COLUMNS,
    HISTORY_PATH,
    HIVE_STYLE,
    KEYGEN_CLASS,
    KEYGEN_TYPE,
    LAYOUT_VERSION,
    MERGE_MODE,
    METADATA_PARTITIONS,
    OLD_STRATEGY_ID,
    ORDERING_FIELDS,
    PARTITION_FIELDS,
    PAYLOAD_CLASS,
    POPULATE_META_FIELDS,
    PRECOMBINE_FIELD,
    RECORD_KEY_FIELDS,
    STRATEGY_ID,
    TABLE_CHECKSUM,
    TABLE_NAME,
    TABLE_TYPE,
    TABLE_VERSION,
    TIMELINE_PATH,
    TIMEZONE,
    URL_ENCODE,
)
from hoodoo.storage import HOODIE_FOLDER, check_relative, join, name_of
from hoodoo.timeline.timeline import ARCHIVE_FOLDERS, TIMELINE_FOLDERS

__all__ = [
    "ARCHIVE_NAMES",
    "INDEX_DEFINITIONS_FOLDER",
    "LAYOUT_OF_VERSION",
    "METADATA_TABLE_FOLDER",
    "PROPERTIES_FILE",
    "TIMELINE_NAME",
    "TableProperties",
    "table_checksum",
]

PROPERTIES_FILE = f"{HOODIE_FOLDER}/hoodie.properties"

METADATA_TABLE_FOLDER = f"{HOODIE_FOLDER}/metadata"
"""Folder of the metadata table, which is a table itself."""

INDEX_DEFINITIONS_FOLDER = f"{HOODIE_FOLDER}/.index_defs"
"""Default folder of the file with the definitions of indexes."""

TIMELINE_NAME = name_of(TIMELINE_FOLDERS[2])
"""Default name of the folder of the instants in timeline layout 2."""

ARCHIVE_NAMES = {layout: name_of(folder) for layout, folder in ARCHIVE_FOLDERS.items()}
"""Default names of the folder of archived instants, by timeline layout."""

LAYOUT_OF_VERSION = {6: 1, 8: 2, 9: 2}
"""The table versions that can be read, with the timeline layout that belongs to each."""


_OF_METADATA = "_metadata"
"""End of the name of a metadata table."""


def table_checksum(name: str, database: str = "") -> str:
    """Return `hoodie.table.checksum`: CRC-32 over `<database>.<name>` as an unsigned decimal."""
    return str(zlib.crc32(f"{database}.{name}".encode()))


def _copy(entries: Mapping[str, str]) -> Mapping[str, str]:
    return dict(entries)


@frozen(eq=False, repr=False)
class TableProperties(Mapping[str, str]):
    """Mapping of the entries of `hoodie.properties`, with typed properties for entries that a reader needs.

    A flag that is not stored is false, except `populate_meta_fields`, which is true then. A property raises
    `CorruptTableError` if its flag, number, folder or time zone is malformed.

    Attributes:
        entries: The entries.
        file: The table-relative path of the file, for messages.
    """

    entries: Mapping[str, str] = field(converter=_copy)
    file: str = PROPERTIES_FILE

    def __getitem__(self, key: str) -> str:
        return self.entries[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"TableProperties({dict(self.entries)!r})"

    def check(self) -> None:
        """Raise if required properties are missing or malformed, or the table is not supported.

        Raises:
            CorruptTableError: A required key is missing, a number is malformed, the table type is unknown, or the
                checksum does not match.
            UnsupportedTable: The table version is not supported, the layout does not belong to it, the format of base
                files is not supported, or the table is a metadata table.
        """
        for key in (TABLE_NAME, TABLE_TYPE, TABLE_VERSION):
            if not self.get(key):
                raise CorruptTableError(f"'{self.file}' has no '{key}'; restore the file", file=self.file)
        expected = table_checksum(self.name, self.database)
        if self.checksum is not None and self.checksum != expected:
            raise CorruptTableError(
                f"'{self.file}': hoodie.table.checksum is {self.checksum}, but the checksum of the table's name and "
                f"database is {expected}; restore the file",
                file=self.file,
            )
        if self.version not in LAYOUT_OF_VERSION or self.layout_version != LAYOUT_OF_VERSION[self.version]:
            supported = ", ".join(f"{version} (layout {layout})" for version, layout in LAYOUT_OF_VERSION.items())
            raise UnsupportedTable(
                f"table '{self.name}' has version {self.version} with timeline layout {self.layout_version}; "
                f"supported versions: {supported}; upgrade or downgrade the table with Hudi",
                code="table_version",
            )
        if self.table_type not in ("COPY_ON_WRITE", "MERGE_ON_READ"):
            raise CorruptTableError(
                f"'{self.file}': hoodie.table.type is {self.table_type!r}, expected COPY_ON_WRITE or MERGE_ON_READ; "
                "restore the file",
                file=self.file,
            )
        if self.base_file_format == "HFILE" and self.name.endswith(_OF_METADATA):
            of = self.name.removesuffix(_OF_METADATA)
            raise UnsupportedTable(
                f"'{self.name}' is the metadata table of table '{of}': an index of its files, without its rows; read "
                "the table itself, two folders above; `hoodoo table files` shows its files",
                code="metadata_table",
            )
        if self.base_file_format not in ("PARQUET", "LANCE"):
            raise UnsupportedTable(
                f"table '{self.name}' has base files in {self.base_file_format}; only PARQUET and LANCE are "
                "supported; read it with Hudi",
                code="base_file_format",
            )

    @property
    def name(self) -> str:
        """Return the table's name; "" if it is not stored."""
        return self.entries.get(TABLE_NAME, "")

    @property
    def database(self) -> str:
        """Return the database's name; "" if the table has none."""
        return self.entries.get(DATABASE, "")

    @property
    def version(self) -> int:
        """Return the table version; 0 if it is not stored."""
        return self._integer(TABLE_VERSION, 0)

    @property
    def layout_version(self) -> int:
        """Return the version of the timeline's layout; 1 if it is not stored."""
        return self._integer(LAYOUT_VERSION, 1)

    @property
    def timeline_folder(self) -> str:
        """Return the folder of the timeline's instants, relative to the table."""
        if self.layout_version == 1:
            return HOODIE_FOLDER
        return self._folder(HOODIE_FOLDER, TIMELINE_PATH, TIMELINE_NAME)

    @property
    def archive_folder(self) -> str:
        """Return the folder of archived instants, relative to the table."""
        if self.layout_version == 1:
            return self._folder(HOODIE_FOLDER, ARCHIVE_FOLDER, ARCHIVE_NAMES[1])
        return self._folder(self.timeline_folder, HISTORY_PATH, ARCHIVE_NAMES[2])

    @property
    def table_type(self) -> str:
        """Return the table type in upper case: COPY_ON_WRITE or MERGE_ON_READ; "" if it is not stored."""
        return self.entries.get(TABLE_TYPE, "").upper()

    @property
    def record_key(self) -> tuple[str, ...]:
        """Return the columns of the record key; () if there are none."""
        return self._list(RECORD_KEY_FIELDS)

    @property
    def partition_by(self) -> tuple[str, ...]:
        """Return the partition columns, without the kinds of a custom key generator; () if there are none."""
        return tuple(column.partition(":")[0] for column in self._list(PARTITION_FIELDS))

    @property
    def ordering(self) -> tuple[str, ...]:
        """Return the ordering columns; () if there are none."""
        return self._list(ORDERING_FIELDS) or self._list(PRECOMBINE_FIELD)

    @property
    def keygen(self) -> str | None:
        """Return the key generator, a Java class name or, in later table versions, a type; None if it is not stored."""
        return self.get(KEYGEN_CLASS) or self.get(KEYGEN_TYPE)

    @property
    def hive_style(self) -> bool:
        """Return whether partition paths have the form `column=value`."""
        return self._boolean(HIVE_STYLE, False)

    @property
    def url_encode(self) -> bool:
        """Return whether partition values are percent-encoded in paths."""
        return self._boolean(URL_ENCODE, False)

    @property
    def populate_meta_fields(self) -> bool:
        """Return whether the meta columns are filled."""
        return self._boolean(POPULATE_META_FIELDS, True)

    @property
    def drop_partition_columns(self) -> bool:
        """Return whether partition columns are left out of the data files."""
        return self._boolean(DROP_PARTITION_COLUMNS, False)

    @property
    def payload_class(self) -> str | None:
        """Return the Java class name of the payload; None if it is not stored."""
        return self.get(PAYLOAD_CLASS)

    @property
    def merge_mode(self) -> str | None:
        """Return the merge mode, COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM; None if it is not stored."""
        return self.get(MERGE_MODE)

    @property
    def strategy_id(self) -> str | None:
        """Return the UUID of the merge strategy, from its new or its old key; None if it is not stored."""
        return self.get(STRATEGY_ID) or self.get(OLD_STRATEGY_ID)

    @property
    def base_file_format(self) -> str:
        """Return the format of base files; PARQUET if it is not stored."""
        return self.entries.get(BASE_FILE_FORMAT, "PARQUET").upper()

    @property
    def create_schema(self) -> str | None:
        """Return the Avro schema with which the table was created; None if it is not stored.

        It applies until the first commit.
        """
        return self.get(CREATE_SCHEMA)

    @property
    def timezone(self) -> str:
        """Return the time zone of instants: UTC, or LOCAL for that of the writers; LOCAL if none is stored, as in Hudi.

        Raises:
            CorruptTableError: Another time zone is stored.
        """
        zone = self.entries.get(TIMEZONE, "").strip().upper() or "LOCAL"
        if zone not in ("UTC", "LOCAL"):
            raise CorruptTableError(
                f"'{self.file}': hoodie.table.timeline.timezone is {zone!r}, expected UTC or LOCAL; restore the file",
                file=self.file,
            )
        return zone

    @property
    def checksum(self) -> str | None:
        """Return the stored checksum; None if it is not stored."""
        return self.get(TABLE_CHECKSUM)

    @property
    def metadata_partitions(self) -> tuple[str, ...]:
        """Return the partitions of the metadata table that readers use; empty without a metadata table."""
        return self._list(METADATA_PARTITIONS)

    def under(self, prefix: str) -> dict[str, str]:
        """Return the entries whose keys begin with a prefix, such as "hoodoo.", by the rest of the key."""
        return {key[len(prefix) :]: value for key, value in self.entries.items() if key.startswith(prefix)}

    def _folder(self, parent: str, key: str, default: str) -> str:
        folder = self.entries.get(key, default).strip("/")
        try:
            return check_relative(join(parent, folder), "folder")
        except StorageError as error:
            raise CorruptTableError(f"'{self.file}': {key}: {error}; restore the file", file=self.file) from error

    def _list(self, key: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self.entries.get(key, "").split(",") if part.strip())

    def _boolean(self, key: str, default: bool) -> bool:
        text = self.entries.get(key, "").strip().lower()
        if text not in ("", "true", "false"):
            raise CorruptTableError(
                f"'{self.file}': {key} is {text!r}, expected true or false; restore the file", file=self.file
            )
        return text == "true" if text else default

    def _integer(self, key: str, default: int) -> int:
        text = self.entries.get(key, "").strip()
        try:
            return int(text) if text else default
        except ValueError as error:
            raise CorruptTableError(
                f"'{self.file}': {key} is {text!r}, expected a whole number; restore the file", file=self.file
            ) from error
