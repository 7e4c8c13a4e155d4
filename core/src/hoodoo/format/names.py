"""The names of data files."""

from __future__ import annotations

import re
import uuid
from typing import NamedTuple

__all__ = ["BASE_FILE_EXTENSION", "BaseFileName", "is_log_file", "new_file_id"]

BASE_FILE_EXTENSION = ".parquet"

_LOG_FILE = re.compile(r"^\..+_[^_]*\.log\.\d+(_\d+-\d+-\d+)?(\.cdc)?$")


class BaseFileName(NamedTuple):
    """`<file id>_<write token>_<instant>.parquet`.

    The file id names the file group, the write token tells attempts at the same write apart, and the instant is the
    requested time of the commit that wrote the file.
    """

    file_id: str
    write_token: str
    instant: str

    def __str__(self) -> str:
        return f"{self.file_id}_{self.write_token}_{self.instant}{BASE_FILE_EXTENSION}"

    @classmethod
    def parse(cls, name: str) -> BaseFileName | None:
        """The parts of a file's name (without its folder), or None where it is no base file."""
        if name[:1] == "." or not name.endswith(BASE_FILE_EXTENSION):
            return None
        parts = name[: -len(BASE_FILE_EXTENSION)].split("_")
        if len(parts) != 3 or not parts[0] or not parts[2].isdigit():
            return None
        return cls(*parts)


def new_file_id(number: int = 0) -> str:
    """A new file id: a random UUID, and which file of one writer it is."""
    return f"{uuid.uuid4()}-{number}"


def is_log_file(name: str) -> bool:
    """Whether a file's name (without its folder) is that of a log file of a merge-on-read table."""
    return _LOG_FILE.match(name) is not None
