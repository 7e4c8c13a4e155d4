"""Checks of a write before any file is written."""

from __future__ import annotations

import pyarrow as pa

from hoodoo.errors import OptionError, SchemaError, UnsupportedTable
from hoodoo.filegroup import FileSlice
from hoodoo.index.index_types import Index
from hoodoo.merge.kept_deletes import check_kept_deletes
from hoodoo.options import Problems, WriteOptions
from hoodoo.properties import TableProperties
from hoodoo.properties.property_keys import LEGACY_PAYLOAD_CLASS
from hoodoo.record import check_orderable
from hoodoo.record.delete_markers import FLAG_COLUMN
from hoodoo.schema.avro_encode import stored_schema
from hoodoo.schema.columns import field_at
from hoodoo.schema.meta_columns import META_COLUMNS
from hoodoo.writing.data_files.event_time_range import is_event_time
from hoodoo.writing.prepare.layout_checks import check_layout
from hoodoo.writing.prepare.prepared_write import Prepared
from hoodoo.writing.write_spec import OperationSpec

__all__ = ["check_columns", "check_operation", "check_slices", "validate"]


def check_operation(write: WriteOptions) -> None:
    """Raise `OptionError` if options belong to another operation, or contradict each other."""
    if write.drop_duplicates and write.dup_policy not in (None, "drop"):
        raise OptionError(
            f"'drop_duplicates' is true and 'dup_policy' is {write.dup_policy}; leave one of them out",
            code="contradiction",
        )
    if (write.drop_duplicates or write.dup_policy not in (None, "none")) and write.operation != "insert":
        raise OptionError(
            f"'dup_policy' and 'drop_duplicates' belong to operation insert, and operation is "
            f"'{write.operation}'; leave them out",
            code="contradiction",
        )
    if write.partitions_to_delete is not None and write.operation != "delete_partition":
        raise OptionError(
            f"'partitions_to_delete' belongs to operation delete_partition, and operation is "
            f"'{write.operation}'; leave it out",
            code="contradiction",
        )
    if write.partitions_to_overwrite is not None and write.operation != "insert_overwrite":
        raise OptionError(
            f"'partitions_to_overwrite' belongs to operation insert_overwrite, and operation is "
            f"'{write.operation}'; leave it out",
            code="contradiction",
        )


def check_columns(rows: pa.Schema) -> None:
    """Raise `SchemaError` if a name is reserved, two names differ at most by case, or Avro cannot express a column."""
    lower: dict[str, str] = {}
    for name in rows.names:
        if name.lower() in lower:
            raise SchemaError(
                f"columns '{lower[name.lower()]}' and '{name}' differ by case only, or not at all; rename one of them",
                code="column_name",
            )
        if name.lower() in META_COLUMNS or name.startswith("__hoodoo_"):
            raise SchemaError(f"column '{name}' has a reserved name; rename it", code="column_name")
        lower[name.lower()] = name
    stored_schema(rows)  # raises if the table's Avro schema cannot express a name or type


def check_slices(
    stored: TableProperties, slices: list[FileSlice], operation: OperationSpec, index: type[Index]
) -> None:
    """Raise if the write cannot find the keys of a slice, or cannot write to the slice.

    Raises:
        UnsupportedTable: A slice of a copy-on-write table has a log (code `log_file`), or a slice has no base file and
            the index has no buckets (`log_only`).
        OptionError: A slice has a log, and an insert looks keys up.
    """
    for file_slice in slices:
        if stored.table_type == "COPY_ON_WRITE" and file_slice.logs:
            raise UnsupportedTable(
                f"'{file_slice.logs[0].path}' is a log file in a COPY_ON_WRITE table, and hoodoo does not write to a "
                "table with such files; write with Hudi",
                code="log_file",
            )
        if file_slice.logs and operation.dup_policy != "none":
            given = "drop or 'drop_duplicates' is true" if operation.dup_policy == "drop" else operation.dup_policy
            raise OptionError(
                f"'dup_policy' is {given}, and '{file_slice.logs[0].path}' is a log file, whose keys an insert does "
                "not look up; compact the table first"
            )
        if file_slice.path is None and not index.uses_buckets:
            raise UnsupportedTable(
                f"file group '{file_slice.file_id}' of partition '{file_slice.partition}' has logs and no base file; "
                "only index 'bucket' finds keys without base files: compact the table first, or write with "
                "'index' = 'bucket' if the file groups are buckets",
                code="log_only",
            )


