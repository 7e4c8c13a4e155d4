"""Tables in a temporary file that is mapped into memory: the system reads a page on first access."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from hoodoo.errors import StorageError

__all__ = ["spilled"]


def spilled(path: Path, tables: list[pa.Table]) -> list[pa.Table]:
    """Write tables of one chunk to a file and return them, mapped from the file.

    The file has Arrow's stream format, in which each table can have its own dictionaries.

    Raises:
        StorageError: The file cannot be written (code `spill`).
    """
    try:
        with pa.OSFile(str(path), "wb") as file:
            for table in tables:
                with pa.ipc.new_stream(file, table.schema) as stream:
                    stream.write_table(table)
        mapped = pa.memory_map(str(path), "r")
    except OSError as error:
        raise StorageError(
            "the rows of the batch exceed the limit of option 'batch_memory', and they cannot be written to "
            f"'{path.parent}' ({error}); set the environment variable TMPDIR to a folder with more "
            "space, raise 'batch_memory', write the batch in parts, or write a Spark DataFrame",
            code="spill",
        ) from error
    return [pa.ipc.open_stream(mapped).read_all() for _ in tables]
