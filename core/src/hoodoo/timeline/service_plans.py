"""Plans of compactions and clusterings: Avro in both timeline layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.storage import check_relative, name_of
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.commit_schemas import COMPACTION_PLAN
from hoodoo.timeline.codec.json_document import JsonObject
from hoodoo.timeline.commit_paths import path_errors_as_corruption
from hoodoo.timeline.instant import Instant, State

if TYPE_CHECKING:
    from hoodoo.timeline.timeline import Timeline

__all__ = ["CompactionOperation", "CompactionPlan", "clustering_groups", "compaction_plan"]

_PLAN_VERSION = 2


@frozen
class CompactionOperation:
    """Compaction of one file slice. Files are names without their partition.

    Attributes:
        partition: Partition path; "" in a table without partitions.
        file_id: The id of the file group.
        base_instant: The instant of the slice; None if the plan lacks it.
        data_file: The base file; None for a slice without one.
        log_files: The log files to merge, in any order.
    """

    partition: str
    file_id: str
    base_instant: str | None
    data_file: str | None
    log_files: tuple[str, ...]


@frozen
class CompactionPlan:
    """Plan of a compaction or log compaction: one operation per file group."""

    operations: tuple[CompactionOperation, ...] = ()

    def to_avro(self) -> bytes:
        """Return the content of the requested file."""
        operations: list[dict[str, Any]] = [
            {
                "baseInstantTime": operation.base_instant,
                "deltaFilePaths": list(operation.log_files),
                "dataFilePath": operation.data_file,
                "fileId": operation.file_id,
                "partitionPath": operation.partition,
                "metrics": {},
                "bootstrapFilePath": None,
            }
            for operation in self.operations
        ]
        plan = {
            "operations": operations,
            "extraMetadata": {},
            "version": _PLAN_VERSION,
            "preserveHoodieMetadata": False,
            "missingSchedulePartitions": [],
        }
        return write_record(COMPACTION_PLAN, plan)


def compaction_plan(timeline: Timeline, instant: Instant) -> CompactionPlan:
    """Return the plan of a pending compaction, from its requested file.

    The plan of an empty file has no operations: its writer failed before it wrote the plan, which is never executed.

    Raises:
        CorruptTableError: The plan is corrupt, or has a path outside the table.
        UnsupportedTable: The codec of the file is not supported.
        TableChanged: The requested file no longer exists: the compaction was rolled back, or completed and archived.
    """
    document = _requested(timeline, instant)
    if document is None:
        return CompactionPlan()
    return CompactionPlan(tuple(_operation(operation) for operation in document.objects("operations")))


def clustering_groups(timeline: Timeline, instant: Instant) -> frozenset[tuple[str, str]]:
    """Return (partition, file id) of the file groups that a pending clustering replaces, from its requested file.

    The result is empty for other replace commits and for an empty file; errors as in `compaction_plan`.
    """
    document = _requested(timeline, instant)
    if document is None:
        return frozenset()
    return frozenset(
        (_partition(part), _file_id(part))
        for group in document.object("clusteringPlan").objects("inputGroups")
        for part in group.objects("slices")
    )


def _requested(timeline: Timeline, instant: Instant) -> JsonObject | None:
    requested = instant.at(State.REQUESTED)
    body = timeline.read(requested)
    file = timeline.path_of(requested)
    return JsonObject(read_record(body, file), file) if body else None


def _operation(document: JsonObject) -> CompactionOperation:
    data_file = document.text("dataFilePath")
    return CompactionOperation(
        partition=_partition(document),
        file_id=_file_id(document),
        base_instant=document.text("baseInstantTime"),
        data_file=_name(document, data_file) if data_file else None,
        log_files=tuple(_name(document, path) for path in document.texts("deltaFilePaths")),
    )


def _partition(document: JsonObject) -> str:
    return _check_path(document, document.text("partitionPath") or "")


def _file_id(document: JsonObject) -> str:
    file_id = document.text("fileId")
    if not file_id or "/" in file_id:
        raise CorruptTableError(
            f"'{document.file}': {document.where.strip('.')}.fileId is '{file_id or ''}', not a file id; restore the "
            "file",
            file=document.file,
        )
    return _check_path(document, file_id)


def _name(document: JsonObject, path: str) -> str:
    # old writers store full paths, and the table may have been moved since
    return _check_path(document, name_of(path))


def _check_path(document: JsonObject, path: Any) -> str:
    with path_errors_as_corruption(document.file):
        return check_relative(path)
