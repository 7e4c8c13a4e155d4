"""Avro schema of the records of a data block, from the header of the block."""

from __future__ import annotations

from hoodoo.errors import CorruptTableError, SchemaError, UnsupportedTable
from hoodoo.format.avro.resolved_schema import AvroSchema, parse_schema
from hoodoo.format.log.block import LogBlock

__all__ = ["block_schema"]


def block_schema(block: LogBlock) -> AvroSchema:
    """Return the schema of the records of a block.

    Raises:
        CorruptTableError: The header has no schema, or an invalid one.
        UnsupportedTable: The schema is not that of a record, a column has a type that Arrow tables cannot hold, or a
            record has no fields.
    """
    text = block.schema_text
    if text is None:
        raise CorruptTableError(
            f"{block} has no schema in its header; restore the file", file=block.file, offset=block.offset
        )
    try:
        return parse_schema(text)
    except SchemaError as error:
        raise UnsupportedTable(
            f"{block} has a schema that cannot be read: {error}; read the table with Hudi", code="log_block"
        ) from error
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = f": {error}" if isinstance(error, ValueError) else ""
        raise CorruptTableError(
            f"{block} has an invalid Avro schema{reason}; restore the file", file=block.file, offset=block.offset
        ) from error
