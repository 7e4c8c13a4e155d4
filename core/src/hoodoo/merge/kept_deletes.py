"""Deletes that logs keep with their columns, for rules that read columns of deletes.

An entry of a delete block has a key, a partition path and ordering values. A rule that declares `keeps_with_deletes`
needs columns too: its deletes are written as marked records in data blocks. The mark is the flag `_hoodie_is_deleted`,
by which all readers of Hudi tables recognize a delete. A table without the flag uses the marker of its own delete
column, but only if Hudi rejects the table because of its rule: not all releases of Hudi recognize that marker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import evolve, frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError, HoodooError, OptionError, SchemaError
from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.merge.required_columns import columns_of_deletes
from hoodoo.merge.rule import ALL_COLUMNS, kept_columns, uses_ordering
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.base import MergerMembers, PayloadMembers
from hoodoo.plugin.completion import completed
from hoodoo.record import Records
from hoodoo.record.delete_markers import FLAG_COLUMN
from hoodoo.schema.columns import examples_of, field_at

__all__ = ["KeptDeletes", "check_kept_deletes", "kept_deletes"]

Mask = NDArray[np.bool_]

_WAY_OUT = f"add a boolean column '{FLAG_COLUMN}' to the rows, and use a delete rule that recognizes it"


@frozen
class KeptDeletes:
    """Form in which the logs of a table keep deletes with their columns.

    Attributes:
        label: The rule, for messages.
        column: The column that marks a delete; "" if the table has none.
        value: The value of the column that marks a delete; None if the table has no such column.
        compares: Whether the rule compares ordering values. A delete without one is then unconditional, which only an
            entry of a delete block can be.
    """

    label: str
    column: str
    value: pa.Scalar | None
    compares: bool

    def chosen(self, records: Records) -> Mask:
        """Return the mask of the deletes to write as records of a data block.

        Raises:
            DataError: There are such deletes, and the table has no column to mark them (code `kept_deletes`).
        """
        mask: Mask = records.is_delete & records.has_data
        if self.compares:
            mask &= ~records.ordering.absent
        if mask.any() and not self.column:
            examples, count = examples_of(records.take(np.flatnonzero(mask)).keys), int(mask.sum())
            raise DataError(
                f"{self.label} reads columns of deletes, and {count} "
                f"record{' becomes a delete' if count == 1 else 's become deletes'} (keys such as {examples}) in a "
                f"merge-on-read table without a column that marks deletes; {_WAY_OUT}",
                code="kept_deletes",
            )
        return mask

    def marked(self, records: Records) -> Records:
        """Return all records, with the mark on the deletes and their ordering values in the ordering columns.

        If a rule made a delete of two rows, its ordering value can differ from that of its columns.
        """
        deletes = records.is_delete
        if not deletes.any():
            return records
        assert self.value is not None
        patches = dict(records.patches)
        patches[self.column] = pc.if_else(pa.array(deletes), self.value, records.column(self.column))
        if records.ordering_override is not None:
            for name, values in zip(records.ordering.fields, records.ordering.values, strict=True):
                root, *path = name.split(".") if name not in records.schema.names else [name]
                before = patches.get(root, records.column(root))
                patches[root] = _replaced(before, path, values, pa.array(deletes))
        return evolve(records, patches=patches)


def kept_deletes(spec: RuleSpec, schema: pa.Schema) -> KeptDeletes | None:
    """Return the form in which logs of a table with these columns keep deletes; None if the rule keeps no columns.

    Raises:
        PluginError: A rule cannot be used in this process, failed, or declares no tuple as `keeps_with_deletes`.
    """
    plugin, label = spec.plugin.resolve(), spec.plugin.label
    if not kept_columns(plugin, label):
        return None
    compares = bool(spec.payload_ordering) and uses_ordering(plugin, label, spec.config)
    judge = spec.make_judge()
    for column, value in _marks(spec, schema).items():
        if _recognizes(judge, column, value):
            return KeptDeletes(label, column, value, compares)
    return KeptDeletes(label, "", None, compares)


def check_kept_deletes(spec: RuleSpec, schema: pa.Schema, *, in_logs: bool) -> None:
    """Raise if a rule reads columns of deletes that a table does not have, or that its logs cannot keep.

    Without a column by which the delete rules find deletes, all incoming deletes are key-only, and there is nothing to
    keep. `KeptDeletes.chosen` refuses deletes that the rule itself makes.

    Args:
        spec: The specification of the rule and of the delete rules.
        schema: The columns of the table.
        in_logs: Whether the table is merge-on-read, so that its deletes go to logs.

    Raises:
        SchemaError: A column is not in the table (code `column_missing`).
        OptionError: Deletes of the table cannot have a mark that all readers recognize (code `kept_deletes`).
    """
    names = kept_columns(spec.plugin.resolve(), spec.plugin.label)
    missing = [name for name in names if name != ALL_COLUMNS and field_at(schema, name) is None]
    if missing:
        raise SchemaError(
            f"{spec.plugin.label} reads column '{missing[0]}' of deletes (keeps_with_deletes), and the table has no "
            f"such column; add it to the rows, or choose another rule; the table has {', '.join(schema.names)}",
            code="column_missing",
        )
    kept = kept_deletes(spec, schema) if in_logs else None
    if kept is None or kept.column:
        return
    looked_at = _looked_at(spec, schema)
    if looked_at:
        other = "" if _is_merged_by_hudi(spec) else "; or name a text column by 'delete_field' and 'delete_marker'"
        columns = "all columns" if set(looked_at) == set(schema.names) else f"{', '.join(map(repr, looked_at))}"
        raise OptionError(
            f"{spec.plugin.label} reads {_listed(names)} of deletes, which the logs of this merge-on-read table cannot "
            f"keep: the delete rules ({', '.join(rule.name for rule in spec.delete_rules)}) find deletes by "
            f"{columns}, and not by a mark that all readers recognize; {_WAY_OUT}{other}; a copy-on-write table "
            "needs no mark",
            code="kept_deletes",
        )


def _marks(spec: RuleSpec, schema: pa.Schema) -> Mapping[str, pa.Scalar]:
    """Return the columns that mark deletes for all readers of a table, with the value of the mark.

    Hudi 1.2 recognizes the table's own delete column in version 6, and not in versions 8 and 9; Hudi 0.15 does not.
    """
    marks: dict[str, pa.Scalar] = {}
    if FLAG_COLUMN in schema.names and pa.types.is_boolean(schema.field(FLAG_COLUMN).type):
        marks[FLAG_COLUMN] = pa.scalar(True)
    delete = spec.config.delete
    if delete.field is not None and delete.field in schema.names and not _is_merged_by_hudi(spec):
        type_ = schema.field(delete.field).type
        if pa.types.is_string(type_) or pa.types.is_large_string(type_):
            marks[delete.field] = pa.scalar(delete.marker, type_)
    return marks


def _is_merged_by_hudi(spec: RuleSpec) -> bool:
    """Return whether the rule exists in Java too, so that Hudi's readers merge logs of its tables."""
    plugin = spec.plugin.resolve()
    if spec.family == "merger":
        return completed(plugin, MergerMembers).merge_mode is not None
    return completed(plugin, PayloadMembers).hudi_class is not None


