"""Checks and counts of the rows of a statement in one task."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, evolve, field, frozen
from numpy.typing import NDArray

from hoodoo.errors import DataError
from hoodoo.merge import Rule
from hoodoo.merge.match import MatchedRows, pairs
from hoodoo.record import Records, Source
from hoodoo.schema.columns import EXAMPLES, examples_of, one_array
from hoodoo.schema.meta_columns import RECORD_KEY
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.tasks.incoming_rows import CLAUSE, CLAUSE_IF_NEW, clauses_with
from hoodoo.writing.write_spec import StatementSpec

__all__ = ["NEEDS_STORED_ROWS", "STORED", "Lost", "StatementRows"]

Positions: TypeAlias = NDArray[np.int64]

NEEDS_STORED_ROWS = "needs_stored_rows"
"""Error code for rows with two clause numbers, of which only a join can determine the one that applies.

Several rows have one key, or a partition column that the condition compares is null.
"""

STORED = "__hoodoo_stored"
"""The struct column with the stored row of a matched row; only for merge-on-read tables, to count rejected updates."""


def _no_keys() -> pa.Array:
    return pa.array([], pa.string())


@frozen
class Lost:
    """Records that changed nothing, usually because the merge rule kept the stored row.

    Attributes:
        count: Their number.
        examples: Some of their keys, each with the number of its clause.
    """

    count: int = 0
    examples: tuple[tuple[str, int], ...] = ()

    def plus(self, count: int, examples: tuple[tuple[str, int], ...]) -> Lost:
        """Return the sum of these records and others."""
        return Lost(self.count + count, (*self.examples, *examples)[:EXAMPLES])


@define
class StatementRows:
    """Rows of a statement in one task, which have the number of their clause.

    The last rows are those of the last call of `admit` or `against`. `unless_stored`, `unless_new` and `deletes` are
    empty for rows with one clause number.

    Attributes:
        plan: The plan of the write.
        rule: The merge rule of the table.
        inserts: The keys of the last rows that a clause inserts.
        losers: The keys of the last rows that lose to the stored row; only known for merge-on-read tables.
        unless_stored: The keys of the last rows that have no clause if their key is stored.
        unless_new: The keys of the last rows that have no clause if their key is not stored.
        deletes: The keys of the last rows that delete the stored row, if there is one.
    """

    plan: TaskPlan
    rule: Rule
    inserts: pa.Array = field(init=False, factory=_no_keys)
    losers: pa.Array = field(init=False, factory=_no_keys)
    unless_stored: pa.Array = field(init=False, factory=_no_keys)
    unless_new: pa.Array = field(init=False, factory=_no_keys)
    deletes: pa.Array = field(init=False, factory=_no_keys)
    _clauses: tuple[pa.Array, Positions] = field(init=False, factory=lambda: (_no_keys(), np.empty(0, np.int64)))
    _lost: Lost = field(init=False, factory=lambda: Lost())

    def check(self, rows: pa.Table, source: Source) -> None:
        """Raise if the rows of one task cannot be written as the statement requires.

        Args:
            rows: The rows with the column `CLAUSE`.
            source: The same rows as versions.

        Raises:
            DataError: A clause moves a row to another partition (code `partition_move`), or inserts a stored key
                (`duplicate_key`); several rows of one key have no ordering values that differ (`repeated_key`);
                or only a join can determine the clause of a row (`NEEDS_STORED_ROWS`).
        """
        numbers, clauses = one_array(rows.column(CLAUSE)), len(self._statement.actions)
        if CLAUSE_IF_NEW in rows.column_names and pc.any(pc.less(numbers, 0)).as_py():
            raise DataError("a partition column that the condition compares is null", code=NEEDS_STORED_ROWS)
        stored = pc.less(numbers, -clauses)
        if pc.any(stored).as_py():
            raise _duplicates(self._text(-numbers.filter(stored)[0].as_py() - clauses), source.keys.filter(stored))
        moving = pc.less(numbers, 0)
        if pc.any(moving).as_py():
            first = -numbers.filter(moving)[0].as_py()
            raise DataError(
                f"{self._text(first)} moves rows to another partition (keys such as "
                f"{examples_of(source.keys.filter(moving))}); the index of the table finds a key only in its "
                "partition: write with a global index, compare the partition columns in the condition, or delete and "
                "insert these rows",
                code="partition_move",
            )
        self._check_ties(rows, numbers, source)

    def admit(self, rows: pa.Table, records: Records) -> None:
        """Record the keys of records by their clauses.

        For rows with one clause, these are the keys of inserts, and of records that lose to their stored row. For rows
        with one clause if they are stored and one if they are new, these are the keys that lack a clause in one of the
        two cases, and those of deletes.

        Args:
            rows: The rows with the column `CLAUSE`.
            records: One record per key, whose `rows` are positions in `rows`.
        """
        statement = self._statement
        self._clauses = (records.keys, _numbers(rows, CLAUSE)[records.rows])
        if CLAUSE_IF_NEW in rows.column_names:
            stored, new = (_numbers(rows, name)[records.rows] for name in (CLAUSE, CLAUSE_IF_NEW))
            self.unless_stored = records.keys.filter(pa.array(stored == 0))
            self.unless_new = records.keys.filter(pa.array(new == 0))
            self.deletes = records.keys.filter(pa.array(clauses_with(rows, statement, "delete")[records.rows]))
            return
        self.inserts = records.keys.filter(pa.array(clauses_with(rows, statement, "insert")[records.rows]))
        if STORED in rows.column_names:
            self.losers = records.keys.filter(pa.array(self._loses(one_array(rows.column(STORED)), records)))

    def check_new(self, keys: pa.Array) -> None:
        """Raise if a stored key is among those that a clause inserts.

        Args:
            keys: Record keys that are stored and occur in the batch.

        Raises:
            DataError: A clause inserts a stored key (code `duplicate_key`).
        """
        wrong = keys.filter(pc.is_in(keys, value_set=self.inserts))
        if len(wrong):
            raise _duplicates("the statement", wrong)

    def matched(self, rows: Positions, partners: Positions, newer: Records) -> tuple[Positions, Positions, Records]:
        """Return the pairs of stored rows and records that have a clause, and the records of these pairs.

        Args:
            rows: Positions of stored rows.
            partners: The positions of the records with their keys.
            newer: The records.
        """
        keys = newer.keys.take(pa.array(partners))
        if len(self.unless_stored):
            kept = np.flatnonzero(~_is_in(keys, self.unless_stored))
            rows, partners, keys = rows[kept], partners[kept], keys.take(pa.array(kept))
        records = newer.take(partners)
        if len(self.deletes):
            records = evolve(records, deleted=_is_in(keys, self.deletes))
        return rows, partners, records

    def new(self, newer: Records) -> Records:
        """Return the records that have a clause if their keys are not stored."""
        if not len(self.unless_new):
            return newer
        return newer.take(np.flatnonzero(~_is_in(newer.keys, self.unless_new)))

    def is_new(self, records: Records) -> NDArray[np.bool_]:
        """Return a mask of the records that have a clause if their keys are not stored."""
        return ~_is_in(records.keys, self.unless_new)

    def against(self, stored: pa.Table, newer: Records) -> Records:
        """Return the records of a log that have a clause, and record the keys of inserts and losers for `counted`.

        A delete of a key that is not stored is left out, because readers would apply it to a row that is inserted later
        with a lower ordering value.

        Args:
            stored: The stored rows of the keys, with the record key and the columns `compared`.
            newer: One record per key, whose rows have two clause numbers.
        """
        keys, stored_keys = newer.keys, one_array(stored.column(RECORD_KEY))
        rows, partners = pairs(stored_keys, keys)
        there, loses = np.zeros(len(newer), dtype=bool), np.zeros(len(newer), dtype=bool)
        there[partners] = True
        newer = evolve(newer, deleted=there & _is_in(keys, self.deletes))
        if len(rows):
            records = newer.take(partners)
            older = self.rule.stored(stored, self.plan.table.schema, stored_keys).records(rows)
            matched = MatchedRows.of(rows, records, self.rule.combine(older, records))
            loses[partners] = ~(matched.changed | matched.removed)
        chosen = np.where(there, ~_is_in(keys, self.unless_stored), ~_is_in(keys, self.unless_new))
        self.inserts, self.losers = keys.filter(pa.array(~there)), keys.filter(pa.array(loses))
        return newer if chosen.all() else newer.take(np.flatnonzero(chosen))

    def check_whole(self, newer: Records) -> None:
        """Raise if a record without a stored row has only the assigned columns of an update.

        Raises:
            DataError: The partition does not have the key: the statement read the row in another partition (code
                `lost_key`).
        """
        for name in self._statement.lacking:
            lacking = newer.lacking(name)
            if lacking is not None:
                raise DataError(
                    "the statement updates rows whose record keys are not stored in the partition of their values: "
                    f"{int(lacking.sum())} (such as {examples_of(newer.keys.filter(pa.array(lacking)))}); the table "
                    "has rows in wrong partitions; find them with 'hoodoo table doctor'",
                    code="lost_key",
                )

    def count_lost(self, keys: pa.Array) -> None:
        """Add records that the rule rejected to those of the current file."""
        if len(keys):
            places = pc.index_in(keys[:EXAMPLES], value_set=self._clauses[0]).to_pylist()
            clauses = (int(self._clauses[1][place]) for place in places)
            self._lost = self._lost.plus(len(keys), tuple(zip(keys[:EXAMPLES].to_pylist(), clauses, strict=True)))

    def take_lost(self) -> Lost:
        """Return the records that the rule rejected since the last call."""
        lost, self._lost = self._lost, Lost()
        return lost

    def counted(self, status: FileStatus, logged: Records, leaving: int) -> FileStatus:
        """Return the status of a log with the numbers of rows that change for readers, and of rejected records.

        Args:
            status: The status, in which all rows of the log are counted.
            logged: The records of the log.
            leaving: The number of rows that move to another partition, where they are counted.
        """
        deletes = logged.is_delete
        lost = _is_in(logged.keys, self.losers)
        inserted = int((_is_in(logged.keys, self.inserts) & ~deletes).sum())
        self.count_lost(logged.keys.filter(pa.array(lost)))
        counted = self.take_lost()
        return evolve(
            status,
            inserted=inserted,
            updated=int((~deletes & ~lost).sum()) - inserted,
            deleted=status.deleted - leaving - int((deletes & lost).sum()),
            ignored=counted.count,
            refused=counted.examples,
        )

    @property
    def _statement(self) -> StatementSpec:
        statement = self.plan.operation.statement
        assert statement is not None
        return statement

    def _text(self, number: int) -> str:
        return self._statement.texts[number - 1]

    def _check_ties(self, rows: pa.Table, numbers: pa.Array, source: Source) -> None:
        statement = self._statement
        encoded = source.keys.dictionary_encode()
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        counts = np.bincount(codes, minlength=len(encoded.dictionary))
        repeated = np.flatnonzero(counts[codes] > 1)
        if not len(repeated):
            return
        if CLAUSE_IF_NEW in rows.column_names and self._differ(rows, codes, repeated):
            raise DataError("rows of one key may have different clauses", code=NEEDS_STORED_ROWS)
        named = "'" + "', '".join(source.ordering.fields) + "'"
        if statement.combines and source.ordering.fields:
            taken = source.ordering.take(repeated)
            ordering = {f"o{number}": values for number, values in enumerate(taken.values)}
            versions = pa.table({"key": pa.array(codes[repeated]), **ordering})
            groups = versions.group_by(versions.column_names).aggregate([([], "count_all")])
            several = groups.filter(pc.greater(groups.column("count_all"), 1))
            if not several.num_rows:
                return
            tied = one_array(several.column("key"))
            why = f"and the same ordering value ({named})"
        else:
            tied = pa.array(np.unique(codes[repeated]))
            why = "and the table has no ordering column that decides between them"
        if CLAUSE_IF_NEW in rows.column_names and self._may_have_no_clause(rows, np.isin(codes, tied.to_numpy())):
            raise DataError("no clause may apply to rows of one key", code=NEEDS_STORED_ROWS)
        keys = encoded.dictionary.take(tied)
        if statement.keeps_keys:
            what, why = "rows of the source match the same stored row", "of a table with generated keys"
        else:
            what = "rows of the source have the same key"
        number = abs(numbers[int(repeated[0])].as_py()) or _numbers(rows, CLAUSE_IF_NEW)[int(repeated[0])]
        raise DataError(
            f"several {what} {why} (keys such as {examples_of(keys)}, in {self._text(number)}); keep only "
            "one row of each key in the source",
            code="repeated_key",
        )

    def _may_have_no_clause(self, rows: pa.Table, chosen: NDArray[np.bool_]) -> bool:
        """Return whether one of the chosen rows has no clause for a stored key, or none for a new key."""
        return any(bool((_numbers(rows, name)[chosen] == 0).any()) for name in (CLAUSE, CLAUSE_IF_NEW))

    def _differ(self, rows: pa.Table, codes: Positions, repeated: Positions) -> bool:
        """Return whether rows of one key differ in their effect (delete, change or none) on a stored or a new key."""
        kind = np.where(clauses_with(rows, self._statement, "delete"), 2, _numbers(rows, CLAUSE) > 0)
        kind = (2 * kind + (_numbers(rows, CLAUSE_IF_NEW) > 0))[repeated]
        kinds = pa.table({"key": pa.array(codes[repeated]), "kind": pa.array(kind)}).group_by(["key", "kind"])
        return bool(kinds.aggregate([]).num_rows > len(np.unique(codes[repeated])))

    def _loses(self, stored: pa.StructArray, records: Records) -> NDArray[np.bool_]:
        """Return a mask of the records for which the rule keeps the stored row."""
        loses = np.zeros(len(records), dtype=bool)
        there = np.flatnonzero(stored.is_valid().to_numpy(zero_copy_only=False)[records.rows])
        if not len(there):
            return loses
        newer = records.take(there)
        older = stored.take(pa.array(newer.rows))
        schema = self.plan.table.schema
        columns = {name: older.field(name).cast(schema.field(name).type) for name in _names(older.type)}
        versions = self.rule.stored(pa.table(columns), schema, newer.keys).records()
        matched = MatchedRows.of(np.arange(len(there)), newer, self.rule.combine(versions, newer))
        loses[there] = ~(matched.changed | matched.removed)
        return loses


def _duplicates(text: str, keys: pa.Array) -> DataError:
    return DataError(
        f"{text} inserts {len(keys)} key{'' if len(keys) == 1 else 's'} that the table holds already (such as "
        f"{examples_of(keys)}), because no stored row of such a key satisfies the condition of the statement; move the "
        "comparisons of other columns than the key from ON to the WHEN clauses",
        code="duplicate_key",
    )


def _numbers(rows: pa.Table, name: str) -> Positions:
    numbers: Positions = one_array(rows.column(name)).to_numpy(zero_copy_only=False)
    return numbers


def _is_in(keys: pa.Array, chosen: pa.Array) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = pc.is_in(keys, value_set=chosen).to_numpy(zero_copy_only=False)
    return mask


def _names(type_: pa.StructType) -> list[str]:
    return [type_.field(number).name for number in range(type_.num_fields)]
