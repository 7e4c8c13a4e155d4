"""The delete rules of a table: which they are, with which options, and how they judge rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import frozen
from numpy.typing import NDArray

from hoodoo.merge.plugin_checks import GuardedDeleteRule
from hoodoo.plugin.catalog.catalog import Catalogue, PluginSpec
from hoodoo.record import DeleteContext

__all__ = ["DeleteJudge", "Judged", "delete_rule_specs"]

Mask = NDArray[np.bool_]


@frozen
class Judged:
    """What delete rules say of rows, after those that are left out have gone.

    Attributes:
        rows: The rows that stay.
        keys: Their record keys.
        deletes: Which of them are deletes.
        kept: The numbers of those that stay among the rows that came; None where all do.
    """

    rows: pa.Table
    keys: pa.Array
    deletes: Mask
    kept: NDArray[np.int64] | None = None


@frozen
class DeleteJudge:
    """Judges each incoming row once: a row is a delete where any of the rules says so.

    Then a rule that drops rows is asked, and told what the others have found.
    """

    rules: tuple[GuardedDeleteRule, ...]
    context: DeleteContext

    def judge(self, rows: pa.Table, keys: pa.Array) -> Judged:
        """The rows that stay, and which are deletes; `keys` are the record keys."""
        deletes = np.zeros(rows.num_rows, dtype=bool)
        for rule in self.rules:
            deletes |= rule.is_delete(rows, self.context, keys)
        dropped = [rule.drops(rows, deletes, self.context, keys) for rule in self.rules if rule.may_drop]
        if not any(mask.any() for mask in dropped):
            return Judged(rows, keys, deletes)
        kept = np.flatnonzero(~np.logical_or.reduce(dropped))
        places = pa.array(kept)
        return Judged(rows.take(places).combine_chunks(), keys.take(places), deletes[kept], kept)

    def check(self, schema: pa.Schema) -> None:
        """Let every rule refuse a table of these columns."""
        for rule in self.rules:
            rule.check(schema, self.context)


def delete_rule_specs(catalogue: Catalogue, names: Sequence[str], options: Mapping[str, Any]) -> tuple[PluginSpec, ...]:
    """The rules of these names; of the options each is given those that it declares.

    Raises:
        UnknownPlugin: one is not installed.
        UnknownOption: an option that none of them has.
        OptionError: a value that an option cannot have, or a required option that is missing.
    """
    declared = {name: {key.lower() for o in catalogue.load("delete", name).options for key in o.keys} for name in names}
    known = set().union(*declared.values())
    # what nobody knows is given to the first, whose message says what there is
    strange = {key: value for key, value in options.items() if key.lower() not in known}
    given = {name: {k: v for k, v in options.items() if k.lower() in declared[name]} for name in names}
    given[names[0]].update(strange)
    return tuple(catalogue.spec("delete", name, given[name]) for name in names)
