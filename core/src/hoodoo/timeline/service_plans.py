"""What table services mean to do: plans of compactions and clusterings, Avro in both layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from hoodoo.errors import CorruptTableError, StorageError
from hoodoo.storage import check_relative, name_of
from hoodoo.timeline.codec.avro_file import read_record, write_record
from hoodoo.timeline.codec.commit_schemas import COMPACTION_PLAN
from hoodoo.timeline.codec.json_document import JsonShape
from hoodoo.timeline.instant import Instant, State

if TYPE_CHECKING:
    from hoodoo.timeline.timeline import Timeline

__all__ = ["CompactionOperation", "CompactionPlan", "clustering_groups", "compaction_plan"]

_PLAN_VERSION = 2


@frozen
class CompactionOperation:
    """One file slice that a compaction merges. Files are names without their partition.

    Attributes:
        partition: Partition path; "" in a table without partitions.
        file_id: The file group.
        base_instant: The instant of the slice; None where the plan does not say.
        data_file: The base file; None for a slice that has only logs.
        log_files: The logs to merge, in no particular order.
    """

    partition: str
    file_id: str
    base_instant: str | None
    data_file: str | None
    log_files: tuple[str, ...]


@frozen
class CompactionPlan:
    """What a compaction, or a compaction of logs, merges: one operation per file group."""

    operations: tuple[CompactionOperation, ...] = ()

    def to_avro(self) -> bytes:
        """The content of the requested file."""
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
    """The plan of a pending compaction, from its requested file.

    An empty file is a plan without operations: the writer that scheduled it died before it wrote the plan, so nobody
    acts on it.

    Raises:
        CorruptTableError: The plan is damaged, or names a path outside the table.
        TableChanged: There is no requested file: the compaction was rolled back, or completed and archived, meanwhile.
    """
    document = _requested(timeline, instant)
    if document is None:
        return CompactionPlan()
    return CompactionPlan(tuple(_operation(operation) for operation in document.objects("operations")))


def clustering_groups(timeline: Timeline, instant: Instant) -> frozenset[tuple[str, str]]:
    """(partition, file id) of the file groups that a pending clustering replaces, from its requested file.

    None for replace commits that are no clustering, and for an empty file; errors as `compaction_plan`.
    """
    document = _requested(timeline, instant)
    if document is None:
        return frozenset()
    return frozenset(
        (_partition(part), _file_id(part))
        for group in document.object("clusteringPlan").objects("inputGroups")
        for part in group.objects("slices")
    )


def _requested(timeline: Timeline, instant: Instant) -> JsonShape | None:
    requested = instant.at(State.REQUESTED)
    body = timeline.read(requested)
    file = timeline.path_of(requested)
    return JsonShape(read_record(body, file), file) if body else None


def _operation(document: JsonShape) -> CompactionOperation:
    data_file = document.text("dataFilePath")
    return CompactionOperation(
        partition=_partition(document),
        file_id=_file_id(document),
        base_instant=document.text("baseInstantTime"),
        data_file=_name(document, data_file) if data_file else None,
        log_files=tuple(_name(document, path) for path in document.texts("deltaFilePaths")),
    )


def _partition(document: JsonShape) -> str:
    return _checked(document, document.text("partitionPath") or "")


def _file_id(document: JsonShape) -> str:
    file_id = document.text("fileId")
    if not file_id or "/" in file_id:
        raise CorruptTableError(
            f"'{document.file}': {document.where.strip('.')}.fileId is {file_id!r}", file=document.file
        )
    return _checked(document, file_id)


def _name(document: JsonShape, path: str) -> str:
    # plans of old writers hold whole paths; the table may have been moved since
    return _checked(document, name_of(path))


def _checked(document: JsonShape, path: Any) -> str:
    try:
        return check_relative(path)
    except StorageError as error:
        raise CorruptTableError(f"'{document.file}': {error}", file=document.file) from error
