"""Reading, creating and changing `hoodie.properties` so that readers always find one complete version."""

from __future__ import annotations

import time
import uuid
from collections.abc import Collection, Mapping
from datetime import datetime

from hoodoo.errors import CorruptTableError, NotATable, StorageError, TableExists, UnsupportedTable
from hoodoo.properties.corrupt_properties import check_undamaged
from hoodoo.properties.java_properties import dump_properties, parse_properties
from hoodoo.properties.table_properties import PROPERTIES_FILE, TableProperties
from hoodoo.storage import HOODIE_FOLDER, AlreadyExists, Missing, Storage
from hoodoo.timeline import utc_now

__all__ = ["create_properties", "load_properties", "update_properties"]

BACKUP_FILE = f"{PROPERTIES_FILE}.backup"
_ATTEMPTS = 4
_PAUSE_SECONDS = 0.05


def load_properties(storage: Storage) -> TableProperties:
    """Return the properties of a table, from the main file, or from its backup if the main file is missing or damaged.

    Raises:
        NotATable: Neither file exists.
        CorruptTableError: A file is damaged, and the other one is damaged or missing.
        UnsupportedTable: The table version or the format of base files is not supported, or the table is a metadata
            table.
        StorageError: The store failed.
    """
    damage: CorruptTableError | None = None
    for attempt in range(_ATTEMPTS):
        for file in (PROPERTIES_FILE, BACKUP_FILE):
            try:
                return _read(storage, file)
            except Missing:
                continue
            except CorruptTableError as error:
                damage = damage or error
        if damage is None and not storage.exists(HOODIE_FOLDER):
            break
        # a writer that changes the file removes first the main file and then the backup for a moment
        if attempt + 1 < _ATTEMPTS:
            time.sleep(_PAUSE_SECONDS)
    if damage is not None:
        raise damage
    raise NotATable(
        f"no Hudi table at {storage.uri}: {PROPERTIES_FILE} is missing; check the path, or write a table there first"
    )


def create_properties(storage: Storage, entries: Mapping[str, str]) -> TableProperties:
    """Create the properties of a new table, and return them.

    Raises:
        TableExists: The table has properties already.
        CorruptTableError: A required entry is missing or malformed.
        UnsupportedTable: The table version or the format of base files is not supported.
        StorageError: The store failed.
    """
    properties = TableProperties(entries)
    properties.check()
    # the token distinguishes this attempt from another writer's in the same millisecond
    body = dump_properties(entries, (*_comments("Properties saved on"), f"by {uuid.uuid4().hex}"))
    try:
        storage.create(PROPERTIES_FILE, body)
    except StorageError as error:
        # a lost response looks like a failure, and after a retry of the store like an existing file
        if _stored(storage) == body:
            return properties
        if isinstance(error, AlreadyExists):
            raise TableExists(
                f"a Hudi table exists at {storage.uri} already; write to it, or choose another path"
            ) from error
        raise
    return properties


def _stored(storage: Storage) -> bytes | None:
    try:
        return storage.read(PROPERTIES_FILE)
    except StorageError:
        return None


def update_properties(storage: Storage, changes: Mapping[str, str], removals: Collection[str] = ()) -> TableProperties:
    """Change and remove entries by Hudi's protocol (backup, replace, compare, drop the backup).

    Return the new properties. Call the function under the table's lock. An interrupted earlier update is undone or
    finished first.

    Raises:
        NotATable: The table has no properties.
        CorruptTableError: The stored or the written file is damaged, or the written file has other entries.
        UnsupportedTable: The table version or the format of base files is not supported, or the table is a metadata
            table.
        StorageError: The store failed.
    """
    current = _recover(storage)
    entries = {key: value for key, value in current.entries.items() if key not in removals}
    entries.update(changes)
    updated = TableProperties(entries)
    updated.check()
    storage.create(BACKUP_FILE, storage.read(PROPERTIES_FILE))
    storage.delete(PROPERTIES_FILE)
    storage.create(PROPERTIES_FILE, dump_properties(entries, _comments("Updated at")))
    written = _read(storage, PROPERTIES_FILE)
    if dict(written) != entries:
        raise CorruptTableError(
            f"'{PROPERTIES_FILE}' differs from the content that was written; "
            f"restore it from '{BACKUP_FILE}', which has the previous version",
            file=PROPERTIES_FILE,
        )
    storage.delete(BACKUP_FILE)
    return written


def _recover(storage: Storage) -> TableProperties:
    current = load_properties(storage)
    if storage.exists(BACKUP_FILE):
        try:
            _read(storage, PROPERTIES_FILE)
        except (Missing, CorruptTableError):
            storage.replace(PROPERTIES_FILE, storage.read(BACKUP_FILE))
        storage.delete(BACKUP_FILE)
    return current


def _read(storage: Storage, file: str) -> TableProperties:
    body = storage.read(file)
    try:
        properties = TableProperties(parse_properties(body), file)
    except ValueError as error:
        raise CorruptTableError(f"'{file}': {error}; restore the file", file=file) from error
    check_undamaged(body, properties, file)
    try:
        properties.check()
    except UnsupportedTable as error:
        error.add_note(f"read from {storage.uri}")
        raise
    return properties


def _comments(what: str) -> tuple[str, str]:
    now: datetime = utc_now()
    return (f"{what} {now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03d}Z", f"{now:%a %b %d %H:%M:%S} UTC {now.year}")
