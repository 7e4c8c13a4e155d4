"""Choice of the operation of a write, by its options, its mode and the keys of its table."""

from __future__ import annotations

from attrs import evolve

from hoodoo.caller import warn_caller
from hoodoo.errors import OptionError, PluginError
from hoodoo.options import NoEffectWarning, Options, RuleOptions, WriteOptions
from hoodoo.plugin.base import PayloadMembers
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.properties import TableProperties
from hoodoo.table_rules.stored_rule import stored_rule
from hoodoo.writing.prepare.bootstrap_checks import copying

__all__ = ["chosen_operation", "deleting", "overwriting"]

_WITHOUT_STORED_KEYS = ("insert_overwrite", "insert_overwrite_table", "delete", "delete_partition")


def chosen_operation(options: Options, *, keyless: bool) -> WriteOptions:
    """Return the options of a write with the operation that Hudi chooses for them.

    Args:
        options: All options.
        keyless: Whether the table has no record key columns, so that each row gets a new key.

    Raises:
        OptionError: The options of a bootstrap are incomplete or invalid, or do not select a copy of all rows.
    """
    write = copying(options)
    if keyless and not options.has("operation"):
        return evolve(write, operation="bulk_insert")
    if keyless and write.operation == "upsert" and not write.drop_duplicates:
        warn_caller(
            "the table has no record key columns, so that each row gets a new key: operation upsert finds none of them "
            "in the table and inserts all rows, as in Hudi; give 'record_key' when the table is created, if rows are "
            "to be updated",
            NoEffectWarning,
        )
        return evolve(write, operation="insert", combine_before_insert=False)
    if write.operation == "upsert" and (write.drop_duplicates or write.dup_policy in ("drop", "fail")):
        named = "drop_duplicates" if write.drop_duplicates else "dup_policy"
        if options.has("operation"):
            warn_caller(
                f"'{named}' applies to rows whose keys are stored and belongs to operation insert, which takes the "
                "place of operation upsert, as in Hudi; set 'operation' to insert",
                NoEffectWarning,
            )
        combines = write.combine_before_insert or write.drop_duplicates
        return evolve(write, operation="insert", combine_before_insert=combines)
    if write.drop_duplicates and write.operation in _WITHOUT_STORED_KEYS:
        warn_caller(
            "'drop_duplicates' leaves out rows whose keys are stored, which operation "
            f"{write.operation} does not look up: as in Hudi the option merges incoming rows of one key only; "
            "leave it out, and set 'combine_before_insert' to merge such rows",
            NoEffectWarning,
        )
        return evolve(write, drop_duplicates=False, combine_before_insert=True)
    return write


def deleting(
    options: Options, write: WriteOptions, stored: TableProperties, catalogue: Catalogue
) -> tuple[Options, WriteOptions, bool]:
    """Return the options of a write whose payload deletes every key, as operation `delete` without the payload.

    This applies to a table with another rule; the options of other writes are not changed. Releases of Hudi before 1.0
    delete the rows of such an upsert. In tables of version 9, the upsert would store them, because these tables ignore
    a payload.

    Returns:
        All options, the options of the write, and whether it is such a write, which ignores ordering values.
    """
    given = options[RuleOptions]
    if not given.payload or given.merger or write.operation not in ("upsert", "delete") or stored.version >= 9:
        return options, write, False
    try:
        payload = catalogue.load("payload", given.payload)
        rule = stored_rule(stored, catalogue)
        kept = None if rule is None else (rule[0], catalogue.find(*rule[:2]).name)
    except PluginError:
        return options, write, False  # the choice of the rule raises the error, together with others
    if kept == ("payload", payload.info.name) or not payload.declared(PayloadMembers).deletes_every_key:
        return options, write, False
    if write.operation == "upsert":
        warn_caller(
            f"payload '{payload.info.name}' deletes the row of every key: the write is operation delete, and the table "
            "keeps its rule; set 'operation' to delete, and leave 'payload' out",
            NoEffectWarning,
        )
    return options.replaced(evolve(given, payload=None)), evolve(write, operation="delete"), True


def overwriting(write: WriteOptions) -> WriteOptions:
    """Return the options of a write in mode overwrite, whose rows replace all stored rows in one commit.

    Raises:
        OptionError: The operation is `delete` or `delete_partition`.
    """
    if write.operation in ("delete", "delete_partition"):
        raise OptionError(
            f"mode 'overwrite' replaces the whole table, and operation is '{write.operation}'; use mode 'append'"
        )
    combines = write.combine_before_insert or write.operation == "upsert"
    return evolve(write, operation="insert_overwrite_table", combine_before_insert=combines)
