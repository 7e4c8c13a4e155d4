"""Writes of the quickstart: the same three batches of trips, in the same order, into two tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path

import hoodoo
from hoodoo.cli.quickstart.trip_events import TripEvents
from hoodoo.errors import TableExists
from hoodoo.options import default_plugins
from hoodoo.spark.compatibility.session_calls import frame_of_table
from hoodoo.spark.session import local_session

__all__ = ["DEFAULT_FOLDER", "MERGERS", "OPTIONS", "Step", "free_folder", "make_tables"]

DEFAULT_FOLDER = Path("quickstart-tables")
MERGERS = (default_plugins.MERGER_WITH_ORDERING, default_plugins.MERGER_WITHOUT_ORDERING)
OPTIONS = {"record_key": "trip_id", "partition_by": "city", "ordering": "ts"}

Step = Callable[[str], AbstractContextManager[None]]
"""A function that returns a context manager for one step of the work; its argument describes the step."""


def free_folder(wanted: Path | None) -> Path:
    """Return the folder for the tables: the wanted one, or the first free one of `quickstart-tables/1`, `/2`, ...

    Raises:
        TableExists: The wanted folder has tables of an earlier run, which are not replaced.
    """
    if wanted is None:
        return next(folder for number in count(1) if not (folder := DEFAULT_FOLDER / str(number)).exists())
    for merger in MERGERS:
        if (wanted / merger).exists():
            raise TableExists(f"'{wanted / merger}' exists already; choose another folder with --path, or delete it")
    return wanted


def make_tables(events: TripEvents, folder: Path, step: Step) -> dict[str, Path]:
    """Load, upsert and delete rows in a table for each merger.

    Args:
        events: The batches of trips to write.
        folder: The folder for the tables.
        step: A function that returns the context manager around a step.

    Returns:
        The path of the table of each merger.
    """
    paths = {merger: folder / merger for merger in MERGERS}
    batches = {"bulk_insert": events.first_load, "upsert": events.upserts, "delete": events.deletes}
    with step("start Spark on this machine"):
        spark = local_session("hoodoo quickstart")
    try:
        for merger, path in paths.items():
            options = {**OPTIONS, "table_name": f"trips_{merger.replace('-', '_')}", "merger": merger}
            for operation, batch in batches.items():
                with step(f"{operation} with {merger}"):
                    hoodoo.write(frame_of_table(spark, batch), path, {**options, "operation": operation})
    finally:
        with step("stop Spark"):
            spark.stop()
    return paths
