"""Log file of a delta commit, with its name, marker, blocks and status."""

from __future__ import annotations

import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hoodoo.format.file_names import LogFileName
from hoodoo.format.log.block_writer import avro_data_block, delete_block, parquet_data_block
from hoodoo.record import Records
from hoodoo.record.delete_markers import FLAG_COLUMN
from hoodoo.schema.avro_encode import with_meta_fields
from hoodoo.storage import join, name_of, translate_os_errors
from hoodoo.txn.markers import MarkerKind
from hoodoo.writing.data_files.data_file import DataFile
from hoodoo.writing.data_files.event_time_range import event_times
from hoodoo.writing.data_files.row_assembly import Stamp, inserted_rows
from hoodoo.writing.data_files.task_attempt import TaskAttempt, WriteToken
from hoodoo.writing.file_status import FileStatus
from hoodoo.writing.routing.task_plan import SliceRef, TaskPlan

__all__ = ["write_log"]


def write_log(
    plan: TaskPlan,
    attempt: TaskAttempt,
    partition: str,
    ref: SliceRef,
    newer: Records,
    incoming: int,
    leaving: pa.Array | None = None,
) -> FileStatus:
    """Append records to a file slice: a data block of the rows, then a block of the deletes with their ordering values.

    A block without records is not written. A delete whose columns the rule reads is a record of the data block. Partial
    records are in a separate data block, before the deletes.

    Args:
        plan: The plan of the write.
        attempt: The attempt at the task.
        partition: Partition path.
        ref: The slice; a new slice begins with this log.
        newer: One record per key.
        incoming: The number of incoming rows from which `newer` was made.
        leaving: Keys whose stored rows are deleted unconditionally; None for none.

    Raises:
        CommitError: The commit or a rollback discarded the file.
    """
    started, files = time.perf_counter(), attempt.files
    path = join(partition, str(_name(plan, ref, attempt.token)))
    deletes = newer.is_delete
    kept = plan.kept_deletes
    logged = ~deletes if kept is None else ~deletes | kept.chosen(newer)
    live, gone = newer.take(np.flatnonzero(~deletes)), newer.take(np.flatnonzero(~logged))
    data = live if kept is None else kept.marked(newer.take(np.flatnonzero(logged)))
    file = DataFile(plan.instant, path, _marker_kind(plan), None if ref.is_stored else partition)
    files.begin(file)
    size = 0
    forced = pa.array([], pa.string()) if leaving is None else leaving
    # a log record names its file group, not its file
    stamp = Stamp(plan.instant, attempt.token.task, partition, ref.file_id, plan.table.fills_meta)
    blocks = _blocks(plan, attempt, stamp, data, gone, forced)
    with translate_os_errors("write", path), files.open_output(path) as sink:
        # a rollback may have listed this folder before the file existed
        for block in blocks if files.is_announced(file) else ():
            sink.write(block)
            size += len(block)
    files.sync(path)
    returned = files.finish(file)
    # rows of operation insert are new, although readers merge logs by key
    merges = ref.is_stored and plan.operation.merges
    marked = FLAG_COLUMN in plan.table.schema.names or plan.rule.config.delete.field is not None
    return FileStatus(
        partition=partition,
        file_id=ref.file_id,
        path=path,
        previous=ref.instant,
        rows=len(live),
        inserted=0 if merges else len(live),
        updated=len(live) if merges else 0,
        deleted=int(deletes.sum()) + len(forced),
        ignored=0,
        incoming=incoming,
        size=size,
        seconds=time.perf_counter() - started,
        base_file=name_of(ref.path) if plan.table.layout == 1 else "",
        log_files=(*ref.logs, name_of(path)) if plan.table.layout == 1 else (name_of(path),),
        event_times=event_times(live, plan.files.event_time),
        # new keys of other indexes are in base files
        located=merges and not plan.index.uses_buckets,
        deletes=marked or len(live) < len(newer) or len(forced) > 0,
        returned=returned,
    )


def _name(plan: TaskPlan, ref: SliceRef, token: WriteToken) -> LogFileName:
    if plan.table.layout == 1:
        return LogFileName(ref.file_id, ref.log_instant or plan.instant, ref.next_log_version, str(token), is_cdc=False)
    return LogFileName(ref.file_id, plan.instant, 1, str(token), is_cdc=False)


def _marker_kind(plan: TaskPlan) -> MarkerKind:
    """Return the kind of the marker of a log: Hudi refuses to roll back markers of another kind."""
    return "APPEND" if plan.table.layout == 1 else "CREATE"


def _blocks(
    plan: TaskPlan, attempt: TaskAttempt, stamp: Stamp, data: Records, gone: Records, leaving: pa.Array
) -> list[bytes]:
    schema = with_meta_fields(plan.table.log_schema)
    blocks = []
    lacking = () if plan.operation.statement is None else plan.operation.statement.lacking
    partial = np.zeros(len(data), dtype=bool)
    for name in lacking:
        absent = data.lacking(name)
        partial |= False if absent is None else absent
    for chosen, names in ((~partial, ()), (partial, lacking)):
        records, table = data.take(np.flatnonzero(chosen)), plan.table.without(names)
        if len(records):
            rows = inserted_rows(records, table.schema, stamp, attempt.numbering.reserve(len(records)))
            blocks.append(_data_block(plan, rows, with_meta_fields(table.log_schema), is_partial=bool(names)))
    if len(gone) or len(leaving):
        keys = pa.concat_arrays([gone.keys, leaving.cast(gone.keys.type)])
        values = [pa.concat_arrays([v, pa.nulls(len(leaving), v.type)]) for v in _delete_ordering(plan, gone)]
        blocks.append(delete_block(plan.instant, keys, pa.repeat(stamp.partition, len(keys)), values, schema))
    return blocks


def _data_block(plan: TaskPlan, rows: pa.Table, schema: str, *, is_partial: bool) -> bytes:
    if plan.files.options.log_format == "avro":
        return avro_data_block(plan.instant, _plain(rows), schema, is_partial=is_partial)
    compression = plan.files.options.compression
    return parquet_data_block(plan.instant, rows, schema, compression=compression, is_partial=is_partial)


def _delete_ordering(plan: TaskPlan, gone: Records) -> list[pa.Array]:
    """Return the ordering values of deletes, one array for each ordering column; null where a delete is unconditional.

    A payload applies a key-only delete regardless of its ordering value, but readers of logs compare ordering values.
    Such a delete is therefore written without one.
    """
    unconditional = gone.ordering.absent.copy()
    if plan.rule.family == "payload":
        unconditional |= ~gone.has_data
    return [pc.if_else(pa.array(unconditional), pa.scalar(None, v.type), v) for v in gone.ordering.values]


def _plain(rows: pa.Table) -> pa.Table:
    """Return rows with dictionaries decoded."""
    for number, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            rows = rows.set_column(number, field.name, rows.column(number).cast(field.type.value_type))
    return rows
