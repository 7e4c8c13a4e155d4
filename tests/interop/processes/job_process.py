"""A process that reads jobs from standard input and writes answers to standard output, each as a line of JSON."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["JobProcess"]


class JobProcess:
    """Running process. Its first answer, before any job, shows that it is ready.

    Args:
        command: The program and its arguments.
        log: The file of its standard error.
        environment: The environment of the process; by default that of this one.

    Raises:
        RuntimeError: The process ended before its first answer.
    """

    def __init__(
        self, command: Sequence[str | os.PathLike[str]], log: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=log.parent,
                env=environment,
            )
        self._answer()

    @property
    def log(self) -> str:
        """Return the standard error of the process."""
        return self._log.read_text()

    def run(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Run a job and return the answer. Raises `RuntimeError` if the process ends."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def close(self) -> None:
        """Close the pipes of the process, and wait until it ends."""
        with self._process:  # closes its pipes and waits
            pass

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"process {self._process.args} ended: {self.log[-4000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer
