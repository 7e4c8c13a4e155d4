"""Statistics of one file that a commit wrote, for JSON and Avro."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from hoodoo.timeline.codec.commit_schemas import STAT_FIELDS
from hoodoo.timeline.codec.json_document import JsonObject

__all__ = ["WriteStat"]

NO_PREVIOUS_COMMIT = "null"


@frozen
class WriteStat:
    """Statistics of one file that a commit wrote. Sizes are in bytes, and times in milliseconds.

    `path` is relative to the table; None if the write produced no file. `prev_commit` is the base instant of the slice
    before the write, or the text "null" for a new file group. For a log file, `base_file` is the name of the slice's
    base file ("" if the writer does not record it), and `log_files` has the names of all logs of the slice in layout 1,
    and of the new log in layout 2. For a base file they are None and (). `extra` holds unknown keys and those that only
    log files and compactions set, under Hudi's names.
    """

    file_id: str
    path: str | None
    partition_path: str | None
    prev_commit: str = NO_PREVIOUS_COMMIT
    num_writes: int = 0
    num_deletes: int = 0
    num_update_writes: int = 0
    num_inserts: int = 0
    total_write_bytes: int = 0
    total_write_errors: int = 0
    file_size_in_bytes: int = 0
    min_event_time: int | None = None
    max_event_time: int | None = None
    base_file: str | None = None
    total_upsert_time: int = 0
    total_create_time: int = 0
    total_scan_time: int = 0
    log_files: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of layout 1, with the keys in Hudi's order."""
        is_log = self.base_file is not None or bool(self.log_files)
        return {
            "fileId": self.file_id,
            "path": self.path,
            "cdcStats": None,
            "prevCommit": self.prev_commit,
            "numWrites": self.num_writes,
            "numDeletes": self.num_deletes,
            "numUpdateWrites": self.num_update_writes,
            "numInserts": self.num_inserts,
            "totalWriteBytes": self.total_write_bytes,
            "totalWriteErrors": self.total_write_errors,
            "tempPath": None,
            "partitionPath": self.partition_path,
            "totalLogRecords": 0,
            "totalLogFilesCompacted": 0,
            "totalLogSizeCompacted": 0,
            "totalUpdatedRecordsCompacted": 0,
            "totalLogBlocks": 0,
            "totalCorruptLogBlock": 0,
            "totalRollbackBlocks": 0,
            "fileSizeInBytes": self.file_size_in_bytes,
            "minEventTime": self.min_event_time,
            "maxEventTime": self.max_event_time,
            "runtimeStats": {
                "totalScanTime": self.total_scan_time,
                "totalUpsertTime": self.total_upsert_time,
                "totalCreateTime": self.total_create_time,
            },
            **({"baseFile": self.base_file, "logFiles": list(self.log_files)} if is_log else {}),
            **self.extra,
        }

    def to_avro(self) -> dict[str, Any]:
        """Return the Avro record of layout 2; entries of `extra` that the schema lacks are left out."""
        document = _UNSET_AVRO | self.to_json()
        return {name: document[name] for name in STAT_FIELDS}

    @classmethod
    def from_json(cls, document: Any, file: str, where: str) -> WriteStat:
        """Read an object of `partitionToWriteStats`; keys that are missing or null get the defaults.

        Raises:
            CorruptTableError: A value has the wrong type; the message names the file and, with `where`, the position in
                it.
        """
        return cls._from(document, _UNSET_JSON, file, where)

    @classmethod
    def from_avro(cls, document: Any, file: str, where: str) -> WriteStat:
        """Read a record of layout 2, in which every unset field is null; otherwise as `from_json`."""
        return cls._from(document, _UNSET_AVRO, file, where)

    @classmethod
    def _from(cls, document: Any, unset: Mapping[str, Any], file: str, where: str) -> WriteStat:
        # a table of 1,000 commits has tens of thousands of stats: this loop takes a fifth of the time of checks by name
        values: list[Any] = []
        try:
            get = document.get
            for key, type_, default in _COLUMNS:
                value = get(key)
                if value is None:
                    value = default
                elif type(value) is not type_:
                    return cls._raise_type_error(document, file, where)
                values.append(value)
            runtime = get("runtimeStats")
            if runtime is None:
                runtime = _NO_TIMES
            for key in _NO_TIMES:
                value = runtime.get(key, 0)
                if value is None:
                    value = 0
                if type(value) is not int:
                    return cls._raise_type_error(document, file, where)
                values.append(value)
        except AttributeError:
            return cls._raise_type_error(document, file, where)
        logs = get("logFiles")
        values.append(() if logs is None else JsonObject(document, file, where).texts("logFiles"))
        values.append(
            {
                key: value
                for key, value in document.items()
                if key not in _FIELD_KEYS and (key not in unset or value != unset[key])
            }
        )
        return cls(*values)

    @staticmethod
    def _raise_type_error(document: Any, file: str, where: str) -> WriteStat:
        """Raise an error about the key whose type is wrong."""
        shape = JsonObject(document, file, where)
        for key, type_, _ in _COLUMNS:
            _ = shape.text(key) if type_ is str else shape.integer(key)
        runtime = shape.object("runtimeStats")
        for key in _NO_TIMES:
            runtime.integer(key)
        raise AssertionError(f"{where}: no key has a wrong type")


_COLUMNS: tuple[tuple[str, type, Any], ...] = (
    ("fileId", str, ""),
    ("path", str, None),
    ("partitionPath", str, None),
    ("prevCommit", str, NO_PREVIOUS_COMMIT),
    ("numWrites", int, 0),
    ("numDeletes", int, 0),
    ("numUpdateWrites", int, 0),
    ("numInserts", int, 0),
    ("totalWriteBytes", int, 0),
    ("totalWriteErrors", int, 0),
    ("fileSizeInBytes", int, 0),
    ("minEventTime", int, None),
    ("maxEventTime", int, None),
    ("baseFile", str, None),
)
"""Key, type and default of each attribute, in the order of the attributes."""

_NO_TIMES = {"totalUpsertTime": 0, "totalCreateTime": 0, "totalScanTime": 0}

_FIELD_KEYS = frozenset({*(key for key, _, _ in _COLUMNS), "runtimeStats", "logFiles"})

_UNSET_JSON = {key: value for key, value in WriteStat("", None, None).to_json().items() if key not in _FIELD_KEYS}
"""Values of a base file for the keys that are not attributes; `extra` omits them."""

_UNSET_AVRO = dict.fromkeys(STAT_FIELDS) | _UNSET_JSON | {"totalLogReadTimeMs": 0, "numUpdates": 0}
