"""Delete rules of a table with their options, and their evaluation on incoming rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.merge.adapters.read_rows import ReadRows
from hoodoo.merge.plugin_checks import GuardedDeleteRule
from hoodoo.plugin.installed.catalogue import Catalogue, PluginSpec
from hoodoo.record import DeleteContext

__all__ = ["DeleteJudge", "JudgedRows", "delete_rule_specs"]

Mask = NDArray[np.bool_]


@frozen
class JudgedRows:
    """Result of delete rules for the rows that are not left out.

    Attributes:
        rows: The remaining rows.
        keys: Their record keys.
        deletes: One boolean per remaining row, true for deletes.
        kept: Positions of the remaining rows among the incoming ones; None if all remain.
    """

    rows: pa.Table
    keys: pa.Array
    deletes: Mask
    kept: NDArray[np.int64] | None = None


@frozen
class DeleteJudge:
    """Delete rules of a table: an incoming row is a delete if at least one rule identifies it.

    Rules that drop rows are called afterwards with the deletes that all rules found.
    """

    rules: tuple[GuardedDeleteRule, ...]
    context: DeleteContext

    def judge(self, rows: pa.Table, keys: pa.Array, unread: pa.Schema | None = None) -> JudgedRows:
        """Return the remaining rows and their deletes.

        Args:
            rows: The incoming rows.
            keys: Their record keys.
            unread: The columns of the table that a read leaves out; None if it leaves out none.

        Raises:
            PluginFault: A rule failed, returned a wrong result, or used one of the columns in `unread`.
        """
        seen = ReadRows(rows, unread) if unread else rows
        deletes = np.zeros(rows.num_rows, dtype=bool)
        for rule in self.rules:
            deletes |= rule.is_delete(seen, self.context, keys)
        dropped = [rule.drops(seen, deletes, self.context, keys) for rule in self.rules if rule.may_drop]
        if not any(mask.any() for mask in dropped):
            return JudgedRows(rows, keys, deletes)
        kept = np.flatnonzero(~np.logical_or.reduce(dropped))
        places = pa.array(kept)
        return JudgedRows(rows.take(places).combine_chunks(), keys.take(places), deletes[kept], kept)

    def check(self, schema: pa.Schema) -> None:
        """Raise the error of a rule that does not accept a table with these columns.

        Raises:
            SchemaError: A rule does not accept the columns.
            PluginFault: A rule raised an exception that is not a `HoodooError`.
        """
        for rule in self.rules:
            rule.check(schema, self.context)


def delete_rule_specs(catalogue: Catalogue, names: Sequence[str], options: Mapping[str, Any]) -> tuple[PluginSpec, ...]:
    """Return the specifications of the rules of one or more names, each with the options that the rule declares.

    Raises:
        PluginError: A rule is not installed, or cannot be used (see `Catalogue.spec`).
        UnknownOption: No rule has an option of this name.
        OptionError: An option has an invalid value, or a required option is missing.
    """
    declared = {name: {key.lower() for o in catalogue.load("delete", name).options for key in o.keys} for name in names}
    known = set().union(*declared.values())
    # an unknown option is passed to the first rule, whose error lists the known ones
    strange = {key: value for key, value in options.items() if key.lower() not in known}
    given = {name: {k: v for k, v in options.items() if k.lower() in declared[name]} for name in names}
    given[names[0]].update(strange)
    return tuple(catalogue.spec("delete", name, given[name]) for name in names)
