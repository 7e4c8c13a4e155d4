"""The properties of a new table of version 6."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa

from hoodoo.properties.table import LAYOUT_OF_VERSION, table_checksum
from hoodoo.schema.avro import to_avro
from hoodoo.schema.meta import without_meta

__all__ = ["new_table_properties"]


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
        payload_class: Java class name of the payload.
        strategy_id: UUID of the merge strategy.
        extra: Further entries: `hoodie.keygen.timebased.*`, `hoodoo.*`.
    """
    version = 6
    entries = {
        "hoodie.table.name": name,
        "hoodie.database.name": database,
        "hoodie.table.type": table_type,
        "hoodie.table.version": str(version),
        "hoodie.timeline.layout.version": str(LAYOUT_OF_VERSION[version]),
        "hoodie.table.base.file.format": "PARQUET",
        "hoodie.table.timeline.timezone": "UTC",
        "hoodie.archivelog.folder": "archived",
        "hoodie.table.keygenerator.class": keygen_class,
        "hoodie.datasource.write.hive_style_partitioning": _text(hive_style),
        "hoodie.datasource.write.partitionpath.urlencode": _text(url_encode),
        "hoodie.datasource.write.drop.partition.columns": "false",
        "hoodie.table.create.schema": to_avro(without_meta(schema), name, null_first=False),
        "hoodie.table.checksum": table_checksum(name, database),
    }
    optional = {
        "hoodie.table.recordkey.fields": ",".join(record_key),
        "hoodie.table.partition.fields": ",".join(partition_by),
        "hoodie.table.precombine.field": ",".join(ordering),
        "hoodie.compaction.payload.class": payload_class,
        "hoodie.compaction.record.merger.strategy": strategy_id,
    }
    entries.update({key: value for key, value in optional.items() if value})
    entries.update(extra or {})
    return entries


def _text(flag: bool) -> str:
    return "true" if flag else "false"
