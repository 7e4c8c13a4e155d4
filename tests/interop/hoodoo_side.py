"""hoodoo in a process of its own, with its own Spark driver: jobs and answers as lines of JSON.

`python hoodoo_side.py FOLDER` is that process. A job is {"path": ..., "rows": "file.parquet", "options": {...}}; an
answer is {"instant": ...}, or {"error": the message, "kind": the class} where hoodoo raised.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["HoodooFailed", "HoodooSide"]


class HoodooFailed(Exception):
    """hoodoo raised; the class and the message are its own."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class HoodooSide:
    """One running session. `folder` is where the log of the process goes."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._log = folder / "hoodoo.log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._answer()

    def write(self, path: Path, rows: Path, options: Mapping[str, Any]) -> str:
        """Write the rows of a parquet file; the instant of the commit."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"path": str(path), "rows": str(rows), "options": dict(options)}) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise HoodooFailed(answer["kind"], answer["error"])
        return str(answer["instant"])

    @property
    def log(self) -> str:
        """What the process printed."""
        return self._log.read_text()

    def close(self) -> None:
        """End the process."""
        with self._process:
            pass

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the hoodoo process ended: {self.log[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def main(folder: str) -> None:
    import logging

    import hoodoo
    from hoodoo.errors import HoodooError
    from hoodoo.spark.session import local_session

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    logging.getLogger("py4j").setLevel(logging.WARNING)
    # the JVM prints to standard output too; the answers go to what it was before
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.chdir(folder)
    spark = local_session("hoodoo", cores="2")
    print(json.dumps({"spark": spark.version}), file=answers, flush=True)
    for line in sys.stdin:
        job = json.loads(line)
        try:
            commit = hoodoo.write(spark.read.parquet(job["rows"]), job["path"], job["options"])
            answer = {"instant": commit.instant}
        except HoodooError as error:
            logging.exception("a write failed")
            answer = {"error": str(error), "kind": type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
