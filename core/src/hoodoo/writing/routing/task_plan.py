"""Plan of a write, which executors receive as JSON."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import msgspec
import pyarrow as pa
from attrs import field, frozen

from hoodoo.filegroup import FileSlice
from hoodoo.storage import name_of
from hoodoo.timeline import Instant, Timeline
from hoodoo.writing.write_spec import WriteSpec

__all__ = ["Distribution", "SliceRef", "TaskPlan"]


def _late_logs(file_slice: FileSlice, timeline: Timeline) -> dict[str, frozenset[str]]:
    """Return, by log path, the instants that were requested before the commit of the base file was completed."""
    if not file_slice.logs:
        return {}
    base = next((commit for commit in timeline.commits if commit.time == file_slice.base_instant), None)
    if base is None:
        return {}
    late = {
        log.path: frozenset(
            time for time in log.commits if timeline.is_completed_after(base, Instant(time, "deltacommit"))
        )
        for log in file_slice.logs
    }
    return {path: instants for path, instants in late.items() if instants}


@frozen
class SliceRef:
    """Reference to a stored file slice, or to a new slice that begins with a log.

    Attributes:
        file_id: The id of the file group.
        instant: The instant of the base file; without one, that of the first log.
        path: Table-relative path of the base file; "" without one.
        size: Bytes of the base file.
        log_instant: The instant that names new logs in timeline layout 1; "" for the instant that is being written.
        next_log_version: The number of the next log of that instant.
        logs: The names of the existing logs.
        late: Logs whose keys the base file may lack, with the instants whose blocks are searched in each, see
            `hoodoo.index.log_keys`.
    """

    file_id: str
    instant: str
    path: str
    size: int
    log_instant: str = ""
    next_log_version: int = 1
    logs: tuple[str, ...] = ()
    late: Mapping[str, frozenset[str]] = field(factory=dict, hash=False)

    @classmethod
    def of(cls, file_slice: FileSlice, timeline: Timeline | None = None) -> SliceRef:
        """Return the reference to a slice; with a timeline, it has the logs that a search for keys must read."""
        instant = file_slice.compaction or file_slice.base_instant
        versions = [log.version for log in file_slice.logs if log.instant == instant]
        return cls(
            file_slice.file_id,
            file_slice.base_instant,
            file_slice.path or "",
            file_slice.size,
            instant,
            max(versions, default=0) + 1,
            tuple(name_of(log.path) for log in file_slice.logs),
            {} if timeline is None else _late_logs(file_slice, timeline),
        )

    @property
    def is_stored(self) -> bool:
        """Return whether the slice has files."""
        return bool(self.path or self.logs)


@frozen
class Distribution:
    """Distribution of the rows of a write over tasks.

    Attributes:
        bins: Number of tasks that merge and write.
        searchers: Number of tasks that look keys up in all partitions.
        shares_partitions: Whether several tasks share a partition, which costs a second shuffle. It has no effect with
            a bucket index, or if rows are compared across partitions.
        record_size: Expected bytes of a stored record; None if the last commits are too small for an estimate.
    """

    bins: int
    searchers: int = 1
    shares_partitions: bool = False
    record_size: int | None = None


@frozen(kw_only=True)
class TaskPlan(WriteSpec):
    """Plan of one write for its tasks.

    Attributes:
        instant: The instant that is being written.
        slices: Stored file slices by partition path and slot: their bucket, or their position in the order of file ids.
        distribution: Distribution of the rows over tasks.
        returned_bytes: Bytes of data files that each task returns to the driver instead of storing them; 0 for none.
    """

    instant: str
    slices: Mapping[str, Mapping[int, SliceRef]]
    distribution: Distribution
    returned_bytes: int = 0

    def to_json(self) -> str:
        """Return the plan as text; `from_json` is the inverse."""
        return msgspec.json.encode(self, enc_hook=_encoded).decode()

    @classmethod
    def from_json(cls, text: str) -> TaskPlan:
        """Return the plan that `to_json` wrote."""
        return msgspec.json.decode(text, type=cls, dec_hook=_decoded)


def _encoded(value: Any) -> str:
    if isinstance(value, pa.Schema):
        return base64.b64encode(value.serialize().to_pybytes()).decode()
    raise NotImplementedError(f"a plan cannot contain {type(value).__name__}")


def _decoded(type_: type, value: Any) -> Any:
    if type_ is pa.Schema:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(value)))
    raise NotImplementedError(f"a plan cannot contain {type_.__name__}")
