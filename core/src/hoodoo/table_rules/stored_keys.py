"""The record keys of stored rows."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import CorruptTableError, DataError
from hoodoo.keys import composite_keys, plain_keys
from hoodoo.plugin.base import BaseKeyGenerator
from hoodoo.plugin.declarations import LoneKey
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.plugin.installed.official import is_official
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import (
    CONSISTENT_TIMESTAMPS,
    HIVE_STYLE,
    PARTITION_FIELDS,
    PARTITION_KINDS,
    RECORD_KEY_FIELDS,
    SLASH_DATE,
    URL_ENCODE,
)
from hoodoo.record import KeyConfig
from hoodoo.schema.columns import column_at, one_array
from hoodoo.schema.meta_columns import PARTITION_PATH, RECORD_KEY
from hoodoo.storage import parent_of
from hoodoo.table_rules.missing_plugins import naming_writers
from hoodoo.table_rules.stored_rule import field_names

__all__ = ["StoredKeys", "declared_keygen", "key_config"]


@frozen
class StoredKeys:
    """Columns that contain or form the keys of stored rows.

    Attributes:
        config: The columns from which keys are made, if the table leaves its meta columns empty; None if the meta
            column has the keys.
        is_composite: Whether a key consists of `column:value` parts rather than of one column's text.
        generator: The key generator, for messages; "" if they do not need it.
        twin: The column whose text equals the key in the meta column; None if there is no such column.
    """

    config: KeyConfig | None = None
    is_composite: bool = False
    twin: str | None = None
    generator: str = ""

    @classmethod
    def of_table(cls, properties: TableProperties, catalogue: Catalogue) -> StoredKeys:
        """Return the location of keys in a table, by its properties and the declarations of its key generator.

        Raises:
            UnknownPlugin: The table has one record key column and leaves its meta columns empty, and its key generator
                is an official plugin that is not installed.
            PluginError: The key generator is installed, and cannot be loaded or is not allowed.
        """
        lone = len(properties.record_key) == 1
        if properties.populate_meta_fields:
            declared = declared_keygen(properties, catalogue) if lone else None
            is_value = declared is not None and declared.lone_key is LoneKey.VALUE
            return cls(twin=properties.record_key[0] if is_value else None)
        config, keygen = key_config(properties), properties.keygen
        if not lone or keygen is None:
            return cls(config, is_composite=not lone)
        declared = declared_keygen(properties, catalogue)
        if declared is None and is_official("keygen", keygen):
            with naming_writers(properties):
                catalogue.find("keygen", keygen)  # raises UnknownPlugin
        named = declared is not None and declared.lone_key in (LoneKey.NAMED, LoneKey.BY_RELEASE)
        return cls(config, is_composite=named, generator=keygen)

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the columns from which keys are read, by dotted path."""
        return (RECORD_KEY,) if self.config is None else self.config.record_key

    def check(self, rows: pa.Table, where: str, *, file: str, offset: int) -> None:
        """Raise if a stored key differs from column `twin`, or a stored partition path from the folder of the file.

        Columns that were not read are not compared, nor is a `twin` that is neither string nor integer. Without `twin`,
        nothing is checked.

        Args:
            rows: The stored rows.
            where: The place of the rows, such as a log block, for the message.
            file: The table-relative path of the file; its folder is the expected partition path.
            offset: The position of the rows in the file, in bytes.

        Raises:
            CorruptTableError: A key or a partition path differs.
        """
        if self.twin is None:
            return
        twin = column_at(rows, self.twin)
        if twin is not None and (pa.types.is_string(twin.type) or pa.types.is_integer(twin.type)):
            differs = pc.not_equal(rows[RECORD_KEY], twin.cast(pa.string()))
            # a partial record has no value in the column
            if pc.any(differs).as_py():
                raise _damaged(where, RECORD_KEY, f"column '{self.twin}'", file, offset)
        if PARTITION_PATH in rows.column_names:
            differs = pc.not_equal(rows[PARTITION_PATH], pa.scalar(parent_of(file)))
            # no writer leaves it null
            if pc.any(pc.fill_null(differs, True)).as_py():
                raise _damaged(where, PARTITION_PATH, "the folder", file, offset)

    def of(self, rows: pa.Table, where: str, *, file: str, offset: int | None = None) -> pa.Array:
        """Return the key of each row: a string array without nulls.

        Args:
            rows: The stored rows.
            where: The place of the rows, such as a log block, for messages.
            file: The table-relative path of the file, for errors.
            offset: The position of the rows in the file, in bytes; None if it is unknown.

        Raises:
            CorruptTableError: A row has no key; the error names `where`, `file` and `offset`.
            SchemaError: A column of a composite key is absent, or a column has a type that cannot be part of a key.
        """
        if self.config is not None:
            try:
                if self.is_composite:
                    return composite_keys(rows, self.config)
                return plain_keys(rows, self.config, self.generator)
            except DataError as error:
                raise CorruptTableError(
                    f"{where} has rows whose values form no record key; restore the file", file=file, offset=offset
                ) from error
        keys = one_array(rows.column(RECORD_KEY))
        if keys.null_count:
            raise CorruptTableError(
                f"{where} has rows without {RECORD_KEY}; restore the file", file=file, offset=offset
            )
        return keys


def declared_keygen(properties: TableProperties, catalogue: Catalogue) -> type[BaseKeyGenerator] | None:
    """Return the class of the table's key generator; None if the table has none, or it is not installed.

    Raises:
        PluginError: The key generator is installed, and cannot be loaded or is not allowed.
    """
    info = None if properties.keygen is None else catalogue.found("keygen", properties.keygen)
    return None if info is None else catalogue.load("keygen", info.name).declared(BaseKeyGenerator)


def key_config(properties: Mapping[str, str], complex_encoding: str = "field") -> KeyConfig:
    """Return the columns and styles by which keys and partition paths of a table are made.

    Args:
        properties: The properties of the table, or of the table to create. A flag that is not stored is false.
        complex_encoding: The form of a complex key of one column: `field` (`id:1`) or `value` (`1`).
    """

    def flag(key: str) -> bool:
        return properties.get(key, "false").lower() == "true"

    return KeyConfig(
        record_key=field_names(properties.get(RECORD_KEY_FIELDS)),
        partition_by=field_names(properties.get(PARTITION_KINDS) or properties.get(PARTITION_FIELDS)),
        hive_style=flag(HIVE_STYLE),
        url_encode=flag(URL_ENCODE),
        slash_date=flag(SLASH_DATE),
        consistent_logical_timestamps=flag(CONSISTENT_TIMESTAMPS),
        complex_encoding=complex_encoding,
    )


def _damaged(where: str, name: str, source: str, file: str, offset: int) -> CorruptTableError:
    """Return the error for a stored value that differs from its source."""
    text = f"{where} is damaged: {name} of a record differs from {source}; restore the file"
    return CorruptTableError(text, file=file, offset=offset)
