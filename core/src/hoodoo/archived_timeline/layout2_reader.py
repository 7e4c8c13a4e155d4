"""Reader of the archive of timeline layout 2: Parquet files, and manifests that list the valid ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

import pyarrow as pa

from hoodoo.archived_timeline.reader_protocol import ArchivedInstants
from hoodoo.errors import CorruptTableError
from hoodoo.format.corruption import open_data_file, translate_read_errors
from hoodoo.format.parquet.parquet_reader import open_parquet
from hoodoo.storage import Missing, Storage, join, name_of
from hoodoo.timeline import COMMIT_ACTIONS, CommitMetadata, CommitOutline, Instant
from hoodoo.timeline.codec.avro_file import MAGIC
from hoodoo.timeline.codec.json_document import JsonObject

__all__ = ["VERSION_FILE", "extra_values_of_history_file", "manifest_files", "read_history_files", "read_history_rows"]

VERSION_FILE = "_version_"
"""Name of the file with the number of the current manifest."""

_MANIFEST = re.compile(r"manifest_(\d{1,18})")
_FILE = re.compile(r"\d+_\d+_\d+\.parquet")
_IDENTITY = ("instantTime", "completionTime", "action")


def read_history_files(storage: Storage, folder: str) -> ArchivedInstants:
    """Return the instants in the files of the current manifest; metadata is read on demand.

    Raises:
        CorruptTableError: The manifest, or a file in it, is corrupt or missing.
        UnsupportedTable: A file needs an unsupported feature of Parquet.
    """
    # cache one file only: the metadata of all archived commits may not fit into memory
    bodies = lru_cache(maxsize=1)(partial(_column, storage, name="metadata", type_=pa.binary()))

    def metadata(path: str, row: int) -> CommitMetadata:
        body = bodies(path)[row]
        if body is None:
            raise CorruptTableError(f"'{path}' has no metadata in row {row}; restore the file", file=path)
        return CommitMetadata.read(body, path)

    found: dict[Instant, Callable[[], CommitMetadata]] = {}
    for path in _files(storage, folder):
        for row, instant in enumerate(_instants(storage, path)):
            found[instant] = partial(metadata, path, row)
    return found


def extra_values_of_history_file(storage: Storage, path: str, key: str) -> Iterator[tuple[str, Instant]]:
    """Yield the values of a key in the extra metadata of the commits of a file, each with its commit.

    Raises:
        CorruptTableError: The file is corrupt or missing.
        UnsupportedTable: The codec of a commit's metadata, or a feature of the Parquet file, is not supported.
    """
    bodies = _column(storage, path, name="metadata", type_=pa.binary())
    for instant, body in zip(_instants(storage, path), bodies, strict=True):
        if body is None or instant.action not in COMMIT_ACTIONS or not _may_contain(body, key):
            continue
        value = CommitOutline.read(body, path).extra_metadata.get(key)
        if value is not None:
            yield value, instant


def _may_contain(body: bytes, key: str) -> bool:
    """Return whether metadata may contain a key of ASCII letters; always true for compressed metadata."""
    return key.encode() in body or (body.startswith(MAGIC) and b"deflate" in body)


def _instants(storage: Storage, path: str) -> Iterator[Instant]:
    columns = [_column(storage, path, name, pa.string()) for name in _IDENTITY]
    for time, completion, action in zip(*columns, strict=True):
        if time is None or action is None:
            raise CorruptTableError(f"'{path}' has a row without time or action; restore the file", file=path)
        yield Instant(time, Instant(time, action).completed_action, completion_time=completion)


def _column(storage: Storage, path: str, name: str, type_: pa.DataType) -> list[Any]:
    values: list[Any] = read_history_rows(storage, path, pa.schema([(name, type_)])).column(0).to_pylist()
    return values


def read_history_rows(storage: Storage, path: str, schema: pa.Schema) -> pa.Table:
    """Return columns of an archive file as a table of exactly the schema.

    Raises:
        CorruptTableError: The file is corrupt or missing, or does not have each column exactly once.
        UnsupportedTable: The file needs an unsupported feature of Parquet.
    """
    what = f"archive file '{path}'"
    with translate_read_errors(what, path), open_data_file(storage, path, what) as source:
        table = open_parquet(source, schema).read(schema.names)
        for name in schema.names:
            if table.column_names.count(name) != 1:
                count = table.column_names.count(name)
                raise CorruptTableError(
                    f"{what} has {count} columns named '{name}' instead of one; restore the file", file=path
                )
        found = table.select(schema.names).cast(schema)
        found.validate(full=True)
        return found


def _files(storage: Storage, folder: str) -> list[str]:
    """Return the paths in the current manifest."""
    return [join(folder, name) for name, _ in manifest_files(storage, folder)]


def manifest_files(storage: Storage, folder: str, name: str | None = None) -> list[tuple[str, int]]:
    """Return names and sizes in bytes of the files in a manifest, by default the current one; [] if none exists.

    Raises:
        CorruptTableError: The manifest is corrupt, or missing although `name` or the version file names it.
    """
    manifest = _latest_manifest(storage, folder) if name is None else join(folder, name)
    if manifest is None:
        return []
    try:
        document = json.loads(storage.read(manifest))
    except Missing as error:
        raise CorruptTableError(
            f"'{manifest}', the manifest that the archive names, does not exist; restore the file", file=manifest
        ) from error
    except (ValueError, RecursionError) as error:
        raise CorruptTableError(
            f"'{manifest}' is not a manifest in JSON: {error}; restore the file", file=manifest
        ) from error
    shape, files = JsonObject(document, manifest), []
    if not shape.has("files"):
        raise CorruptTableError(
            f"'{manifest}' is not a manifest: it lacks the list 'files'; restore the file", file=manifest
        )
    for entry in shape.objects("files"):
        file = entry.text("fileName") or ""
        if not _FILE.fullmatch(file):
            raise CorruptTableError(
                f"'{manifest}' lists {file!r}, which is not an archive file; restore the manifest", file=manifest
            )
        files.append((file, entry.integer("fileLen") or 0))
    return files


def _latest_manifest(storage: Storage, folder: str) -> str | None:
    """Return the path of the manifest that the version file names; None if there is no manifest.

    If the version file is missing or invalid, the manifest with the greatest number is used.
    """
    try:
        current = f"manifest_{int(storage.read(join(folder, VERSION_FILE)))}"
    except (Missing, ValueError):
        numbers = [match for info in storage.list(folder) if (match := _MANIFEST.fullmatch(name_of(info.path)))]
        if not numbers:
            return None
        current = max(numbers, key=lambda match: int(match[1]))[0]
    return join(folder, current)
