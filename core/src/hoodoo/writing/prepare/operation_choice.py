"""The operation of a write, by its options, its mode and the keys of its table."""

from __future__ import annotations

from attrs import evolve

from hoodoo.caller import warn_caller
from hoodoo.errors import OptionError
from hoodoo.options import NoEffectWarning, Options, WriteOptions

__all__ = ["chosen_operation", "overwriting"]


def chosen_operation(options: Options, *, keyless: bool) -> WriteOptions:
    """Return the options of a write with the operation that Hudi chooses for them.

    Args:
        options: All options.
        keyless: Whether the table has no record key columns, so that each row gets a new key.
    """
    write = options[WriteOptions]
    if keyless and not options.has("operation"):
        return evolve(write, operation="bulk_insert")
    if write.drop_duplicates and write.operation == "upsert":
        if options.has("operation"):
            warn_caller(
                "'drop_duplicates' leaves out rows whose keys are stored, which is operation insert: it takes the "
                "place of operation upsert, as in Hudi",
                NoEffectWarning,
            )
        return evolve(write, operation="insert", combine_before_insert=True)
    return write


def overwriting(write: WriteOptions) -> WriteOptions:
    """Return the options of a write in mode overwrite, whose rows replace all stored rows in one commit."""
    if write.operation in ("delete", "delete_partition"):
        raise OptionError(f"mode 'overwrite' replaces the whole table, and operation is '{write.operation}'; append")
    combines = write.combine_before_insert or write.operation == "upsert"
    return evolve(write, operation="insert_overwrite_table", combine_before_insert=combines)
