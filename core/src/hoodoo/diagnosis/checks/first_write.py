"""Check of the next write by hoodoo, with the checks that a write makes before it changes anything."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pyarrow as pa

from hoodoo.diagnosis.checks.pending_instants import dead_writes
from hoodoo.diagnosis.finding import Finding, Place, Status, first_places
from hoodoo.diagnosis.table_state import TableState
from hoodoo.diagnosis.wording import counted
from hoodoo.errors import CorruptTableError, HoodooError, OptionError, UnsupportedTable
from hoodoo.metadata_table.creation.choice import requested
from hoodoo.options import ArchiveOptions, CleanOptions, CompactionOptions, MetadataOptions, parse
from hoodoo.properties import METADATA_TABLE_FOLDER
from hoodoo.reading.path_columns import with_path_columns
from hoodoo.txn import has_metadata_table
from hoodoo.txn.metadata.preparation import unkept_partitions
from hoodoo.writing.prepare.prepare import GROUPS, prepare
from hoodoo.writing.prepare.prepared_write import Prepared

__all__ = ["check_first_write"]

_CHECK = "first write"
_OPERATIONS = ("upsert", "insert")
_ADVICE: dict[type[HoodooError], str] = {
    OptionError: "examine the table again with the options of the write: -o KEY=VALUE",
    UnsupportedTable: "write with Hudi, or copy the rows to a new table",
}


def check_first_write(state: TableState) -> Iterator[Finding]:
    """Yield findings about the next write of rows with the table's columns: an upsert and an insert by default."""
    rows, is_assumed = _columns(state)
    if is_assumed:
        yield Finding(
            _CHECK,
            Status.INFO,
            f"the table has no columns yet: a write of rows with {', '.join(rows.names) or 'no columns'} is examined",
        )
    operations = _OPERATIONS if "operation" not in state.options else (str(state.options["operation"]),)
    results = [(operation, _attempt(state, rows, operation)) for operation in operations]
    refusals = {str(error): error for _, error in results if isinstance(error, HoodooError)}
    for error in refusals.values():
        refused = [operation for operation, other in results if str(other) == str(error)]
        yield _refusal(refused, error)
    accepted = [(operation, done) for operation, done in results if isinstance(done, Prepared)]
    if accepted and not accepted[0][1].drops_metadata and has_metadata_table(state.properties):
        try:
            disabled = unkept_partitions(state.storage, state.properties, state.timeline)
        except HoodooError as error:
            yield _refusal([operation for operation, _ in accepted], error)
            accepted = []
        else:
            yield from _disabled(disabled)
    for operation, done in accepted:
        yield Finding(_CHECK, Status.OK, f"{operation}: accepted{_plan(operation, done)}")
    if accepted:
        yield from _before_and_after(state, accepted[0][1])


def _disabled(partitions: list[str]) -> Iterator[Finding]:
    if partitions:
        yield Finding(
            _CHECK,
            Status.INFO,
            f"it would first remove {counted(len(partitions), 'partition')} of the metadata table that hoodoo cannot "
            f"keep current ({', '.join(partitions)}), and keep the others",
            f"write with Hudi if readers need {'it' if len(partitions) == 1 else 'them'}",
        )


def _attempt(state: TableState, rows: pa.Schema, operation: str) -> Prepared | HoodooError:
    """Return the prepared write, or the error with which the planner rejects it."""
    try:
        options = parse({**state.options, "operation": operation}, GROUPS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a write repeats them; they concern the options
            prepared = prepare(state.storage, rows, options, "append", state.catalogue)
    except HoodooError as error:
        return error
    if prepared is None:
        raise AssertionError("mode 'append' writes to a table that exists")
    return prepared


def _columns(state: TableState) -> tuple[pa.Schema, bool]:
    """Return the columns of the table, and whether they are only assumed because it has none yet."""
    columns = state.columns
    if len(columns):
        return with_path_columns(columns, state.properties), False
    properties = state.properties
    names = dict.fromkeys((*properties.record_key, *properties.partition_by, *properties.ordering))
    return pa.schema([(name, pa.string()) for name in names if "." not in name]), True


def _refusal(operations: list[str], error: HoodooError) -> Finding:
    named = " and ".join(operations)
    damaged = error.file if isinstance(error, CorruptTableError) else None
    if error.code == "metadata_table" or (damaged or "").startswith(f"{METADATA_TABLE_FOLDER}/"):
        return Finding(
            _CHECK,
            Status.INFO,
            f"{named} would be refused: {error}",
            "give hoodie.metadata.enable=false, with which the write removes the metadata table",
        )
    if error.code == "generated_keys":
        return Finding(_CHECK, Status.INFO, f"{named} would be refused: {error}")
    found = f"{named} of rows with the table's columns would be refused: {error}"
    return Finding(_CHECK, Status.WARNING, found, _ADVICE.get(type(error), ""))


def _plan(operation: str, prepared: Prepared) -> str:
    instead = "" if prepared.operation.name == operation else f" as {prepared.operation.name}"
    parts = ["a deltacommit" if prepared.table.appends else "a commit of base files"]
    if operation not in ("insert", "bulk_insert"):
        parts.append(f"rows found by index '{prepared.index.name}'")
        parts.append(f"rows merged by {prepared.rule.family} '{prepared.rule.plugin.name}'")
    parts.append(f"keys of key generator '{prepared.keys.keygen.name}'")
    return f"{instead}: {', '.join(parts)}"


def _before_and_after(state: TableState, prepared: Prepared) -> Iterator[Finding]:
    dead = dead_writes(state)
    if dead:
        yield Finding(
            _CHECK,
            Status.WARNING,
            f"it would first roll back {counted(len(dead), 'failed write')}",
            places=first_places(Place(instant=instant.time) for instant in dead),
        )
    if prepared.drops_metadata and state.properties.metadata_partitions:
        yield Finding(_CHECK, Status.INFO, "with hoodie.metadata.enable=false it would first remove the metadata table")
    options = state.write_options
    created = _created(state, options[MetadataOptions])
    if created:
        yield Finding(_CHECK, Status.INFO, f"it would first create {', '.join(created)} in the metadata table")
    services = {
        "compact logs": prepared.table.appends and options[CompactionOptions].compact_inline,
        "clean old files": options[CleanOptions].clean_automatic,
        "archive old instants": options[ArchiveOptions].archive_automatic,
    }
    due = [name for name, enabled in services.items() if enabled]
    if due:
        yield Finding(_CHECK, Status.INFO, f"after the commit it would, when due, {', '.join(due)}")


def _created(state: TableState, options: MetadataOptions) -> list[str]:
    """Return the partitions of the metadata table that a write with these options creates."""
    there = state.properties.metadata_partitions
    if options.metadata_table is False or not (options.metadata_table or there):
        return []
    return [str(kind) for kind in requested(options, state.properties).partitions if kind not in there]
