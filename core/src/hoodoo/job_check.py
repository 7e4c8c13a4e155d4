"""Check of jobs before they run: all blockers and notices of a dictionary of options, without Spark or a write."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import pyarrow as pa
from attrs import evolve, frozen

from hoodoo.errors import HoodooError, OptionError, SchemaError
from hoodoo.job_columns import assumed_columns, columns_of
from hoodoo.options import (
    Options,
    Problems,
    ReadOptions,
    StorageOptions,
    TableOptions,
    WriteOptions,
    parse,
    query_range,
    split_path,
)
from hoodoo.options.parsing.given_path import PATH_KEYS
from hoodoo.options.parsing.save_mode import save_mode
from hoodoo.plugin import Catalogue, default_catalogue
from hoodoo.properties import dump_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.reading import Query
from hoodoo.storage import OverlayStorage, Storage
from hoodoo.table import Table, plan_query
from hoodoo.timeline import utc_now
from hoodoo.txn import coordination_of
from hoodoo.write_job import Job
from hoodoo.writing.prepare.prepare import prepare
from hoodoo.writing.prepare.prepared_write import Prepared

__all__ = ["JobCheck", "check", "check_entries"]

_KINDS = ("write", "stream-write", "read")
_FOR_NEW_TABLES = ("new_table", "generated_keys")
"""Codes of errors that only a write to a new table raises."""


@frozen
class JobCheck:
    """Result of the check of a job.

    Attributes:
        id: The `id` of the job's entry, or the number of the entry, from 1, if it has no `id`; None in a result of
            `check`.
        accepted: Whether there are no blockers.
        blockers: The errors that the job would raise before it writes anything.
        notices: Warnings of the job, and errors that depend on columns or on a table that the check does not have.
    """

    id: str | None
    accepted: bool
    blockers: tuple[str, ...]
    notices: tuple[str, ...]


def check(
    options: Mapping[str, Any],
    path: str | os.PathLike[str] | None = None,
    *,
    kind: Literal["write", "stream-write", "read"] = "write",
    mode: str = "append",
    columns: Mapping[str, str] | pa.Schema | None = None,
) -> JobCheck:
    """Return all blockers and notices of a job. The check runs the code of a write or a read, without writing.

    Args:
        options: The options of the job.
        path: The table to examine; None for no table. A path in the options is never followed.
        kind: `write`, `stream-write` or `read`.
        mode: The mode of a write; it has no effect on a read.
        columns: The columns of the rows to write, as an Arrow schema or as a dictionary of names and Spark's types; by
            default those that the options name.
    """
    problems = Problems(collects=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with problems.caught():
            if kind not in _KINDS:
                raise OptionError(f"the kind of a job is {kind!r}; expected one of: {', '.join(_KINDS)}")
            if kind == "read":
                _check_read(options, path, problems)
            else:
                _Write.of(options, path, mode, columns, problems).check()
    notices = [str(warning.message) for warning in caught]
    blockers: list[str] = []
    for error in problems.found:
        (notices if isinstance(error, _Notice) else blockers).append(str(error))
    blockers, notices = list(dict.fromkeys(blockers)), list(dict.fromkeys(notices))
    return JobCheck(None, not blockers, tuple(blockers), tuple(notices))


def check_entries(entries: Iterable[Any], path: str | os.PathLike[str] | None = None) -> list[JobCheck]:
    """Return the check of each entry. An entry has `options`, and optionally `id`, `kind`, `mode` and `columns`.

    Args:
        entries: One dictionary per job, for example from a JSON file.
        path: The table to examine for all entries; None for no table.

    Raises:
        OptionError: An entry is not a dictionary, or its `options` are missing or are not a dictionary.
    """
    checks = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("options"), Mapping):
            raise OptionError(
                f"entry {number} is not a job: expected an object with 'options', and optionally 'id', 'kind', "
                "'mode' and 'columns'"
            )
        found = check(
            entry["options"],
            path,
            kind=entry.get("kind") or "write",
            mode=entry.get("mode") or "append",
            columns=entry.get("columns") or None,
        )
        checks.append(evolve(found, id=str(number if entry.get("id") is None else entry["id"])))
    return checks


class _Notice(HoodooError):
    """Error that depends on columns or on a table that the check does not have: a notice, not a blocker."""


def _check_read(options: Mapping[str, Any], path: str | os.PathLike[str] | None, problems: Problems) -> None:
    chosen, rest = _looked_at(path, options)
    given = parse(rest, [ReadOptions, StorageOptions], problems=problems)[ReadOptions]
    if path is not None:
        plan_query(Table(chosen, rest), given)
    else:
        begin, end = query_range(given)
        Query(given.query_type, as_of=given.as_of, begin=begin, end=end)  # raises if they contradict each other


def _looked_at(path: str | os.PathLike[str] | None, options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the path of the table to examine (a path without a table if None), and the options without paths."""
    named = {key: value for key, value in options.items() if isinstance(key, str) and key.lower() in PATH_KEYS}
    if named:
        split_path(None, named)  # raises if two of them differ
    rest = {key: value for key, value in options.items() if key not in named}
    return os.fspath(path) if path is not None else f"{tempfile.gettempdir()}/hoodoo-check-{uuid.uuid4().hex}", rest


