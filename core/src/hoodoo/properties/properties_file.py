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
from hoodoo.storage import AlreadyExists, Missing, Storage
from hoodoo.timeline import utc_now

__all__ = ["create_properties", "load_properties", "update_properties"]

BACKUP_FILE = ".hoodie/hoodie.properties.backup"
_ATTEMPTS = 4
_PAUSE_SECONDS = 0.05


def load_properties(storage: Storage) -> TableProperties:
    """Read the properties of a table: the main file, or its backup while another writer changes them.

    Raises:
        NotATable: Neither file is there.
        CorruptTableError: A file is there, and neither is whole.
        UnsupportedTable: A table version that cannot be read.
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
        if damage is None and not storage.exists(".hoodie"):
            break
        # a writer that is changing the file has the main one away for a moment, and then the backup
        if attempt + 1 < _ATTEMPTS:
            time.sleep(_PAUSE_SECONDS)
    if damage is not None:
        raise damage
    raise NotATable(
        f"no Hudi table at {storage.uri}: there is no {PROPERTIES_FILE}; check the path, or write a table there first"
    )


def create_properties(storage: Storage, entries: Mapping[str, str]) -> TableProperties:
    """Create a table by its properties. Raises `TableExists` where there is one, however far another writer got."""
    properties = TableProperties(entries)
    properties.check()
    # the token tells this attempt from one that another writer makes in the same millisecond
    body = dump_properties(entries, (*_comments("Properties saved on"), f"by {uuid.uuid4().hex}"))
    try:
        storage.create(PROPERTIES_FILE, body)
    except StorageError as error:
        # an answer that got lost looks like a failure, and like a name that is taken where the store tried twice
        if _stored(storage) == body:
            return properties
        if isinstance(error, AlreadyExists):
            raise TableExists(f"there is a Hudi table at {storage.uri} already") from error
        raise
    return properties


def _stored(storage: Storage) -> bytes | None:
    try:
        return storage.read(PROPERTIES_FILE)
    except StorageError:
        return None


def update_properties(storage: Storage, changes: Mapping[str, str], removals: Collection[str] = ()) -> TableProperties:
    """Change and remove entries by Hudi's protocol (backup, replace, compare, drop the backup).

    Call it under the table's lock. An update that was interrupted before is undone or finished first.
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
            f"'{PROPERTIES_FILE}' reads back differently from what was written; "
            f"'{BACKUP_FILE}' holds the version before",
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
        raise CorruptTableError(f"'{file}': {error}", file=file) from error
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
