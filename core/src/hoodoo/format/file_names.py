"""Names of base files and log files."""

from __future__ import annotations

import re
import uuid
from typing import NamedTuple

__all__ = [
    "BASE_FILE_EXTENSION",
    "NO_TASK_TOKEN",
    "OTHER_BASE_FILE_EXTENSIONS",
    "BaseFileName",
    "LogFileName",
    "hfile_name",
    "is_base_file",
    "is_lance",
    "is_log_file",
    "new_file_id",
]

BASE_FILE_EXTENSION = ".parquet"

_LANCE = ".lance"

_READ_EXTENSIONS = (BASE_FILE_EXTENSION, _LANCE)

OTHER_BASE_FILE_EXTENSIONS = (".orc", ".hfile")
"""Extensions of base files that Hudi writes and hoodoo cannot read."""

_HFILE = ".hfile"

NO_TASK_TOKEN = "1-0-1"  # noqa: S105 - not a password
"""The write token of log files that no task wrote."""

_LOG_FILE = re.compile(r"\.([^_]+)_([0-9]+)\.log\.([0-9]{1,10})(?:_([0-9]+-[0-9]+-[0-9]+)(\.cdc)?)?")


class BaseFileName(NamedTuple):
    """Name of a base file: `<file id>_<write token>_<instant><extension>`.

    The file id identifies the file group, the write token the attempt of a task, and the instant is the requested time
    of the commit that wrote the file. The extension is that of the format: Parquet, or Lance in some tables of Hudi.
    """

    file_id: str
    write_token: str
    instant: str
    extension: str = BASE_FILE_EXTENSION

    def __str__(self) -> str:
        return f"{self.file_id}_{self.write_token}_{self.instant}{self.extension}"

    @classmethod
    def parse(cls, name: str) -> BaseFileName | None:
        """Return the parts of the name of a Parquet or Lance base file (without folder); None for any other name."""
        extension = BASE_FILE_EXTENSION if name.endswith(BASE_FILE_EXTENSION) else _LANCE
        if name[:1] == "." or not name.endswith(extension):
            return None
        parts = name[: -len(extension)].split("_")
        if len(parts) != 3 or not parts[0] or not parts[2].isdigit():
            return None
        return cls(parts[0], parts[1], parts[2], extension)


def is_base_file(path: str) -> bool:
    """Return whether the extension of a path is that of a base file that hoodoo reads."""
    return path.endswith(_READ_EXTENSIONS)


def is_lance(path: str) -> bool:
    """Return whether a base file is in Lance format."""
    return path.endswith(_LANCE)


def hfile_name(name: str) -> BaseFileName | None:
    """Return the parts of the name of an HFile, a base file of a metadata table; None for the name of another file.

    The extension of the result is `.parquet`.
    """
    stem = name.removesuffix(_HFILE)
    return None if stem == name else BaseFileName.parse(stem + BASE_FILE_EXTENSION)


class LogFileName(NamedTuple):
    """Name of a log file: `.<file id>_<instant>.log.<version>_<write token>`, with the suffix `.cdc` for a change log.

    In table version 6 the instant is that of the file slice, in later versions that of the delta commit that wrote the
    file. The version counts the log files of one instant from 1. Old names have no write token; it is "" then.
    """

    file_id: str
    instant: str
    version: int
    write_token: str
    is_cdc: bool

    def __str__(self) -> str:
        token = f"_{self.write_token}" if self.write_token else ""
        return f".{self.file_id}_{self.instant}.log.{self.version}{token}{'.cdc' if self.is_cdc else ''}"

    @classmethod
    def parse(cls, name: str) -> LogFileName | None:
        """Return the parts of a file name (without folder), or None if it is not a log file."""
        match = _LOG_FILE.fullmatch(name)
        if match is None:
            return None
        file_id, instant, version, token, cdc = match.groups()
        return cls(file_id, instant, int(version), token or "", cdc is not None)


def new_file_id(number: int = 0) -> str:
    """Return a new file id: a random UUID and the number of the file in its writer."""
    return f"{uuid.uuid4()}-{number}"


def is_log_file(name: str) -> bool:
    """Return whether a file name (without folder) is that of a log file, which may be a change log."""
    return LogFileName.parse(name) is not None