@frozen
class _Write:
    """Check of a write.

    Attributes:
        job: The job, with the table to examine.
        mode: The save mode.
        rows: The columns of the rows; without given columns, those that the options name.
        problems: The collection of errors.
        has_table: Whether a path is given.
        has_columns: Whether the columns are given.
        catalogue: The catalogue of plugins.
    """

    job: Job
    mode: str
    rows: pa.Schema
    problems: Problems
    has_table: bool
    has_columns: bool
    catalogue: Catalogue

    @classmethod
    def of(
        cls,
        options: Mapping[str, Any],
        path: str | os.PathLike[str] | None,
        mode: str,
        columns: Mapping[str, str] | pa.Schema | None,
        problems: Problems,
    ) -> _Write:
        """Return the check of a write. Errors of the arguments are added to `problems` or raised."""
        catalogue = default_catalogue()
        with problems.caught():
            mode = save_mode(mode)
        chosen, rest = _looked_at(path, options)
        job = Job.of(chosen, rest, catalogue, problems)
        rows = assumed_columns(job.given)
        with problems.caught():
            rows = rows if columns is None else columns_of(columns)
        return cls(job, mode, rows, problems, path is not None, columns is not None, catalogue)

    def check(self) -> None:
        """Collect the errors of the write."""
        if self.has_table or self.mode != "append":
            prepared = self._prepared(self.job.storage, self.job.given)
        else:
            prepared = self._of_unseen_table()
        properties = {} if prepared is None else prepared.properties
        if prepared is not None or self.has_table:
            with self.problems.caught():
                coordination_of(self.job.storage, properties, self.job.given, self.catalogue)

    def _prepared(self, storage: Storage, options: Options) -> Prepared | None:
        found = Problems(collects=True)
        prepared = prepare(storage, self.rows, options, self.mode, self.catalogue, problems=found)
        for error in found.found:
            self._add(error)
        return prepared

    def _of_unseen_table(self) -> Prepared | None:
        """Return the write without a table to examine; None after an error.

        A delete is planned for a table that these options would create, and any other write as the first one of its
        table.
        """
        write = self.job.given[WriteOptions]
        if write.operation not in ("delete", "delete_partition"):
            return self._prepared(self.job.storage, self.job.given)
        # the partitions of the table are not known either
        given = self.job.given.replaced(evolve(write, partitions_to_delete=None))
        table = given[TableOptions]
        # a delete need not repeat the name
        named = evolve(table, table_name=table.table_name or "unseen")
        creating = given.replaced(named, evolve(write, operation="insert", partitions_to_delete=None))
        created = self._prepared(self.job.storage, creating)
        if created is None:
            return None
        stored = OverlayStorage(self.job.storage, PROPERTIES_FILE, dump_properties(created.properties), utc_now())
        return self._prepared(stored, given)

    def _add(self, error: HoodooError) -> None:
        """Add an error, as a notice if it depends on columns or on a table that the check does not have."""
        if not self.has_columns and isinstance(error, SchemaError):
            error = _Notice(
                f"the columns of the rows are not given to this check; give 'columns' to verify this error: {error}"
            )
        elif not self.has_table and self.mode == "append" and error.code in _FOR_NEW_TABLES:
            error = _Notice(f"the job runs only if its table exists already: {error}")
        self.problems.found.append(error)
