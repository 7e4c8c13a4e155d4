"""Clauses of a MERGE INTO: the first clause whose condition holds updates, deletes or inserts the row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.errors import OptionError
from hoodoo.plugin import default_catalogue, hookimpl, option
from hoodoo.plugin.helpers.batch_order import greater_in_batch
from hoodoo.plugin.helpers.ordering_reasons import ORDERING_REASONS
from hoodoo.plugin.helpers.partial_update import fillable
from hoodoo.plugin.installed.names import normalised
from hoodoo.record import Choice, Law, MergerConfig, Ordering, Outcome, RecordContext, Records, Source
from hoodoo.record.delete_markers import FLAG_COLUMN, flagged
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo_payload_expression.expressions import (
    Column,
    Expression,
    Sides,
    columns_of,
    holds,
    parse_expression,
    value_of,
    values_at,
)

__version__ = "0.1.0"

MOST_CLAUSES = 50
# codes of reasons; smaller ones are `OrderingReason`, and the number of a clause is added to the last two
APPLIED = 10
UNMATCHED = 11
NOT_INSERTED = 12
KEPT = 13
MATCHED = 20
INSERTED = MATCHED + MOST_CLAUSES

Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]


@frozen(slots=False)
class ExpressionPayload:
    """Payload ExpressionPayload of Hudi.

    The first update whose condition holds is applied, else the first delete, else the stored row stays untouched; a new
    key is inserted by the first clause of `not_matched` whose condition holds, or not at all. A condition that is null
    does not hold. An update changes only the columns that it sets, and an insert sets all others to null, except those
    of the key and the partition; a clause without `set` takes the whole incoming row. An incoming row that is marked as
    a delete deletes the stored row if an update applies to it. A key-only delete always deletes, and so does an update
    that sets `_hoodie_is_deleted` to true.

    Hudi applies the table's own payload to the result of a MERGE INTO, so that a matched update by a late record is
    lost if that payload compares ordering values; the option `original_payload` names that payload. Two records of one
    batch are compared as by the payload `event-time`, and clauses are applied to the record that remains. In Hudi the
    clauses belong to the statement, and the table keeps its payload; here they are the rule of a table, stored under
    names of hoodoo: Hudi refuses such a table if it is merge-on-read.
    """

    matched: tuple[dict[str, Any], ...] = option(
        default=(),
        help='Clauses for stored keys: {"action": "update", "cond": ["gt", "s.ts", "t.ts"], "set": {"v": "s.v"}} or '
        '{"action": "delete"}; `s.` is the incoming row, `t.` the stored one.',
    )
    not_matched: tuple[dict[str, Any], ...] = option(
        default=(), help='Clauses for new keys: {"cond": ["is_not_null", "s.v"], "set": {"id": "s.id", "v": "s.v"}}.'
    )
    original_payload: str | None = option(
        default=None, help="The payload that compares the result of an update with the stored row; none by default."
    )
    _matched: tuple[_Clause, ...] = field(init=False, repr=False, eq=False)
    _inserts: tuple[_Clause, ...] = field(init=False, repr=False, eq=False)
    _original: Any = field(init=False, repr=False, eq=False)

    # an update may add to a value, and a deleted row may be inserted again: no law holds for all clauses
    laws = frozenset[Law]()
    keeps_with_deletes = ("*",)  # conditions may name any column of an incoming delete

    def __attrs_post_init__(self) -> None:
        matched = tuple(_clauses("matched", self.matched, ("update", "delete")))
        inserts = tuple(_clauses("not_matched", self.not_matched, ("insert",)))
        if not matched and not inserts:
            raise ValueError("options 'matched' and 'not_matched' have no clauses; set at least one clause")
        original = None
        if self.original_payload is not None:
            if normalised(self.original_payload) == "expression":
                raise ValueError("'original_payload' is 'expression'; name the payload that the table had before")
            original = default_catalogue().make("payload", self.original_payload, {})
        object.__setattr__(self, "_matched", matched)
        object.__setattr__(self, "_inserts", inserts)
        object.__setattr__(self, "_original", original)

    @property
    def uses(self) -> tuple[tuple[str, str], ...]:
        """Return the original payload and the plugins that it uses, as pairs of family and name; () without any."""
        if self.original_payload is None:
            return ()
        return ("payload", self.original_payload), *getattr(self._original, "uses", ())

    @property
    def reasons(self) -> Mapping[int, str]:
        """Return sentences by the code of the reason: of a batch, key-only deletes, clauses, and rows without one."""
        return {
            **ORDERING_REASONS,
            APPLIED: "the newer version is a key-only delete, to which no clause applies",
            UNMATCHED: "no clause of 'matched' has a condition that holds, and the stored row stays",
            NOT_INSERTED: "no clause of 'not_matched' has a condition that holds, and nothing is inserted",
            KEPT: f"a clause updates the row, but payload '{self.original_payload}' keeps the stored one",
            **{
                first + clause.number: f"{clause.place} {clause.action}s the row: its condition is the first that holds"
                for first, clauses in ((MATCHED, self._matched), (INSERTED, self._inserts))
                for clause in clauses
            },
        }

    def needs(self, schema: pa.Schema, config: MergerConfig) -> tuple[str, ...]:
        """Return the columns that clauses read and set, and those that the original payload needs, by default all."""
        names = {name for clause in (*self._matched, *self._inserts) for name in clause.names}
        if self._original is not None:
            needs = getattr(self._original, "needs", lambda schema, config: None)(schema, config)
            names.update(schema.names if needs is None else needs)
        return tuple(sorted(names))

    def adds(self, schema: pa.Schema, config: MergerConfig) -> Iterable[pa.Field]:
        """Return no columns; refuse clauses that do not fit the columns, before anything is written.

        Raises:
            OptionError: A clause names a missing column, does not fit the types, changes a key or partition column, or
                is an insert that leaves out a column that cannot be null.
        """
        self._check(schema, config)
        nothing = _no_records(schema)
        for clause in (*self._matched, *self._inserts):
            clause.holds({"s": nothing, "t": nothing})
            for name in clause.values or ():
                clause.value(name, {"s": nothing, "t": nothing})
        return []

    def pre_combine(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Return TAKE if the newer ordering value is not less, else KEEP.

        A newer key-only delete without an ordering value, and each record after a key-only delete, are not compared:
        the outcome is TAKE.
        """
        return greater_in_batch(older, newer, context)

    def combine_and_get_update_value(
        self, stored: Records, incoming: Records, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Apply the first clause whose condition holds to the stored row; return KEEP for rows without such a clause.

        Updates precede deletes. A key-only delete always deletes the row. An updated row keeps its ordering value if
        the clause does not change the ordering columns, else it gets the incoming record's. The original payload, if it
        is set, then compares the updated row with the stored row.
        """
        self._check(context.schema, config)
        sides = {"s": incoming, "t": stored}
        # updates precede deletes, regardless of the order in which they are given
        clauses = sorted(self._matched, key=lambda clause: clause.action == "delete")
        found = _first(clauses, sides, np.flatnonzero(incoming.has_data))
        updates = [clause for clause in clauses if clause.action == "update" and (found == clause.number).any()]
        choice = np.where(incoming.has_data, Choice.KEEP, Choice.TAKE).astype(np.int8)
        for clause in clauses:
            rows = found == clause.number
            if clause.action == "delete":
                choice[rows] = Choice.DELETE
            else:
                choice[rows] = np.where(clause.orders(config) | incoming.is_delete[rows], Choice.TAKE, Choice.KEEP)
        reason = None
        if context.explaining:
            reason = np.where(incoming.has_data, np.where(found < 0, UNMATCHED, MATCHED + found), APPLIED)
        setting = [clause for clause in updates if clause.values is not None]
        patched = np.isin(found, [clause.number for clause in setting])
        patch: dict[str, pa.Array] = {}
        if setting:
            whole = np.isin(found, [clause.number for clause in updates if clause.values is None])
            every = self._original is not None or (choice[patched] == Choice.TAKE).any()
            names = _names(context.schema, setting, every=every)
            patch = _values(names, setting, found, sides, whole)
            if FLAG_COLUMN in patch:
                choice[patched & flagged(pa.table({FLAG_COLUMN: patch[FLAG_COLUMN]}))] = Choice.DELETE
        outcome = Outcome(choice, patch, patched, None if reason is None else reason.astype(np.int8))
        rows = np.flatnonzero(np.isin(found, [clause.number for clause in updates]) & (choice != Choice.DELETE))
        if self._original is None or not len(rows):
            return outcome
        return self._by_original(outcome, rows, sides, context, config)

    def get_insert_value(self, incoming: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Insert the values of the first clause whose condition holds; return KEEP for rows without such a clause.

        The outcome is also KEEP for a key-only delete, and for a clause that sets `_hoodie_is_deleted` to true. Key and
        partition columns keep the values of the record.
        """
        self._check(context.schema, config)
        sides = {"s": incoming}
        found = _first(self._inserts, sides, np.flatnonzero(incoming.has_data))
        choice = np.where(found >= 0, Choice.TAKE, Choice.KEEP).astype(np.int8)
        reason = np.where(found >= 0, INSERTED + found, NOT_INSERTED).astype(np.int8) if context.explaining else None
        setting = [clause for clause in self._inserts if clause.values is not None and (found == clause.number).any()]
        patched = np.isin(found, [clause.number for clause in setting])
        if not setting:
            return Outcome(choice, reason=reason)
        own = {name for name in context.schema.names if name in _kept(config)}
        names = [name for name in _names(context.schema, setting, every=True) if name not in own]
        patch = _values(names, setting, found, sides, ~patched)
        if FLAG_COLUMN in patch:
            choice[patched & flagged(pa.table({FLAG_COLUMN: patch[FLAG_COLUMN]}))] = Choice.KEEP
        return Outcome(choice, patch, patched, reason)

    def _by_original(
        self, outcome: Outcome, rows: Rows, sides: Sides, context: RecordContext, config: MergerConfig
    ) -> Outcome:
        """Return the outcome after the original payload has compared the updated rows with the stored rows."""
        length, indices = len(outcome.choice), pa.array(rows)
        made = sides["s"].take(rows)
        patches = {**made.patches, **{name: values.take(indices) for name, values in outcome.patch.items()}}
        made = Records(made.source, made.rows, patches, made.deleted)
        columns = [values_at(made, name) for name in config.ordering]
        if all(values is not None for values in columns):
            made.ordering_override = Ordering.of(config.ordering, columns, len(rows))
        asked = evolve(context, explaining=False)
        answer = self._original.combine_and_get_update_value(sides["t"].take(rows), made, asked, config)
        took = answer.choice == Choice.TAKE
        choice, patched = outcome.choice.copy(), np.zeros(length, dtype=bool)
        choice[rows] = np.where(took, choice[rows], answer.choice)
        changed = np.full(len(rows), bool(answer.patch)) if answer.patched is None else answer.patched
        patched[rows] = changed | (took & _patched(outcome)[rows])
        reason = None if outcome.reason is None else outcome.reason.copy()
        if reason is not None:
            reason[rows[~took]] = KEPT
        patch = {}
        for name in {**outcome.patch, **answer.patch}:
            pieces = [sides["t"].column(name), outcome.patch.get(name, sides["s"].column(name))]
            index = np.arange(length)
            index[rows[took]] += length
            if name in answer.patch:
                pieces.append(answer.patch[name])
                index[rows[changed]] = 2 * length + np.flatnonzero(changed)
            patch[name] = pa.concat_arrays(pieces).take(pa.array(index))
        return Outcome(choice, patch, patched, reason)

    def _check(self, schema: pa.Schema, config: MergerConfig) -> None:
        """Raise `OptionError` for a clause that sets a missing, key or partition column, or omits a required one."""
        kept = _kept(config)
        for clause in (*self._matched, *self._inserts):
            for name, expression in (clause.values or {}).items():
                if schema.get_field_index(name) < 0:
                    raise OptionError(
                        f"{clause.place} of payload 'expression' sets '{name}', which is not a column of the table; "
                        "correct the name"
                    )
                if name in kept and not (isinstance(expression, Column) and expression.name == name):
                    raise OptionError(
                        f"{clause.place} of payload 'expression' sets '{name}', a column of the record key or of the "
                        f"partition, which can be set to 's.{name}' only"
                    )
            if clause.action != "insert" or clause.values is None:
                continue
            for column in schema:
                if not column.nullable and column.name not in kept and column.name not in clause.values:
                    raise OptionError(
                        f"{clause.place} of payload 'expression' leaves out '{column.name}', which cannot be null; "
                        "set it"
                    )


@frozen
class _Clause:
    """Clause of a MERGE INTO; `values` are expressions by column, or None for a clause without `set`."""

    place: str
    number: int
    action: str
    condition: Expression | None
    values: Mapping[str, Expression] | None

    @property
    def names(self) -> set[str]:
        """Return the columns that the clause reads and sets."""
        expressions = [*(self.values or {}).values(), *([] if self.condition is None else [self.condition])]
        return {*(self.values or {}), *(column.name for found in expressions for column in columns_of(found))}

    def orders(self, config: MergerConfig) -> bool:
        """Return whether the row gets the ordering value of the incoming record, instead of the stored one."""
        if self.values is None:
            return True
        return any(self.values.get(name, Column("t", name)) != Column("t", name) for name in config.ordering)

    def holds(self, sides: Sides) -> Mask:
        """Return a mask of the rows for which the condition of the clause holds."""
        if self.condition is None:
            return np.ones(len(sides["s"]), dtype=bool)
        return holds(self.condition, sides, f"the condition of {self.place} of payload 'expression'")

    def value(self, name: str, sides: Sides) -> pa.Array:
        """Return the values to which the clause sets a column."""
        type_ = sides["s"].schema.field(name).type
        assert self.values is not None
        return value_of(self.values[name], sides, type_, f"'{name}' of {self.place} of payload 'expression'")


def _clauses(option: str, given: Sequence[Mapping[str, Any]], actions: tuple[str, ...]) -> Iterator[_Clause]:
    if len(given) > MOST_CLAUSES:
        raise ValueError(f"'{option}' has {len(given)} clauses; use at most {MOST_CLAUSES}")
    for number, clause in enumerate(given):
        place = f"{option}[{number}]"
        unknown = set(clause) - {"action", "cond", "set"}
        if unknown:
            names = ("keys " if len(unknown) > 1 else "key ") + ", ".join(map(repr, sorted(unknown)))
            raise ValueError(f"{place} has unknown {names}; a clause takes action, cond and set")
        action = clause.get("action", actions[0] if len(actions) == 1 else None)
        if action not in actions:
            found = "it is missing" if action is None else f"got {action!r}"
            raise ValueError(f"the action of {place} must be {' or '.join(actions)}; {found}")
        values = clause.get("set")
        if values is not None and (action == "delete" or not isinstance(values, Mapping) or not values):
            raise ValueError(f"'set' of {place} must be a mapping from columns to expressions; a delete has none")
        if reserved := set(values or ()) & set(META_COLUMNS):
            raise ValueError(f"{place} sets '{min(reserved)}', a meta column, which every write sets; leave it out")
        try:
            condition = None if clause.get("cond") is None else parse_expression(clause["cond"])
            values = None if values is None else {name: parse_expression(value) for name, value in values.items()}
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        found = _Clause(place, number, action, condition, values)
        expressions = [*(values or {}).values(), *([] if condition is None else [condition])]
        if action == "insert" and any(c.side == "t" for e in expressions for c in columns_of(e)):
            raise ValueError(f"{place} reads the target (`t.`), which a new key does not have; read the source (`s.`)")
        yield found


def _first(clauses: Iterable[_Clause], sides: Sides, rows: Rows) -> NDArray[np.int64]:
    """Return, for each row, the number of the first clause whose condition holds; -1 without one, or outside `rows`."""
    found = np.full(len(sides["s"]), -1, dtype=np.int64)
    for clause in clauses:
        if not len(rows):
            break
        here = clause.holds({side: records.take(rows) for side, records in sides.items()})
        found[rows[here]] = clause.number
        rows = rows[~here]
    return found


def _names(schema: pa.Schema, clauses: Iterable[_Clause], *, every: bool) -> list[str]:
    """Return the columns that clauses set, in the order of the schema; with `every`, also all other data columns."""
    names = {name for clause in clauses for name in clause.values or ()}
    if every:
        names.update(fillable(schema), {FLAG_COLUMN})
    return [name for name in schema.names if name in names]


def _values(
    names: Iterable[str], clauses: Sequence[_Clause], found: NDArray[np.int64], sides: Sides, whole: Mask
) -> dict[str, pa.Array]:
    """Return columns with the values that clauses set.

    Other values are the incoming ones where `whole` is true, else the stored ones (null for new keys).
    """
    length = len(found)
    parts = [(clause, np.flatnonzero(found == clause.number)) for clause in clauses]
    taken = [{side: records.take(rows) for side, records in sides.items()} for _, rows in parts]
    values = {}
    for name in names:
        incoming = sides["s"].column(name)
        pieces = [sides["t"].column(name) if "t" in sides else pa.nulls(length, incoming.type), incoming]
        index = np.where(whole, length, 0) + np.arange(length)
        for (clause, rows), versions in zip(parts, taken, strict=True):
            if name in (clause.values or {}):
                index[rows] = sum(map(len, pieces)) + np.arange(len(rows))
                pieces.append(clause.value(name, versions))
        values[name] = pa.concat_arrays(pieces).take(pa.array(index))
    return values


def _kept(config: MergerConfig) -> set[str]:
    """Return the columns of the record key and of the partition; for a nested column, its path and the outer column."""
    return {name for path in (*config.record_key, *config.partition_by) for name in (path, path.partition(".")[0])}


def _patched(outcome: Outcome) -> Mask:
    return np.full(len(outcome.choice), bool(outcome.patch)) if outcome.patched is None else outcome.patched


def _no_records(schema: pa.Schema) -> Records:
    """Return an empty set of versions."""
    none = np.empty(0, dtype=np.int8)
    keys, ordering = pa.array([], pa.string()), Ordering.of((), [], 0)
    return Source(schema.empty_table(), schema, keys, ordering, none, np.empty(0, dtype=bool)).records()


@hookimpl
def hoodoo_payload() -> type[ExpressionPayload]:
    """Return the class of the payload."""
    return ExpressionPayload
