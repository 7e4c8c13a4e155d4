"""Diagnosis of a table: all checks in the order of their dependencies. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from attrs import field, frozen

from hoodoo.diagnosis.checks.clock import check_clock
from hoodoo.diagnosis.checks.data_files import check_data_files
from hoodoo.diagnosis.checks.file_sizes import check_logs, check_small_files
from hoodoo.diagnosis.checks.first_write import check_first_write
from hoodoo.diagnosis.checks.history import check_archive, check_timeline
from hoodoo.diagnosis.checks.merge_rule import check_merge_rule
from hoodoo.diagnosis.checks.metadata_table import check_metadata_table
from hoodoo.diagnosis.checks.pending_instants import check_pending
from hoodoo.diagnosis.checks.versions import check_versions
from hoodoo.diagnosis.finding import Finding, Place, Status
from hoodoo.diagnosis.rows.check_rows import check_rows
from hoodoo.diagnosis.rows.table_rows import Progress
from hoodoo.diagnosis.table_state import TableState
from hoodoo.errors import HoodooError, NotATable, TableChanged
from hoodoo.options import parse
from hoodoo.plugin.installed.catalogue import Catalogue, default_catalogue
from hoodoo.properties import load_properties
from hoodoo.storage import ReadOnlyStorage, storage_for
from hoodoo.timeline import utc_now
from hoodoo.writing.prepare.prepare import GROUPS

__all__ = ["Diagnosis", "diagnose", "no_progress"]

_CHECKS: Mapping[str, Callable[[TableState], Iterator[Finding]]] = {
    "version": check_versions,
    "timeline": check_timeline,
    "pending": check_pending,
    "clock": check_clock,
    "archive": check_archive,
    "metadata table": check_metadata_table,
    "data files": check_data_files,
    "small files": check_small_files,
    "logs": check_logs,
    "merge rule": check_merge_rule,
    "first write": check_first_write,
}


def no_progress(step: str, done: int, total: int) -> None:
    """Ignore the progress: the default of `diagnose`."""


@frozen
class Diagnosis:
    """Result of the checks of a table.

    Attributes:
        path: The URI of the table.
        findings: The findings, in the order of the checks.
        unread: Descriptions of everything that was not examined.
        facts: Name, type, version and other facts of the table; empty if the table cannot be opened.
    """

    path: str
    findings: tuple[Finding, ...]
    unread: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(factory=dict)

    @property
    def worst(self) -> Status:
        """Return the most serious status of the findings; `OK` without findings."""
        return max((finding.status for finding in self.findings), key=list(Status).index, default=Status.OK)

    def to_dict(self) -> dict[str, object]:
        """Return the diagnosis as a dictionary for JSON."""
        return {
            "path": self.path,
            "status": self.worst.value,
            "table": dict(self.facts),
            "findings": [finding.to_dict() for finding in self.findings],
            "not_examined": list(self.unread),
        }


def diagnose(
    path: str | os.PathLike[str],
    options: Mapping[str, Any] | None = None,
    *,
    rows: bool = True,
    sample: int | None = None,
    progress: Progress = no_progress,
    catalogue: Catalogue | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Diagnosis:
    """Examine a table of any writer, without writing to it.

    Args:
        path: The root folder of the table, or its URI.
        options: The options of the writes that are planned, and of the object store.
        rows: Whether to read rows, to find repeated keys and wrong partitions.
        sample: The number of rows to read, spread evenly over the file groups, at least one of each; None for all. It
            has no effect if `rows` is False.
        progress: Function that receives the progress of reading rows.
        catalogue: The catalogue of plugins; None for that of the installed plugins.
        clock: A function that returns the current time, with a zone.

    Raises:
        OptionError: An option is unknown, or its value is invalid.
        NotATable: The path has no table.
        UnsupportedTable: The location is not supported, or needs a package that is not installed.
    """
    parse(options or {}, GROUPS)
    storage = ReadOnlyStorage(storage_for(path, options))
    try:
        properties = load_properties(storage)
    except NotATable:
        raise
    except HoodooError as error:
        return Diagnosis(storage.uri, (_failed("version", error),), ("everything else: the table cannot be opened",))
    state = TableState(storage, properties, clock(), catalogue or default_catalogue(), options or {})
    unread: list[str] = []
    checks = dict(_CHECKS)
    if rows:
        checks["rows"] = partial(check_rows, sample=sample, progress=progress, unread=unread)
    else:
        unread.append("rows: repeated keys, record keys and partition paths")
    if properties.metadata_partitions:
        unread.append("the content of the metadata table, which `hoodoo table validate` compares with files and rows")
    findings: list[Finding] = []
    known: dict[str, str] = {}
    for name, check in checks.items():
        try:
            findings += check(state)
        except HoodooError as error:
            if str(error) in known:
                unread.append(f"{name}: see {known[str(error)]}")
            else:
                known[str(error)] = name
                findings.append(_failed(name, error))
    facts = {
        "name": properties.name,
        "database": properties.database,
        "type": properties.table_type,
        "version": properties.version,
        "layout": properties.layout_version,
    }
    return Diagnosis(storage.uri, tuple(findings), tuple(unread), facts)


def _failed(check: str, error: HoodooError) -> Finding:
    if isinstance(error, TableChanged):
        return Finding(
            check, Status.WARNING, str(error), "examine the table again: a writer changed it in the meantime"
        )
    file = getattr(error, "file", None)
    places = () if file is None else (Place(file=file),)
    return Finding(check, Status.PROBLEM, str(error), places=places)
