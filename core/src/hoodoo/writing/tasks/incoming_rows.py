"""Conversion of the incoming rows of a task: casts, record keys, deletes, and division into runs of one route."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from attrs import define, evolve, field
from numpy.typing import NDArray

from hoodoo.errors import DataError, SchemaError, UnsupportedTable
from hoodoo.keys import ARRIVAL, as_text
from hoodoo.merge import Rule
from hoodoo.merge.delete_rules import DeleteJudge
from hoodoo.merge.plugin_checks import GuardedKeyGenerator
from hoodoo.record import Source
from hoodoo.schema.columns import EXAMPLES, column_at, examples_of, one_array
from hoodoo.schema.invalid_values import invalid_text, repeated_map_keys
from hoodoo.writing.arrow_memory import release_unused
from hoodoo.writing.routing.task_plan import TaskPlan
from hoodoo.writing.write_spec import StatementSpec

__all__ = [
    "ARRIVAL",
    "CLAUSE",
    "CLAUSE_IF_NEW",
    "ROUTE",
    "SLOT",
    "Incoming",
    "clauses_with",
    "has_clause_if_new",
    "runs",
    "to_table_types",
]

ROUTE, SLOT = "__hoodoo_route", "__hoodoo_slot"
CLAUSE = "__hoodoo_clause"
"""The column of the number of a statement's clause, see `hoodoo.writing.write_spec.StatementSpec`."""
CLAUSE_IF_NEW = "__hoodoo_clause_if_new"
"""The column of the number of the clause for a row whose key is not stored; `CLAUSE` then applies if it is stored."""

Lacking: TypeAlias = Callable[[str], NDArray[np.bool_] | None]


