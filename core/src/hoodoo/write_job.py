"""Write of a user: the rows, the commit hooks, and the table services and catalogs after the commit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from hoodoo.bootstrap import bootstrap_source
from hoodoo.caller import warn_caller
from hoodoo.catalog_sync import ChosenCatalogs, choose_catalogs, sync_after_commit
from hoodoo.commit_hooks import CommitHooks
from hoodoo.errors import UnknownOption
from hoodoo.missing_in_job import all_missing_listed
from hoodoo.options import (
    CatalogOptions,
    HookOptions,
    NoEffectWarning,
    Options,
    Problems,
    ServiceOptions,
    WriteOptions,
    parse,
    split_path,
)
from hoodoo.options.parsing.save_mode import save_mode
from hoodoo.plugin import Catalogue, default_catalogue
from hoodoo.properties.table_properties import PROPERTIES_FILE
from hoodoo.service import CompactionEngine, run_inline
from hoodoo.storage import Storage, storage_for
from hoodoo.writing.commit import Commit
from hoodoo.writing.prepare.misplaced_options import with_place_of_option
from hoodoo.writing.prepare.prepare import GROUPS
from hoodoo.writing.task_engine import Batch
from hoodoo.writing.write import Progress, write_batch

__all__ = ["Job", "run_job"]


@frozen
class Job:
    """Options of a write, its hooks and catalogs, and the files of its table.

    Attributes:
        given: The options of all `GROUPS`.
        hooks: The commit hooks.
        catalogs: The catalogs to update after the commit.
        storage: The files of the table.
    """

    given: Options
    hooks: CommitHooks
    catalogs: ChosenCatalogs
    storage: Storage

    @classmethod
    def of(
        cls,
        path: str | os.PathLike[str] | None,
        options: Mapping[str, Any],
        catalogue: Catalogue,
        problems: Problems | None = None,
    ) -> Job:
        """Return the job of a dictionary of options.

        Nothing is written. The table is read only if a plugin is missing, to name all missing plugins of the table.

        Args:
            path: The root folder of the table; None if the options contain it.
            options: The options of `hoodoo.write`.
            catalogue: The catalogue of plugins.
            problems: The collection of errors of options, hooks and catalogs; by default the first one is raised.
                Errors of the path and of the store are always raised.

        Raises:
            OptionError: There is no path, an option is unknown or invalid, or options contradict each other.
            PluginError: A hook or a catalog provider is not installed, not allowed, or cannot be loaded.
            UnsupportedTable: The store of the table is not supported.
        """
        problems = problems or Problems()
        path, options = split_path(path, options)
        try:
            given = parse(options, GROUPS, problems=problems)
        except UnknownOption as error:
            raise with_place_of_option(error, options, path, catalogue) from error
        problems.found[:] = [
            with_place_of_option(error, options, path, catalogue) if isinstance(error, UnknownOption) else error
            for error in problems.found
        ]
        storage = storage_for(path, options)
        hooks, catalogs = CommitHooks((), ()), ChosenCatalogs()
        with all_missing_listed(storage, given, catalogue):
            with problems.caught():
                hooks = CommitHooks.from_options(given[HookOptions], catalogue)
            with problems.caught():
                catalogs = choose_catalogs(given, catalogue)
        return cls(given, hooks, catalogs, storage)


def run_job(
    batch: Batch,
    path: str | os.PathLike[str] | None,
    options: Mapping[str, Any],
    mode: str,
    engine: CompactionEngine,
    progress: Progress,
    catalogue: Catalogue | None = None,
) -> Commit:
    """Write the rows of a batch and call the commit hooks, then run the table services that are due, and sync catalogs.

    Args:
        batch: The rows; they are evaluated once.
        path: The root folder of the table; None if the options contain it.
        options: The options of `hoodoo.write`.
        mode: `append`, `overwrite`, `errorifexists` or `ignore`.
        engine: The engine that runs the tasks of an inline compaction.
        progress: Function that returns a context manager for a write or a compaction; its value is called at intervals.
        catalogue: The catalogue of plugins; None for the installed plugins.

    Raises:
        CommitStateUnknown: It is unknown whether the write was committed. Its files were not deleted.
        HoodooError: The write failed. The rows of the table are unchanged, and the data files of the write are deleted,
            at the latest by the next write.
    """
    catalogue, mode = catalogue or default_catalogue(), save_mode(mode)
    job = Job.of(path, options, catalogue)
    given, hooks, storage = job.given, job.hooks, job.storage
    before_commit = hooks.run_before if hooks.before else None
    with all_missing_listed(storage, given, catalogue):
        batch = _batch_of(job, batch, mode)
        written = write_batch(
            batch, storage, given, mode, catalogue=catalogue, progress=progress, before_commit=before_commit
        )
    if written.commit.instant is not None:
        hooks.run_after(storage, written.commit)
    if written.timeline is not None and given[ServiceOptions].table_services:
        run_inline(storage, written.timeline, given, engine, progress, written.coordination)
    if written.commit.instant is not None:
        sync_after_commit(job.catalogs, storage, given[CatalogOptions])
    return written.commit


def _batch_of(job: Job, batch: Batch, mode: str) -> Batch:
    """Return the batch to write: for operation `bootstrap` a batch of files, unless mode `ignore` finds a table."""
    if job.given[WriteOptions].operation != "bootstrap":
        return batch
    if mode == "ignore" and job.storage.exists(PROPERTIES_FILE):
        return batch
    source = bootstrap_source(job.given, job.storage)
    if len(batch.schema):
        warn_caller(
            "operation bootstrap copies the files of 'bootstrap_path' (hoodie.bootstrap.base.path), as in Hudi, "
            "and does not write the given rows; give an empty DataFrame, or None without Spark",
            NoEffectWarning,
        )
    return batch.copying(source)
