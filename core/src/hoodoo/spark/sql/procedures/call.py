"""Execution of CALL, and the list of all procedures with their arguments and columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from hoodoo.errors import StatementError
from hoodoo.filegroup import FileSlice, file_groups
from hoodoo.spark.sql.context import Context, check_named
from hoodoo.spark.sql.procedures.commits import (
    archived_commits,
    archived_commits_metadata,
    commit_extra_metadata,
    commit_files,
    commit_partitions,
    commit_write_stats,
    commits,
    write_amplification,
)
from hoodoo.spark.sql.procedures.instants import (
    clean_plans,
    cleans,
    commits_metadata,
    compactions,
    file_sizes,
    rollbacks,
    savepoints,
    timeline,
)
from hoodoo.spark.sql.procedures.log_blocks import log_blocks
from hoodoo.spark.sql.results import result_frame
from hoodoo.spark.sql.rows.table_rows import text_of
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.spark.sql.tables.names import named
from hoodoo.sql_parsing.definitions import Call
from hoodoo.sql_text.fragment import Fragment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["is_procedure", "run_call"]


@frozen
class Procedure:
    """Procedure of CALL.

    Attributes:
        run: The function, which receives the session, the table and the other arguments, and returns the rows.
        arguments: The names of the arguments, in Hudi's order, with their defaults; `...` for a required one. One of
            `table` and `path` is required as well, although the default of both is None.
        columns: The names and types of the columns of the result.
        positional: The number of leading arguments that may be passed without a name, because they have the same
            position as in Hudi.
    """

    run: Callable[[Any, NamedTable, Mapping[str, Any]], list[list[Any]]]
    arguments: Mapping[str, Any]
    columns: str
    positional: int = 1


def is_procedure(call: Call) -> bool:
    """Return whether CALL names a procedure without a namespace or in `system`; Spark calls other procedures."""
    return len(call.procedure.parts) == 1 or call.procedure.parts[0].lower() == "system"


def run_call(context: Context, call: Call) -> DataFrame:
    """Execute a procedure, and return its rows.

    Raises:
        StatementError: There is no such procedure, an argument is missing or wrong, the statement has parameters
            without names, or the procedure does not apply to the table.
        HoodooError: The procedure failed, for example as in `Table.compact` or `Table.clean`.
    """
    check_named(context, "CALL")
    procedure = _PROCEDURES.get(call.procedure.parts[-1].lower())
    if procedure is None:
        raise call.procedure.at.error(
            f"there is no procedure '{call.procedure}'; the procedures are: {', '.join(sorted(_PROCEDURES))}",
            code="unknown_procedure",
        )
    target, given = _arguments(context, call, procedure)
    return result_frame(context.spark, procedure.columns, procedure.run(context.spark, target, given))


def _arguments(context: Context, call: Call, procedure: Procedure) -> tuple[NamedTable, dict[str, Any]]:
    names = list(procedure.arguments)
    given: dict[str, Any] = {}
    target: NamedTable | None = None
    for position, argument in enumerate(call.arguments):
        if argument.name is None and position >= procedure.positional:
            raise argument.value.error(
                f"the argument needs a name, as in table => 'name'; the names are: {', '.join(names)}"
            )
        name = argument.name or names[position]
        if name not in names:
            raise argument.value.error(f"{call.procedure} has no argument '{name}'; it has: {', '.join(names)}")
        if name in given:
            raise argument.value.error(f"argument '{name}' is repeated; give it once")
        if target is not None and name in ("table", "path"):
            raise argument.value.error("the table is given twice; give either 'table' or 'path', once")
        if name == "table":
            target = named(context.spark, text_of(argument.value, context.args), argument.value)
        elif name == "path":
            target = NamedTable(text_of(argument.value, context.args), NamePlace.PATH)
        else:
            value = context.value(argument.value)
            given[name] = _limit(value, argument.value) if name == "limit" else value
    if target is None:
        raise call.procedure.at.error(
            f"argument 'table' or 'path' of {call.procedure} is missing; write CALL {call.procedure}(table => 'name')"
        )
    for name, default in procedure.arguments.items():
        if default is ... and name not in given and name not in ("table", "path"):
            raise call.procedure.at.error(f"argument '{name}' of {call.procedure} is missing; write {name} => value")
    return target, {**{name: value for name, value in procedure.arguments.items() if value is not ...}, **given}


def _limit(value: Any, at: Fragment) -> int:
    """Return the greatest number of rows to show. Raise `StatementError` for a value that is not such a number."""
    text = str(value).strip()
    if not (text.isascii() and text.isdigit()):
        shown = "null" if value is None else f"'{value}'"
        raise at.error(f"argument 'limit' is {shown}; give a number of rows, such as limit => 10")
    return int(text)


def _slice_row(file_slice: FileSlice) -> list[Any]:
    return [
        file_slice.partition,
        file_slice.file_id,
        file_slice.base_instant,
        file_slice.path or "",
        file_slice.size,
        len(file_slice.logs),
        sum(log.size for log in file_slice.logs),
        "[" + ", ".join(log.path for log in file_slice.logs) + "]",
    ]


def _all_slices(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    groups = file_groups(target.storage(spark), target.table(spark).timeline)
    rows = [_slice_row(file_slice) for group in groups for file_slice in group.slices]
    return rows[: given["limit"]]


def _latest_slices(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    partition = given["partition_path"]
    slices = target.table(spark).file_slices()
    rows = [_slice_row(each) for each in slices if partition in (None, "ALL_PARTITIONS", each.partition)]
    return rows[: given["limit"]]


def _compaction(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    """Run a compaction, which hoodoo plans and executes at once. Raise `StatementError` for another operation."""
    operation = str(given["op"]).lower()
    if operation not in ("run", "scheduleandexecute"):
        raise StatementError(
            f"run_compaction has op => {operation!r}; hoodoo plans and executes a compaction at once: use op => 'run'"
        )
    commit = target.table(spark).compact(spark, **target.concurrency(spark))
    return [] if commit is None else [[commit.instant, commit.files, "COMPLETED"]]


def _clean(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    names = {
        "clean_policy": "clean_policy",
        "retain_commits": "commits_retained",
        "hours_retained": "hours_retained",
        "file_versions_retained": "file_versions_retained",
    }
    options = {option: given[name] for name, option in names.items() if given[name] is not None}
    started = time.monotonic()
    done = target.table(spark).clean(**options, **target.concurrency(spark))
    if done is None:
        return []
    milliseconds = round((time.monotonic() - started) * 1000)
    return [[done.instant, milliseconds, len(done.files), done.earliest_retained, "{}", 2]]


def _archive(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    names = {"min_commits": "keep_min_commits", "max_commits": "keep_max_commits", "retain_commits": "commits_retained"}
    options = {option: given[name] for name, option in names.items() if given[name] is not None}
    target.table(spark).archive(**options, **target.concurrency(spark))
    return [[0]]


def _properties(spark: Any, target: NamedTable, given: Mapping[str, Any]) -> list[list[Any]]:
    entries = target.table(spark).properties.entries
    return [list(pair) for pair in sorted(entries.items())][: given["limit"]]


_SLICES = (
    "partition string, file_id string, base_instant string, data_file string, data_file_size long, "
    "num_delta_files long, total_delta_file_size long, delta_files string"
)

_COMMIT = (
    "total_bytes_written long, total_files_added long, total_files_updated long, total_partitions_written long, "
    "total_records_written long, total_update_records_written long, total_errors long"
)

_FILES = (
    "commit_time string, state_transition_time string, action string, partition string, file_id string, "
    "previous_commit string, num_writes long, num_inserts long, num_deletes long, num_update_writes long, "
    "total_errors long, total_log_blocks long, total_corrupt_log_blocks long, total_rollback_blocks long, "
    "total_log_records long, total_updated_records_compacted long, total_bytes_written long"
)

_ARCHIVED = {"table": None, "limit": 10, "start_ts": "", "end_ts": "", "path": None}

_PROCEDURES = {
    "show_commits": Procedure(
        commits,
        {"table": None, "path": None, "limit": 10},
        f"commit_time string, state_transition_time string, action string, {_COMMIT}",
        positional=3,
    ),
    "show_commits_metadata": Procedure(
        commits_metadata,
        {"table": None, "limit": 10, "path": None},
        _FILES,
        positional=2,
    ),
    "show_archived_commits": Procedure(
        archived_commits,
        _ARCHIVED,
        f"commit_time string, state_transition_time string, {_COMMIT}",
        positional=4,
    ),
    "show_archived_commits_metadata": Procedure(archived_commits_metadata, _ARCHIVED, _FILES, positional=4),
    "stats_wa": Procedure(
        write_amplification,
        {"table": None, "limit": 10, "path": None},
        "commit_time string, total_upserted long, total_written long, write_amplification_factor string",
        positional=2,
    ),
    "show_clean_plans": Procedure(
        clean_plans,
        {"table": None, "limit": 10, "showarchived": False, "path": None},
        "plan_time string, state string, action string, earliest_instant_to_retain string, "
        "last_completed_commit_timestamp string, policy string, version int, total_partitions_to_clean int, "
        "total_partitions_to_delete int, extra_metadata string",
        positional=3,
    ),
    "show_logfile_metadata": Procedure(
        log_blocks,
        {"table": None, "log_file_path_pattern": ..., "limit": 10, "path": None},
        "instant_time string, record_count int, block_type string, header_metadata string, footer_metadata string",
        positional=3,
    ),
    "show_timeline": Procedure(
        timeline,
        {"table": None, "path": None, "limit": 20, "showarchived": False},
        "instant_time string, action string, state string, requested_time string, inflight_time string, "
        "completed_time string, timeline_type string, rollback_info string",
        positional=4,
    ),
    "show_savepoints": Procedure(savepoints, {"table": None, "path": None}, "savepoint_time string", positional=2),
    "show_rollbacks": Procedure(
        rollbacks,
        {"table": None, "limit": 10, "path": None},
        "instant string, rollback_instant string, total_files_deleted int, time_taken_in_millis long, "
        "total_partitions int",
        positional=2,
    ),
    "show_cleans": Procedure(
        cleans,
        {"table": None, "limit": 10, "path": None},
        "clean_time string, state_transition_time string, action string, start_clean_time string, "
        "time_taken_in_millis long, total_files_deleted int, earliest_commit_to_retain string, "
        "last_completed_commit_timestamp string, version int",
        positional=2,
    ),
    "show_compaction": Procedure(
        compactions,
        {"table": None, "path": None, "limit": 20},
        "timestamp string, operation_size int, state string",
        positional=3,
    ),
    "stats_file_sizes": Procedure(
        file_sizes,
        {"table": None, "partition_path": "", "limit": 10, "path": None},
        "commit_time string, min long, `10th` double, `50th` double, avg double, `95th` double, max long, "
        "num_files int, std_dev double",
        positional=3,
    ),
    "show_commit_files": Procedure(
        commit_files,
        {"table": None, "limit": 10, "instant_time": ..., "path": None},
        "action string, partition_path string, file_id string, previous_commit string, total_records_updated long, "
        "total_records_written long, total_bytes_written long, total_errors long, file_size long",
        positional=3,
    ),
    "show_commit_partitions": Procedure(
        commit_partitions,
        {"table": None, "limit": 10, "instant_time": ..., "path": None},
        "action string, partition_path string, total_files_added long, total_files_updated long, "
        "total_records_inserted long, total_records_updated long, total_bytes_written long, total_errors long",
        positional=3,
    ),
    "show_commit_write_stats": Procedure(
        commit_write_stats,
        {"table": None, "limit": 10, "instant_time": ..., "path": None},
        "action string, total_bytes_written long, total_records_written long, avg_record_size long",
        positional=3,
    ),
    "show_commit_extra_metadata": Procedure(
        commit_extra_metadata,
        {"table": None, "limit": 100, "instant_time": None, "metadata_key": None, "path": None},
        "instant_time string, action string, metadata_key string, metadata_value string",
        positional=4,
    ),
    "show_fsview_all": Procedure(_all_slices, {"table": None, "limit": 10, "path": None}, _SLICES),
    "show_fsview_latest": Procedure(
        _latest_slices, {"table": None, "limit": 10, "partition_path": None, "path": None}, _SLICES
    ),
    "run_compaction": Procedure(
        _compaction,
        {"op": ..., "table": None, "path": None},
        "timestamp string, operation_size int, state string",
        positional=3,
    ),
    "run_clean": Procedure(
        _clean,
        {
            "table": None,
            "clean_policy": None,
            "retain_commits": None,
            "hours_retained": None,
            "file_versions_retained": None,
            "path": None,
        },
        "start_clean_time string, time_taken_in_millis long, total_files_deleted int, "
        "earliest_commit_to_retain string, bootstrap_part_metadata string, version int",
    ),
    "archive_commits": Procedure(
        _archive,
        {"table": None, "path": None, "min_commits": None, "max_commits": None, "retain_commits": None},
        "result int",
        positional=5,
    ),
    "show_table_properties": Procedure(
        _properties, {"table": None, "path": None, "limit": 10}, "key string, value string", positional=3
    ),
}
