"""Checks of operation `bootstrap` that need no files: its mode, its key generator, and the timeline."""

from __future__ import annotations

import attrs
from attrs import evolve

from hoodoo.bootstrap.full_record import check_mode
from hoodoo.caller import warn_caller
from hoodoo.errors import OptionError, TableExists
from hoodoo.options import BootstrapOptions, KeyOptions, NoEffectWarning, Options, WriteOptions
from hoodoo.plugin.installed.catalogue import Catalogue
from hoodoo.timeline import Timeline
from hoodoo.txn import find_archived, find_committed

__all__ = ["bootstrap_keys", "check_first_commit", "copying"]


def copying(options: Options) -> WriteOptions:
    """Return the options of the write that copies the rows, with operation `bulk_insert` in place of `bootstrap`.

    The options of another operation are returned unchanged. Options of a bootstrap have no effect on it, as in Hudi;
    a warning names them.

    Raises:
        OptionError: The options of a bootstrap are incomplete or invalid, or do not select a copy of all rows.
    """
    write = options[WriteOptions]
    if write.operation == "bootstrap":
        check_mode(options[BootstrapOptions])
        return evolve(write, operation="bulk_insert")
    given = [each.name for each in attrs.fields(BootstrapOptions) if options.has(each.name)]
    if given:
        warn_caller(
            f"options of operation bootstrap have no effect on operation {write.operation}; leave out "
            f"{', '.join(map(repr, given))}",
            NoEffectWarning,
        )
    return write


def bootstrap_keys(options: Options, catalogue: Catalogue) -> KeyOptions:
    """Return the options of keys, with the key generator of `bootstrap_keygen` if the operation is `bootstrap`.

    Raises:
        OptionError: The options name two key generators.
        PluginError: A key generator is not installed.
    """
    keys, named = options[KeyOptions], options[BootstrapOptions].bootstrap_keygen
    if named is None or options[WriteOptions].operation != "bootstrap":
        return keys
    if keys.keygen is None:
        return evolve(keys, keygen=named)
    if catalogue.find("keygen", named).name != catalogue.find("keygen", keys.keygen).name:
        raise OptionError(
            f"'keygen' is {keys.keygen} and 'bootstrap_keygen' (hoodie.bootstrap.keygen.class) is {named}: the new "
            "table has one key generator for all its rows; leave one of these options out",
            code="contradiction",
        )
    return keys


def check_first_commit(timeline: Timeline, uri: str, write_id: str | None) -> None:
    """Raise if the table has commits, as in Hudi, unless one may be an earlier attempt at the same write.

    Args:
        timeline: The timeline of the table.
        uri: The location of the table, for the message.
        write_id: The id of the write; None without one.

    Raises:
        TableExists: The table has commits of other writes.
    """
    if not timeline.commits:
        return
    if write_id and (find_committed(timeline, write_id) or find_archived(timeline, write_id)):
        return
    raise TableExists(
        f"operation 'bootstrap' makes the first commit of a table, and the table at '{uri}' has commits; use mode "
        "'overwrite' to replace its rows, or read the files and write their rows with operation bulk_insert",
        code="bootstrap",
    )
