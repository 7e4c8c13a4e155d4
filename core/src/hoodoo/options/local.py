"""Options of a write in this process, without Spark. They are not stored with the table."""

from __future__ import annotations

from attrs import frozen

from hoodoo.options.parsing.declare import option

__all__ = ["LocalOptions"]


@frozen
class LocalOptions:
    """Resources of a write without Spark. They have no effect on a write of a Spark DataFrame."""

    batch_memory: int | None = option(
        kind="integer",
        minimum=1,
        shown_default="a quarter of the memory",
        help="Maximum size, in bytes, of the rows of a batch that a write without Spark keeps in memory. Further rows "
        "are kept in temporary files, in the folder of the environment variable TMPDIR.",
    )
