"""The record keys of stored rows."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc
from attrs import frozen

from hoodoo.errors import CorruptTableError, DataError
from hoodoo.keys import composite_keys, plain_keys
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
from hoodoo.table_rules.stored_rule import field_names

__all__ = ["StoredKeys", "key_config"]

_PLAIN = ("simple", "nonpartitioned", "non_partition", "timestamp")
"""How the names of Hudi's key generators begin by which a single key column is the key."""

_COMPOSITE = ("complex", "globaldelete", "globalavrodelete")
"""How those begin by which even a single key column is named in the key, without underscores."""


@frozen
class StoredKeys:
    """How the key of a stored row is found.

    Attributes:
        config: Names the columns that it is made of where the table leaves its meta columns empty; None where the meta
            column holds it.
        is_composite: Whether it is `column:value` parts rather than one column's text.
        twin: Where the meta column holds the key, the column that has the same text, if there is one.
    """

    config: KeyConfig | None = None
    is_composite: bool = False
    twin: str | None = None

    @classmethod
    def of_table(cls, properties: TableProperties) -> StoredKeys:
        """As the table's properties say."""
        generator = (properties.keygen or "").rpartition(".")[2].lower()
        if properties.populate_meta_fields:
            is_plain = generator.startswith(_PLAIN) and len(properties.record_key) == 1
            return cls(twin=properties.record_key[0] if is_plain else None)
        config = key_config(properties)
        return cls(config, len(config.record_key) > 1 or generator.replace("_", "").startswith(_COMPOSITE))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read for it, by dotted path."""
        return (RECORD_KEY,) if self.config is None else self.config.record_key

    def check(self, rows: pa.Table, where: str, *, file: str, offset: int) -> None:
        """Compare what rows that have no checksum hold twice, as far as it was read: the key, and the partition path.

        Raises:
            CorruptTableError: the key, or the partition that is in the path of the file, is another.
        """
        if self.twin is None:
            return
        expected: dict[str, pa.Array | pa.Scalar] = {PARTITION_PATH: pa.scalar(parent_of(file))}
        twin = column_at(rows, self.twin)
        if twin is not None and (pa.types.is_string(twin.type) or pa.types.is_integer(twin.type)):
            expected[RECORD_KEY] = twin.cast(pa.string())
        for name, values in expected.items():
            if name in rows.column_names and pc.any(pc.not_equal(rows.column(name), values)).as_py():
                raise CorruptTableError(
                    f"{where} is damaged: {name} of a record is not what it stands for", file=file, offset=offset
                )

    def of(self, rows: pa.Table, where: str, *, file: str, offset: int | None = None) -> pa.Array:
        """The key of each row.

        Raises:
            CorruptTableError: a row has none; `where`, `file` and `offset` say where it is stored.
        """
        if self.config is not None:
            try:
                return (
                    composite_keys(rows, self.config) if self.is_composite else plain_keys(rows, self.config, "simple")
                )
            except DataError as error:
                raise CorruptTableError(f"{where}: {error}", file=file, offset=offset) from error
        keys = one_array(rows.column(RECORD_KEY))
        if keys.null_count:
            raise CorruptTableError(f"{where} holds rows without {RECORD_KEY}", file=file, offset=offset)
        return keys


def key_config(properties: Mapping[str, str], complex_encoding: str = "field") -> KeyConfig:
    """How keys and partition paths of a table are made."""

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