@define
class Incoming:
    """Conversion of incoming rows to versions, by the plan and the merge rule of the write."""

    plan: TaskPlan
    rule: Rule
    _generator: GuardedKeyGenerator = field(init=False)
    _judge: DeleteJudge = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._generator = self.plan.keys.make_generator()
        self._judge = self.plan.rule.make_judge()

    def partition_paths(self, rows: pa.Table) -> pa.Array:
        """Return the partition path of each row."""
        return self._generator.partition_paths(rows, self.plan.keys.config)

    def record_keys(self, rows: pa.Table) -> pa.Array:
        """Return the record key of each row.

        If readers make the keys from stored columns, the values are first cast to the stored types.

        Raises:
            SchemaError: A value cannot be cast, or a column has a type that cannot be part of a key.
            DataError: The key generator refuses a value, such as null.
            PluginFault: The key generator failed, or returned a wrong result.
        """
        if not self.plan.table.fills_meta:
            for declared in self.plan.stored_keys.columns:
                column = column_at(rows, declared.name)
                if column is not None and column.type != declared.type:
                    place = rows.column_names.index(declared.name)
                    rows = rows.set_column(place, declared.name, _cast(column, declared))
        return self._generator.record_keys(rows, self.plan.keys.config)

    def versions(self, rows: pa.Table, keys: pa.Array) -> tuple[pa.Table, Source]:
        """Return the rows without those that a delete rule leaves out, and the same rows as versions.

        The versions of the operation `delete` have only the key and partition columns and, unless the plan uses keys
        only, the ordering columns.

        Raises:
            DataError, SchemaError: As in `to_table_types`.
            PluginFault: A delete rule failed, or returned a wrong result.
        """
        schema = self.plan.table.schema
        if self.plan.operation.name == "delete":
            for name in schema.names:
                column = column_at(rows, name)
                if column is not None:
                    _check_text(name, column, keys)
            everything = np.ones(rows.num_rows, dtype=bool)
            return rows, self.rule.incoming(self._of_delete(rows), schema, keys, everything, ~everything)
        statement = self.plan.operation.statement
        typed = to_table_types(rows, schema, keys, lacking_in(rows, statement))
        judged = self._judge.judge(typed, keys)
        if judged.kept is not None:
            rows = rows.take(pa.array(judged.kept))
        deletes = judged.deletes
        if statement is not None and CLAUSE_IF_NEW not in rows.column_names:
            deletes = deletes | clauses_with(rows, statement, "delete")
        source = self.rule.incoming(judged.rows, schema, judged.keys, deletes)
        if statement is None or not statement.lacking:
            return rows, source
        partial = clauses_with(rows, statement, "update")
        return rows, evolve(source, present=dict.fromkeys(statement.lacking, ~partial), partial=partial)

    def _of_delete(self, rows: pa.Table) -> pa.Table:
        """Return the columns of rows of the operation `delete`, which are those that a log keeps."""
        config = self.plan.keys.config
        keys = (*config.record_key, *config.partition_columns)
        ordering = (*self.rule.config.ordering, *self.rule.payload_ordering)
        named = keys if self.plan.operation.keys_only else (*keys, *ordering)
        roots = {name for path in named for name in (path, path.partition(".")[0])}
        return rows.select([name for name in rows.column_names if name in roots])

    def check_key_text(self, rows: pa.Table) -> None:
        """Raise if columns of record keys and partition paths contain bytes that are not UTF-8 text.

        This check precedes the call of the key generator, which may convert values to Python objects.

        Raises:
            DataError: A column contains such bytes (code `invalid_text`).
        """
        config = self.plan.keys.config
        for name in (*config.record_key, *config.partition_columns):
            column = column_at(rows, name)
            bad = None if column is None else invalid_text(column)
            if bad is not None:
                named = [_readable(rows.take(np.flatnonzero(bad)[:EXAMPLES]), key) for key in config.record_key]
                keys = (", ".join(values) for values in zip(*(values for values in named if values), strict=True))
                raise _no_text(name, int(bad.sum()), "; ".join(keys) or "without record key columns")

    def check_path_values(self, rows: pa.Table, paths: pa.Array) -> None:
        """Raise if a value of a column that the files lack is not in the partition path, because it would be lost.

        Raises:
            DataError: There is such a row, or a partition path does not have one level for each column (code
                `dropped_partition_columns`).
        """
        columns = self.plan.table.path_columns
        if not columns.names or not rows.num_rows:
            return
        encoded = paths.dictionary_encode()
        try:
            known = [columns.values(path) for path in encoded.dictionary.to_pylist()]
        except UnsupportedTable as error:
            raise DataError(
                f"incoming rows have a slash in a value of partition column '{columns.names[0]}' or of another one: "
                f"{error}; or encode the values with 'url_encode' in a new table",
                code="dropped_partition_columns",
            ) from error
        for name in columns.names:
            column = column_at(rows, name)
            given = pa.nulls(len(paths), pa.string()) if column is None else column.cast(pa.string())
            read = pa.array([values[name] for values in known], pa.string()).take(encoded.indices)
            # the name of the folder of null values is read as null
            lost = pc.not_equal(pc.fill_null(given, ""), pc.fill_null(read, ""))
            lost = pc.or_(lost, pc.not_equal(given.is_null(), read.is_null()))
            if pc.any(lost).as_py():
                at, count = pc.index(lost, True).as_py(), pc.sum(lost).as_py()
                value, found = (examples_of(values.slice(at, 1)) for values in (given, read))
                raise DataError(
                    f"{count} incoming row{' has' if count == 1 else 's have'} a value of partition column '{name}' "
                    f"that readers would not find: from the partition path '{paths[at].as_py()}' of the value "
                    f"{value} they would read {found}, because the table leaves its "
                    "partition columns out of its files (hoodie.datasource.write.drop.partition.columns=true); change "
                    "such values, or create the table with the columns in its files",
                    code="dropped_partition_columns",
                )

    def arrival(self, rows: pa.Table) -> NDArray[np.int64]:
        """Return the arrival number of each row."""
        numbers: NDArray[np.int64] = one_array(rows.column(ARRIVAL)).to_numpy(zero_copy_only=False)
        return numbers


def clauses_with(rows: pa.Table, statement: StatementSpec, action: str) -> NDArray[np.bool_]:
    """Return a mask of the rows whose clause has the action; False for rows without a clause."""
    does = np.array([False, *(each == action for each in statement.actions)])
    numbers = one_array(rows.column(CLAUSE)).to_numpy(zero_copy_only=False)
    # the numbers of rows that cannot be written are negative
    chosen: NDArray[np.bool_] = does[np.maximum(numbers, 0)]
    return chosen


def has_clause_if_new(rows: pa.Table) -> NDArray[np.bool_]:
    """Return a mask of the rows that have a clause if their key is not stored; all rows without `CLAUSE_IF_NEW`."""
    if CLAUSE_IF_NEW not in rows.column_names:
        return np.ones(rows.num_rows, dtype=bool)
    numbers: NDArray[np.int64] = one_array(rows.column(CLAUSE_IF_NEW)).to_numpy(zero_copy_only=False)
    return numbers > 0


