"""hoodoo in a separate process with its own Spark driver."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .job_process import JobProcess

__all__ = ["HoodooFailed", "HoodooSide"]


class HoodooFailed(Exception):
    """Error of hoodoo in the other process, with the name of its class and its message."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class HoodooSide(JobProcess):
    """Running session of hoodoo.

    Args:
        folder: The folder of Spark's files and of the log of the process.
    """

    def __init__(self, folder: Path) -> None:
        script = Path(__file__).with_name("hoodoo_job.py")
        super().__init__([sys.executable, script, folder], folder / "hoodoo.log")

    def write(self, path: Path, rows: Path, options: Mapping[str, Any]) -> str:
        """Write the rows of a parquet file, and return the instant of the commit.

        Raises:
            HoodooFailed: hoodoo raised an error in the other process.
            RuntimeError: The process ended without an answer.
        """
        answer = self.run({"path": str(path), "rows": str(rows), "options": dict(options)})
        if "error" in answer:
            raise HoodooFailed(answer["kind"], answer["error"])
        return str(answer["instant"])