def _recognizes(judge: DeleteJudge, column: str, value: pa.Scalar) -> bool:
    """Return whether the delete rules of a table recognize a record with a mark, and do not drop it."""
    row = pa.table({column: pa.array([value.as_py()], value.type)})
    try:
        judged = judge.judge(row, pa.array([""]))
    except HoodooError:  # a rule that needs a further column does not recognize the mark
        return False
    return bool(judged.deletes.all()) and judged.rows.num_rows == 1


def _looked_at(spec: RuleSpec, schema: pa.Schema) -> list[str]:
    """Return the columns of the table by which its delete rules find deletes."""
    found: list[str] = []
    for rule in spec.delete_rules:
        needs = columns_of_deletes(rule, schema, spec.config.delete)
        found += schema.names if needs is None else [name for name in needs if field_at(schema, name) is not None]
    return list(dict.fromkeys(found))


def _listed(names: tuple[str, ...]) -> str:
    if ALL_COLUMNS in names:
        return "columns"
    return f"column{'s' if len(names) > 1 else ''} {', '.join(map(repr, names))}"


def _replaced(column: pa.Array, path: list[str], values: pa.Array, mask: pa.Array) -> pa.Array:
    """Return a column in which `values` replace those under the mask, in the field at `path` if it is a struct."""
    if not path:
        return pc.if_else(mask, values.cast(column.type), column)
    fields: list[Any] = list(column.flatten())
    place = column.type.get_field_index(path[0])
    fields[place] = _replaced(fields[place], path[1:], values, mask)
    absent = pc.and_(column.is_null(), pc.invert(mask))
    return pa.StructArray.from_arrays(fields, fields=list(column.type), mask=absent)
