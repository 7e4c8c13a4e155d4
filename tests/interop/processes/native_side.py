"""The crate hudi-core, Hudi's native reader and writer, in a separate process: the program in the folder `rust`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.rust_program import built

from .job_process import JobProcess

__all__ = ["NativeFailed", "NativeSide"]

Filter = tuple[str, Literal["=", "!=", "<", "<=", ">", ">=", "IN", "NOT IN"], str]
"""A condition of the crate: column, operator, and the value as text; values of a list have commas between them."""

_DEPRECATED = "is deprecated; use 'hoodie.table.ordering.fields' instead"
"""End of a message about a property of tables of version 6."""


class NativeFailed(Exception):
    """Error of the crate, with its message."""


class NativeSide(JobProcess):
    """Running process of the crate, without state between jobs: each job opens its table.

    Each job raises `NativeFailed` if the crate fails.

    Attributes:
        warnings: The messages that the crate logged in the last job.

    Args:
        folder: The folder of the log of the process, and of the files that pass rows.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__([built(Path(__file__).with_name("rust"))], folder / "native.log")
        self.warnings: list[str] = []
        self._file = folder / "rows.parquet"

    def create(self, path: Path, **arguments: Any) -> None:
        """Create a table without rows; the program defines the arguments."""
        self._done("create", path, arguments)

    def read(self, path: Path, filters: Sequence[Filter] = ()) -> tuple[pa.Table, int]:
        """Return the rows of the snapshot that all filters keep, and the number of file slices that were read.

        Raises:
            NativeFailed: If the crate fails.
        """
        answer = self._done("read", path, {"filters": filters, "to": str(self._file)})
        return pq.ParquetFile(self._file).read(), answer["slices"]

    def upsert(self, path: Path, rows: pa.Table, options: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Upsert rows, and return the seconds and the numbers of rows."""
        pq.write_table(rows, self._file)
        return self._done("upsert", path, {"rows": str(self._file), "options": dict(options or {})})

    def delete(self, path: Path, keys: Iterable[str], options: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Delete the rows of record keys, and return the seconds and the numbers of rows."""
        return self._done("delete", path, {"keys": list(keys), "options": dict(options or {})})

    def compact(self, path: Path) -> str | None:
        """Compact a merge-on-read table; return the instant, or None if there are no logs."""
        instant: str | None = self._done("compact", path, {})["instant"]
        return instant

    def hfile(self, path: Path, keys: Sequence[str]) -> tuple[list[tuple[bytes, bytes]], list[bytes | None]]:
        """Return the cells of an HFile, and the value of each of the sorted keys, None if the file lacks it.

        Raises:
            NativeFailed: If the crate fails.
        """
        answer = self._done("hfile", path, {"keys": keys})
        cells = [(bytes.fromhex(key), bytes.fromhex(value)) for key, value in answer["cells"]]
        return cells, [None if value is None else bytes.fromhex(value) for value in answer["found"]]

    def _done(self, name: str, path: Path, arguments: Mapping[str, Any]) -> dict[str, Any]:
        answer = self.run({"do": name, "path": str(path), **arguments})
        self.warnings = [text for text in answer["warnings"] if not text.endswith(_DEPRECATED)]
        if "error" in answer:
            raise NativeFailed(answer["error"])
        return answer
