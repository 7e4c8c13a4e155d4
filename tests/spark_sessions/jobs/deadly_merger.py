"""A merger that kills the executor it runs on, a given number of times; then the newer arrival wins.

Tests put this module, with an entry point, on the path of a cluster's executors.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from attrs import frozen

from hoodoo.plugin import hookimpl, option
from hoodoo.record import Choice, MergerConfig, Outcome, RecordContext, Records

EXECUTOR = b"CoarseGrainedExecutorBackend"
NOTICED_SECONDS = 10.0


@frozen
class Deadly:
    """Merger that kills its executor while the folder `shots` has `.shot` files; each kill renames one to `.fired`."""

    laws = frozenset()
    shots: str = option()
    table: str = option()

    def merge(self, older: Records, newer: Records, context: RecordContext, config: MergerConfig) -> Outcome:
        """Take the newer records, or kill the executor."""
        for shot in sorted(Path(self.shots).glob("*.shot")):
            try:
                shot.rename(shot.with_suffix(".fired"))
            except FileNotFoundError:
                continue  # another task was quicker
            begun = [str(path.relative_to(self.table)) for path in Path(self.table).rglob("*.parquet")]
            shot.with_suffix(".fired").write_text("\n".join(begun))
            os.kill(_executor(), signal.SIGKILL)
            time.sleep(60)
        self._wait_for_the_loss()
        return Outcome.all(Choice.TAKE, len(newer))

    def _wait_for_the_loss(self) -> None:
        """Wait for the loss of the executor: Spark fails if a task ends before it detects the loss."""
        fired = [file.stat().st_mtime for file in Path(self.shots).glob("*.fired")]
        if fired:
            time.sleep(max(0.0, max(fired) + NOTICED_SECONDS - time.time()))


def _executor() -> int:
    """Return the process id of the executor among the parent processes of this worker."""
    process = os.getppid()
    while process > 1:
        if EXECUTOR in Path(f"/proc/{process}/cmdline").read_bytes():
            return process
        status = Path(f"/proc/{process}/stat").read_text()
        process = int(status.rpartition(")")[2].split()[1])
    raise RuntimeError("no parent process of this worker is an executor of a cluster")


@hookimpl
def hoodoo_merger() -> type[Deadly]:
    """Return the class of the plugin."""
    return Deadly
