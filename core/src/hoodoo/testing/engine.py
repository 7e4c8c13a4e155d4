"""Writes of Arrow tables in this process. One thread runs the tasks of a write, so that their order is fixed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from hoodoo.local import ArrowBatch, LocalEngine
from hoodoo.write_job import run_job
from hoodoo.writing.commit import Commit
from hoodoo.writing.write import no_progress

__all__ = ["ArrowBatch", "write_arrow"]


def write_arrow(table: pa.Table, path: Any, options: Mapping[str, Any], mode: str = "append", cores: int = 2) -> Commit:
    """Write Arrow rows as `hoodoo.write` does, run the table services of the options, and return the commit.

    Args:
        table: The rows.
        path: The root folder of the table; None if the options contain it.
        options: The options of `hoodoo.write`.
        mode: `append`, `overwrite`, `errorifexists` or `ignore`.
        cores: The number of cores for which the write is planned. One thread runs all tasks.

    Raises:
        HoodooError: As in `hoodoo.write`.
    """
    return run_job(ArrowBatch(table, cores), path, options, mode, LocalEngine(), no_progress)
