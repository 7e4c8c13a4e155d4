"""Attempt at a task: its storage, the part of file names that no other attempt uses, and the numbers of its rows."""

from __future__ import annotations

import secrets

from attrs import Factory, define, field, frozen

from hoodoo.storage import Storage
from hoodoo.writing.data_files.data_file import DataFiles, StoredFiles

__all__ = ["Numbering", "TaskAttempt", "WriteToken"]

_TOKEN_BITS = 31
"""Hudi reads each number of a write token as a Java int."""


def _random_part() -> int:
    return secrets.randbits(_TOKEN_BITS)


@frozen
class WriteToken:
    """Part of a data file's name that is unique to one attempt of a task, also across applications.

    In Hudi, the parts are partition, stage and attempt. Stages and attempts are counted per Spark application, so that
    two applications can use the same name. Here the second and the third part are random.

    Attributes:
        task: The number of the task, which is also part of the sequence numbers of its rows.
    """

    task: int
    _first: int = field(init=False, factory=_random_part)
    _second: int = field(init=False, factory=_random_part)

    def __str__(self) -> str:
        return f"{self.task}-{self._first}-{self._second}"


@define
class Numbering:
    """Sequence numbers of one task, each of which is used once in all files of the task."""

    _next: int = field(init=False, default=0)

    def reserve(self, count: int) -> int:
        """Reserve `count` consecutive numbers and return the first of them."""
        first = self._next
        self._next += count
        return first


@frozen
class TaskAttempt:
    """One attempt at a task that writes data files.

    Attributes:
        storage: The table's files.
        token: The part of file names that only this attempt uses.
        files: The files that the attempt writes; by default it stores them.
        numbering: The sequence numbers of rows.
    """

    storage: Storage
    token: WriteToken
    files: DataFiles = field(default=Factory(lambda self: StoredFiles(self.storage), takes_self=True))
    numbering: Numbering = field(init=False, factory=Numbering)
