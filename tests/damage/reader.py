"""Client of the process that reads tables for these tests."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
from pathlib import Path
from typing import Any

from attrs import define, field

__all__ = ["MEMORY", "SECONDS", "Reader"]

MEMORY = 512 * 1024 * 1024
"""Memory in bytes that one read may use in addition to that of the process after its first reads."""

SECONDS = 5
"""Limit of processor time of one read, in seconds. Usual reads take some hundredths."""

HANGING = 60
"""Seconds after which a read counts as hanging; the machine may be busy."""

STARTING = 120
"""Limit of the time in which the process starts, in seconds, with imports and the first reads."""

_SCRIPT = Path(__file__).with_name("reading_process.py")


@define
class Reader:
    """Client that starts the process when needed, and again after it died or hung.

    Attributes:
        warm: The requests that are answered before the memory limit is set.
    """

    warm: list[dict[str, Any]]
    _process: subprocess.Popen[str] | None = field(init=False, default=None)

    def ask(self, action: str, table: Path, **arguments: Any) -> dict[str, Any]:
        """Return the result of an action on a table; `outcome` may also be `died` or `hung`."""
        process = self._running()
        request = {"action": action, "table": str(table), "arguments": arguments}
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        return self._answer(process)

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            # one arena, one thread in each pool: address space that is reserved and not used would count
            environment = {"MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system", "POLARS_MAX_THREADS": "1"}
            self._process = subprocess.Popen(
                [sys.executable, str(_SCRIPT), str(MEMORY)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=os.environ | environment,
            )
            self._process.stdin.write(json.dumps(self.warm) + "\n")
            self._process.stdin.flush()
            started = self._answer(self._process, STARTING)
            assert "limit" in started, started
        return self._process

    def _answer(self, process: subprocess.Popen[str], seconds: float = HANGING) -> dict[str, Any]:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                self.close()
                return {"outcome": "hung", "message": f"no answer within {seconds} seconds"}
        line = process.stdout.readline()
        if line:
            return json.loads(line)
        message = process.communicate()[1][-2000:]
        self._process = None
        return {"outcome": "died", "message": f"exit code {process.returncode}: {message}"}