def validate(rows: pa.Schema, prepared: Prepared, problems: Problems) -> None:
    """Raise if a column is missing, unknown or of a wrong type, or if a plugin or file layout does not fit the write.

    Args:
        rows: The columns of the rows.
        prepared: The write, with its table, keys and rule.
        problems: The collection of errors.

    Raises:
        OptionError, PluginError, SchemaError: The first such error, unless `problems` collects the errors.
    """
    schema, keys, config = prepared.table.schema, prepared.keys.config, prepared.rule.config
    operation = prepared.operation.name
    delete = operation in ("delete", "delete_partition")
    needed = {"record_key": keys.record_key, "partition_by": keys.partition_columns}
    if not delete:
        needed["ordering"] = config.ordering
        needed["payload_ordering"] = tuple(n for n in prepared.rule.payload_ordering if n not in config.ordering)
    if operation == "delete" and prepared.index.is_global:
        del needed["partition_by"]  # a global index finds the keys in any partition
    known = len(problems.found)
    for option, names in needed.items():
        for name in names:
            with problems.caught():
                _check_there(rows, name, option)
    for name in {*config.ordering, *prepared.rule.payload_ordering}:
        field = field_at(rows, name) or field_at(schema, name)
        with problems.caught():
            if field is not None:
                check_orderable(name, field.type)
    with problems.caught():
        _check_named_columns(rows, prepared, delete=delete)
    has_columns = len(problems.found) == known
    # creating the rule, key generator and delete rules here checks their options before any row is processed
    with problems.caught():
        prepared.rule.make_rule()
        prepared.rule.make_judge()
        if not delete and has_columns:
            prepared.rule.check(schema)
            check_kept_deletes(prepared.rule, schema, in_logs=prepared.table.appends)
    with problems.caught():
        if has_columns:
            _check_generator(rows, prepared)
    with problems.caught():
        check_layout(rows, prepared)


def _check_there(rows: pa.Schema, name: str, option: str) -> None:
    if field_at(rows, name) is None:
        raise SchemaError(
            f"the rows have no column '{name}', which '{option}' names; add it, or name one of {', '.join(rows.names)}",
            code="column_missing",
        )


def _check_named_columns(rows: pa.Schema, prepared: Prepared, *, delete: bool) -> None:
    """Raise if a column for deletes, event times or arrival does not fit, or if a delete has an unknown column."""
    schema = prepared.table.schema
    # a full load lacks the columns that a payload reads: the first changes add them
    implied = LEGACY_PAYLOAD_CLASS in prepared.properties
    marked = None if delete or implied else prepared.rule.config.delete.field
    if marked is not None and field_at(schema, marked) is None:
        raise SchemaError(
            f"there is no column '{marked}', which 'delete_field' names; set it to one of {', '.join(schema.names)}",
            code="column_missing",
        )
    if prepared.files.event_time:
        _check_event_time(prepared.files.event_time, schema)
    arrival = prepared.options.arrival
    if arrival not in ("position", "content") and field_at(rows, arrival) is None:
        raise SchemaError(
            f"the rows have no column '{arrival}', which 'arrival' names; use position, content or a column",
            code="column_missing",
        )
    if prepared.operation.name == "delete":
        _check_known(rows, prepared)


def _check_generator(rows: pa.Schema, prepared: Prepared) -> None:
    """Raise if the key generator cannot be made, refuses the columns, or does not fit the operation."""
    keys = prepared.keys.config
    generator = prepared.keys.make_generator()
    if generator.generates_keys:
        _check_generated(prepared)
    nothing = rows.empty_table()
    generator.record_keys(nothing, keys)
    generator.partition_paths(nothing, keys)
    generator.key_qualifiers(nothing, keys)
    generator.path_qualifiers(nothing, keys)


def _check_generated(prepared: Prepared) -> None:
    """Raise if the write merges rows by generated keys, has a bucket index, or does not number rows by position."""
    operation = prepared.operation
    where = f"key generator '{prepared.keys.keygen.name}' gives each row a new key"
    if operation.merges:
        raise OptionError(
            f"{where}, so that operation '{operation.name}' would find none of them in the table; "
            "use operation insert, bulk_insert or one that overwrites",
            code="generated_keys",
        )
    if operation.combines or operation.looks_up:
        option = "combine_before_insert" if operation.combines else "dup_policy"
        raise OptionError(
            f"{where}, so that no two rows have one key and '{option}' or 'drop_duplicates' has no effect; leave the "
            "option out; if the mode is overwrite, also set operation to insert or bulk_insert",
            code="generated_keys",
        )
    if prepared.index.uses_buckets:
        raise OptionError(
            f"{where}, and index 'bucket' needs record key columns, which the table lacks; use 'index' = 'simple'",
            code="generated_keys",
        )
    arrival = prepared.options.arrival
    if arrival != "position":
        raise OptionError(
            f"{where} by its position in the input, and 'arrival' is '{arrival}', which rows may share; leave it "
            "out, and persist an input that cannot be computed again in the same order",
            code="generated_keys",
        )


def _check_event_time(column: str, schema: pa.Schema) -> None:
    field = field_at(schema, column)
    if field is None:
        raise SchemaError(
            f"there is no column '{column}' for the event time; set 'event_time_field' to one of "
            f"{', '.join(schema.names)}",
            code="column_missing",
        )
    if not is_event_time(field.type):
        raise SchemaError(
            f"column '{column}' is of type {field.type} and cannot be an event time; set 'event_time_field' to a "
            "column of timestamps, dates, whole numbers or texts",
            code="column_type",
        )


def _check_known(rows: pa.Schema, prepared: Prepared) -> None:
    """Raise if a delete has unused columns, because a misspelt ordering column would make it unconditional."""
    schema = prepared.table.schema
    known = {*schema.names, FLAG_COLUMN, prepared.options.arrival.partition(".")[0]}
    unknown = [name for name in rows.names if name not in known]
    if unknown:
        raise SchemaError(
            f"the table has no column{'' if len(unknown) == 1 else 's'} {', '.join(map(repr, unknown))}, and "
            f"operation delete adds none; the table has {', '.join(schema.names)}: leave out other columns",
            code="unknown_column",
        )
