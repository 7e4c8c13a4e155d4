"""Public jobs of Hudi users, which are next to the checkout: their options, and rows of their columns."""

from __future__ import annotations

import datetime as dt
import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from hoodoo.job_columns import columns_of
from hoodoo.testing.shared_data import shared_folder

__all__ = ["MISSING", "Job", "public_jobs", "rows_of_job", "shape_of"]

MISSING = "the public jobs (jobs/jobs.json) are not there"

Job = Mapping[str, Any]

_SHAPING = (
    "hoodie.datasource.write.operation",
    "hoodie.datasource.write.table.type",
    "hoodie.datasource.write.storage.type",
    "hoodie.datasource.write.keygenerator.class",
    "hoodie.datasource.write.payload.class",
    "hoodie.index.type",
)
"""Keys whose values decide how the rows are written."""


@functools.cache
def public_jobs() -> tuple[Job, ...]:
    """Return the jobs; an empty tuple if the file is missing."""
    folder = shared_folder(Path(__file__))
    file = None if folder is None else folder / "jobs" / "jobs.json"
    return tuple(json.loads(file.read_bytes())) if file is not None and file.exists() else ()


def shape_of(job: Job) -> tuple[object, ...]:
    """Return the properties by which writes of jobs differ, such as mode, operation, payload class and index."""
    options = job["options"]
    partitions = options.get("hoodie.datasource.write.partitionpath.field", "").count(",")
    return (job["mode"], partitions, *(str(options.get(key, "")).lower() for key in _SHAPING))


def rows_of_job(job: Job, count: int) -> pa.Table:
    """Return `count` rows, 31 at most, of the declared columns; the values of a column differ from row to row."""
    schema = columns_of(job["columns"])
    return pa.table([pa.array(_values(field, count), field.type) for field in schema], schema=schema)


def _values(field: pa.Field, count: int) -> list[Any]:
    kind, numbers = field.type, range(count)
    if pa.types.is_string(kind):
        return [f"{field.name} {number}" for number in numbers]
    if pa.types.is_timestamp(kind):
        return [dt.datetime(2024, 1, 1 + number, tzinfo=dt.UTC) for number in numbers]
    if pa.types.is_date(kind):
        return [dt.date(2024, 1, 1 + number) for number in numbers]
    if pa.types.is_floating(kind):
        return [number + 0.5 for number in numbers]
    return list(numbers)
