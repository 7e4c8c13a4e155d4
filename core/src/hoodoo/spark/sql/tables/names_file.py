"""Names of tables in the file of the setting `hoodoo.sql.tables`, for catalogues that cannot store them.

The file is JSON: the path and the options of each table, by `database.name` in lower case.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoodoo.errors import OptionError
from hoodoo.spark.sql.tables.named_table import NamedTable, NamePlace
from hoodoo.storage import LocalStorage

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["SETTING", "add", "file_of", "find", "remove"]

SETTING = "hoodoo.sql.tables"
"""Setting of a session with the path of the file."""


def file_of(spark: SparkSession) -> Path | None:
    """Return the path of the file; None if the setting is not set.

    Raises:
        OptionError: The path is not absolute.
    """
    given = spark.conf.get(SETTING, None)
    if not given:
        return None
    path = Path(given)
    if not path.is_absolute():
        raise OptionError(
            f"setting '{SETTING}' is {given!r}; give an absolute path, which does not depend on the working directory"
        )
    return path


def find(spark: SparkSession, full: tuple[str, ...]) -> NamedTable | None:
    """Return the table of a name with its database; None without the setting, or if the file lacks the name.

    Raises:
        OptionError: The path of the file is not absolute, or its content is invalid.
    """
    path = file_of(spark)
    entry = None if path is None else _read(path).get(_key(full))
    return None if entry is None else NamedTable(entry["path"], NamePlace.FILE, full, entry.get("options", {}))


def add(spark: SparkSession, target: NamedTable) -> None:
    """Add the entry of a table to the file, or replace it.

    Raises:
        OptionError: The setting has no absolute path, the file is invalid, or another process is changing it.
    """
    with _changed(spark) as entries:
        entries[_key(target.parts)] = {"path": target.path, "options": dict(target.options)}


def remove(spark: SparkSession, target: NamedTable) -> None:
    """Remove the entry of a table from the file. Errors are those of `add`."""
    with _changed(spark) as entries:
        entries.pop(_key(target.parts), None)


def _key(full: tuple[str, ...]) -> str:
    return ".".join(full).lower()


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise OptionError(
            f"'{path}', the file of setting '{SETTING}', is not JSON ({error}); correct the file"
        ) from error
    whole = isinstance(entries, dict) and all(isinstance(e, Mapping) and "path" in e for e in entries.values())
    if not whole:
        raise OptionError(
            f"'{path}', the file of setting '{SETTING}', is not a dictionary of tables with 'path'; correct the file"
        )
    return dict(entries)


@contextmanager
def _changed(spark: SparkSession) -> Iterator[dict[str, Any]]:
    """Yield the entries under a lock, and write them after the block has changed them."""
    path = file_of(spark)
    if path is None:
        raise OptionError(f"setting '{SETTING}' is not set; set it to the absolute path of a file")
    storage = LocalStorage(str(path.parent))
    lock = storage.try_lock(f"{path.name}.lock")
    if lock is None:
        raise OptionError(f"another process is changing '{path}', the file of setting '{SETTING}'; try again")
    try:
        entries = _read(path)
        yield entries
        storage.replace(path.name, json.dumps(entries, indent=2, sort_keys=True).encode())
    finally:
        lock.release(delete=True)
