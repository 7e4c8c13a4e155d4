"""A write by hoodoo whose process is killed before its n-th change of a file.

Arguments: a Parquet file with the rows, the folder of the table, the options as JSON, and the number of the change. The
exit code is 9 if the process was killed, and 0 if the write made fewer changes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq

import hoodoo
from hoodoo.storage.local import LocalStorage

CHANGES = ("create", "replace", "delete", "delete_tree", "open_output", "swap")


def main(file: str, path: str, options: str, number: str) -> None:
    """Write, and kill this process before a change."""
    left = int(number)

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(9)
            return change(*args, **kwargs)

        return counting

    for name in CHANGES:
        setattr(LocalStorage, name, counted(getattr(LocalStorage, name)))
    hoodoo.write(pq.read_table(file), path, json.loads(options))


if __name__ == "__main__":
    main(*sys.argv[1:])