def runs(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield consecutive rows of one route as one table each; the batches are sorted by route."""
    pending: list[pa.RecordBatch] = []
    current = None
    for batch in batches:
        routes = batch.column(batch.schema.get_field_index(ROUTE)).to_numpy(zero_copy_only=False)
        edges = [0, *(np.flatnonzero(routes[1:] != routes[:-1]) + 1).tolist(), len(routes)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            if pending and routes[start] != current:
                yield _concatenated(pending)
            current = routes[start]
            pending.append(batch.slice(start, end - start))
    if pending:
        yield _concatenated(pending)


def _concatenated(pending: list[pa.RecordBatch]) -> pa.Table:
    """Return the batches as a table of one chunk per column, and empty the list so that they are freed."""
    table = pa.Table.from_batches(pending).combine_chunks()
    pending.clear()
    release_unused()
    return table


def lacking_in(rows: pa.Table, statement: StatementSpec | None) -> Lacking:
    """Return a function of a column name that returns a mask of the rows whose clause lacks the column.

    Without a statement, the function returns None.
    """
    if statement is None:
        return _lacks_none
    if CLAUSE_IF_NEW in rows.column_names:
        only_deletes = clauses_with(rows, statement, "delete") & ~has_clause_if_new(rows)
        return lambda name: only_deletes
    deletes, updates = (clauses_with(rows, statement, action) for action in ("delete", "update"))
    return lambda name: deletes | updates if name in statement.lacking else deletes


def _lacks_none(name: str) -> NDArray[np.bool_] | None:
    return None


def to_table_types(rows: pa.Table, schema: pa.Schema, keys: pa.Array, lacking: Lacking = _lacks_none) -> pa.Table:
    """Return the columns of the rows that the table has, in the table's types; columns that the rows lack stay absent.

    Args:
        rows: Incoming rows.
        schema: The columns of the table.
        keys: The record keys of the rows, for messages.
        lacking: Function of a column name that returns a mask of the rows that lack it, in which a null is allowed;
            None if no row lacks it.

    Raises:
        SchemaError: A column cannot be cast to the table's type, or a value does not fit it.
        DataError: A null in a column that the table declares not null; a string that is not UTF-8 (code
            `invalid_text`); a map that has a key twice (`repeated_map_key`).
    """
    columns = {}
    for declared in schema:
        column = column_at(rows, declared.name)
        if column is None:
            continue
        if column.type != declared.type:
            column = _cast(column, declared)
        if not declared.nullable and (null := _nulls(column, lacking(declared.name))) is not None:
            examples, count = examples_of(keys.filter(null)), pc.sum(null).as_py()
            raise DataError(
                f"column '{declared.name}' is declared not null and is null in {count} incoming "
                f"row{'' if count == 1 else 's'} (keys such as {examples}); give such rows a value, or drop them "
                "before writing",
                code="null_in_required_column",
            )
        _check_text(declared.name, column, keys)
        repeats = repeated_map_keys(column)
        if repeats is not None:
            examples, count = examples_of(keys.filter(pa.array(repeats))), int(repeats.sum())
            raise DataError(
                f"column '{declared.name}' has maps that contain a key twice in {count} incoming "
                f"row{'' if count == 1 else 's'} (keys such as {examples}); Hudi's readers differ in the value "
                "that they return: keep one of the values",
                code="repeated_map_key",
            )
        columns[declared.name] = column
    return pa.table(columns)


def _nulls(column: pa.Array, lacking: NDArray[np.bool_] | None) -> pa.Array | None:
    """Return a mask of the nulls, without those of rows that lack the column; None if there are none."""
    if not column.null_count:
        return None
    null = pc.is_null(column)
    if lacking is not None:
        null = pc.and_(null, pa.array(~lacking))
    return null if pc.any(null).as_py() else None


def _cast(column: pa.Array, declared: pa.Field) -> pa.Array:
    try:
        return column.cast(declared.type)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise SchemaError(
            f"column '{declared.name}' has type {column.type} and the table has {declared.type}: {error}; "
            "cast the column before writing"
        ) from error


def _check_text(name: str, column: pa.Array, keys: pa.Array) -> None:
    bad = invalid_text(column)
    if bad is not None:
        raise _no_text(name, int(bad.sum()), f"keys such as {examples_of(keys.filter(pa.array(bad)))}")


def _no_text(name: str, count: int, which: str) -> DataError:
    return DataError(
        f"column '{name}' has bytes that are not UTF-8 text in {count} incoming row{'' if count == 1 else 's'} "
        f"({which}); correct them before writing, or store the column as binary",
        code="invalid_text",
    )


def _readable(rows: pa.Table, name: str) -> list[str]:
    """Format the values of a column for a message, with bytes that are not UTF-8 as escapes; [] without the column."""
    column = column_at(rows, name)
    if column is None:
        return []
    values = as_text(column, name).cast(pa.binary()).to_pylist()
    return [f"{name}={'null' if v is None else repr(v.decode(errors='backslashreplace'))}" for v in values]
