"""The quickstart's writes: the same three batches of trips, in the same order, into two tables."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path

import hoodoo
from hoodoo.cli.quickstart.events import TripEvents
from hoodoo.errors import TableExists
from hoodoo.options import defaults
from hoodoo.spark.session import local_session

__all__ = ["DEFAULT_FOLDER", "MERGERS", "OPTIONS", "Step", "free_folder", "make_tables"]

DEFAULT_FOLDER = Path("quickstart-tables")
MERGERS = (defaults.MERGER_WITH_ORDERING, defaults.MERGER_WITHOUT_ORDERING)
OPTIONS = {"record_key": "trip_id", "partition_by": "city", "ordering": "ts"}

Step = Callable[[str], AbstractContextManager[None]]
"""Surrounds one step of the work, which it is given in words."""


def free_folder(wanted: Path | None) -> Path:
    """Where the tables go: the wanted folder, or the first free one of `quickstart-tables/1`, `/2`, ...

    Raises:
        TableExists: the wanted folder holds the tables of an earlier run; nothing is ever replaced.
    """
    if wanted is None:
        return next(folder for number in count(1) if not (folder := DEFAULT_FOLDER / str(number)).exists())
    for merger in MERGERS:
        if (wanted / merger).exists():
            raise TableExists(f"{wanted / merger} is there already: give another folder with --path, or remove it")
    return wanted


def make_tables(events: TripEvents, folder: Path, step: Step) -> dict[str, Path]:
    """Load, upsert and delete in a table for each merger.

    Args:
        events: the batches.
        folder: where the tables go.
        step: surrounds each step of the work.

    Returns:
        The table of each merger.
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
                    hoodoo.write(spark.createDataFrame(batch), path, {**options, "operation": operation})
    finally:
        with step("stop Spark"):
            spark.stop()
    return paths
