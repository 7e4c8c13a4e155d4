"""Replay one point of a test: `python -m tests.reliability.replay schedule SEED`, or `... OPERATION KIND CALL MODE`."""

from __future__ import annotations

import sys

from hoodoo.txn.heartbeat import Heartbeat
from hoodoo.txn.held_write import HeldWrite
from tests.reliability.several_writers.histories import run_history

from .held_writes import without_timer
from .points import ALL_KINDS
from .store import opened_by_uri
from .test_every_call import try_point


def main(arguments: list[str]) -> None:
    """Run the replay and print its result; a wrong schedule ends the process with a traceback."""
    Heartbeat.__attrs_post_init__ = lambda self: None  # type: ignore[method-assign]
    HeldWrite._start_timer = without_timer  # type: ignore[method-assign]
    with opened_by_uri():
        if arguments[0] == "schedule":
            history = run_history(int(arguments[1]))
            counts = f"{len(history.happened)} commits, {history.reads} reads, {history.conflicts} conflicts"
            print(f"as it should be: {counts} on {history.kind.name}")
        else:
            name, kind, number, mode = arguments
            print(try_point(name, ALL_KINDS[kind], (int(number), mode)) or "as it should be")  # type: ignore[arg-type]


if __name__ == "__main__":
    main(sys.argv[1:])
