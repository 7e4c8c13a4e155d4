"""The properties of a new table, of version 6 or 9."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from hoodoo.properties.table_properties import LAYOUT_OF_VERSION, table_checksum
from hoodoo.schema.avro_encode import to_avro
from hoodoo.schema.meta_columns import without_meta

__all__ = ["KEYGEN_TYPES", "new_table_properties"]

_KEYGEN_PACKAGE = "org.apache.hudi.keygen."

KEYGEN_TYPES = {
    "SimpleKeyGenerator": "SIMPLE",
    "ComplexKeyGenerator": "COMPLEX",
    "NonpartitionedKeyGenerator": "NON_PARTITION",
    "TimestampBasedKeyGenerator": "TIMESTAMP",
    "CustomKeyGenerator": "CUSTOM",
    "GlobalDeleteKeyGenerator": "GLOBAL_DELETE",
}
"""What later table versions store for a key generator of Hudi's, by its class without the package."""


def new_table_properties(
    name: str,
    *,
    schema: pa.Schema,
    record_key: Sequence[str],
    keygen_class: str,
    partition_by: Sequence[str] = (),
    ordering: Sequence[str] = (),
    table_type: str = "COPY_ON_WRITE",
    database: str = "default",
    hive_style: bool = False,
    url_encode: bool = False,
    payload_class: str | None = None,
    strategy_id: str | None = None,
    merge_mode: str | None = None,
    version: int = 6,
    timezone: str = "UTC",
    extra: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """What `hoodie.properties` of a new table holds.

    No entry names a metadata table, so that readers list the files themselves.

    Args:
        name: The table's name.
        schema: The Arrow schema of the data; meta columns in it are ignored.
        record_key: Key columns.
        keygen_class: Java class name of the key generator.
        partition_by: Partition columns; none for a table without partitions.
        ordering: Ordering columns.
        table_type: COPY_ON_WRITE or MERGE_ON_READ.
        database: Enters the checksum.
        hive_style: Partition paths say `column=value`.
        url_encode: Partition values are percent-encoded in paths.
        payload_class: Java class name of the payload. Version 9 keeps it as what the table was made with, and runs it
            only where the merge mode is CUSTOM.
        strategy_id: UUID of the merge strategy.
        merge_mode: COMMIT_TIME_ORDERING, EVENT_TIME_ORDERING or CUSTOM; version 9 needs it, version 6 has none.
        version: The table version, 6 or 9.
        timezone: The time zone of instants: UTC, or LOCAL for that of each writer.
        extra: Further entries: `hoodie.keygen.timebased.*`, `hoodoo.*`.
    """
    entries = {
        "hoodie.table.name": name,
        "hoodie.database.name": database,
        "hoodie.table.type": table_type,
        "hoodie.table.version": str(version),
        "hoodie.timeline.layout.version": str(LAYOUT_OF_VERSION[version]),
        "hoodie.table.base.file.format": "PARQUET",
        "hoodie.table.timeline.timezone": timezone,
        "hoodie.archivelog.folder": "archived",
        "hoodie.datasource.write.hive_style_partitioning": _text(hive_style),
        "hoodie.datasource.write.partitionpath.urlencode": _text(url_encode),
        "hoodie.datasource.write.drop.partition.columns": "false",
        "hoodie.table.create.schema": to_avro(without_meta(schema), name, null_first=False),
        "hoodie.table.checksum": table_checksum(name, database),
    }
    optional: dict[str, str | None] = {
        "hoodie.table.recordkey.fields": ",".join(record_key),
        "hoodie.table.partition.fields": ",".join(partition_by),
    }
    if version == 6:
        optional |= {
            "hoodie.table.keygenerator.class": keygen_class,
            "hoodie.table.precombine.field": ",".join(ordering),
            "hoodie.compaction.payload.class": payload_class,
            "hoodie.compaction.record.merger.strategy": strategy_id,
        }
    else:
        optional |= _later(version, keygen_class, ordering, payload_class, strategy_id, merge_mode)
    entries.update({key: value for key, value in optional.items() if value})
    entries.update(extra or {})
    return entries


def _later(
    version: int,
    keygen_class: str,
    ordering: Sequence[str],
    payload_class: str | None,
    strategy_id: str | None,
    merge_mode: str | None,
) -> dict[str, str | None]:
    """What versions from 9 on have, or call by another name."""
    keygen_type = KEYGEN_TYPES.get(keygen_class.removeprefix(_KEYGEN_PACKAGE))
    custom = merge_mode == "CUSTOM"
    return {
        "hoodie.table.initial.version": str(version),
        "hoodie.table.format": "native",
        "hoodie.timeline.path": "timeline",
        "hoodie.timeline.history.path": "history",
        "hoodie.table.keygenerator.type": keygen_type or "USER_PROVIDED",
        "hoodie.table.keygenerator.class": None if keygen_type else keygen_class,
        "hoodie.table.ordering.fields": ",".join(ordering),
        "hoodie.record.merge.mode": merge_mode,
        "hoodie.record.merge.strategy.id": strategy_id,
        "hoodie.compaction.payload.class": payload_class if custom else None,
        "hoodie.table.legacy.payload.class": None if custom else payload_class,
    }


def _text(flag: bool) -> str:
    return "true" if flag else "false"
