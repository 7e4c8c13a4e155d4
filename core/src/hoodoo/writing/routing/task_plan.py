"""What executors are told: everything that a task needs, as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
from attrs import asdict, astuple, field, frozen

from hoodoo.filegroup import FileSlice
from hoodoo.format.bloom import BloomShape
from hoodoo.merge.plugin_checks import GuardedKeyGenerator
from hoodoo.merge.rule_spec import RuleSpec
from hoodoo.plugin.catalog.catalog import PluginSpec
from hoodoo.reading import Split
from hoodoo.record import KeyConfig
from hoodoo.storage import name_of
from hoodoo.timeline import Instant, Timeline

__all__ = ["SliceRef", "TaskPlan"]

_PLAIN = (
    "uri",
    "storage_options",
    "instant",
    "operation",
    "bins",
    "buckets",
    "bucket_by",
    "max_file_size",
    "small_file_limit",
    "compression",
    "record_size",
    "table_name",
    "avro_schema",
    "combines",
    "dup_policy",
    "appends",
    "log_format",
    "layout",
    "prunes",
    "spans",
    "moves",
    "searchers",
    "event_time",
    "key_collisions",
)
"""The attributes of a plan that JSON holds as they are."""


def _names(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(values)


def _instants_by_log(late: Mapping[str, Iterable[str]]) -> Mapping[str, frozenset[str]]:
    return {path: frozenset(instants) for path, instants in late.items()}


def _late_logs(file_slice: FileSlice, timeline: Timeline) -> dict[str, frozenset[str]]:
    """Return the logs of commits that began before the base file was committed."""
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
    """A stored file slice, or one that is to begin with a log.

    Attributes:
        file_id: The file group.
        instant: The instant of the base file; without one, that of the first log.
        path: Table-relative path of the base file; "" without one.
        size: Bytes of the base file.
        log_instant: The instant that names new logs in timeline layout 1; "" stands for the instant being written.
        next_log_version: The number of the next log of that instant.
        logs: The names of the logs that there are.
        late: Logs whose keys the base file may lack, with the instants that count in each, see `hoodoo.index.log_keys`.
    """

    file_id: str
    instant: str
    path: str
    size: int
    log_instant: str = ""
    next_log_version: int = 1
    logs: tuple[str, ...] = field(default=(), converter=_names)
    late: Mapping[str, frozenset[str]] = field(factory=dict, converter=_instants_by_log, hash=False)

    @classmethod
    def of(cls, file_slice: FileSlice, timeline: Timeline | None = None) -> SliceRef:
        """Return what a task needs of a slice; with a timeline also the logs that a search for keys must look into."""
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
        """Whether the slice holds anything yet."""
        return bool(self.path or self.logs)


@frozen
class TaskPlan:
    """One write, as its tasks see it.

    Attributes:
        uri: The table.
        instant: The instant that is being written.
        operation: As the option says; `insert` for one that overwrites.
        schema: The table's data columns, without meta columns.
        slices: Per partition path the stored file slices; with a bucket index under their bucket number.
        buckets: Number of buckets per partition; 0 without a bucket index.
        bins: Number of tasks that merge and write.
        record_size: Expected bytes of a stored record.
        combines: Whether incoming rows of one key are merged before they are inserted.
        dup_policy: What an insert does with keys that are stored: none, drop or fail.
        appends: Whether changes of stored slices go to logs: the table is merge-on-read.
        log_format: `parquet` or `avro`, the data blocks of logs.
        layout: The timeline's layout, which says how logs are named.
        storage_options: How the store is reached. They may hold secrets.
        prunes: Whether footers are asked before keys are read: the bloom index.
        bloom: The filter that new base files get; None for none.
        spans: Whether a key is looked for in all partitions: a global index.
        moves: Whether a stored row follows an incoming one of its key to another partition.
        searchers: Number of tasks that look keys up in all partitions.
        splits: How slices with logs are read, by partition path and file group, where their rows may move.
        event_time: The column whose smallest and largest values are told of each file; "" for none.
        key_collisions: Whether different values may share a record key or a partition path.
    """

    uri: str
    instant: str
    operation: str
    schema: pa.Schema
    keygen: PluginSpec
    keys: KeyConfig
    rule: RuleSpec
    slices: Mapping[str, Mapping[int, SliceRef]]
    bins: int
    buckets: int = 0
    bucket_by: tuple[str, ...] = ()
    max_file_size: int = 120 * 1024 * 1024
    small_file_limit: int = 100 * 1024 * 1024
    compression: str = "zstd"
    record_size: int | None = None
    table_name: str = ""
    avro_schema: str = ""
    combines: bool = False
    dup_policy: str = "none"
    appends: bool = False
    log_format: str = "parquet"
    layout: int = 1
    storage_options: Mapping[str, Any] = field(factory=dict, repr=False)
    prunes: bool = False
    bloom: BloomShape | None = None
    spans: bool = False
    moves: bool = True
    searchers: int = 1
    splits: Mapping[tuple[str, str], Split] = field(factory=dict)
    event_time: str = ""
    key_collisions: bool = False

    @property
    def merges(self) -> bool:
        """Whether rows of one key meet each other and what is stored."""
        return self.operation in ("upsert", "delete")

    @property
    def looks_up(self) -> bool:
        """Whether it matters which keys are stored."""
        return self.merges or self.dup_policy != "none"

    @property
    def groups_by_value(self) -> bool:
        """Whether rows can be brought together by their partition columns alone: some of a path may stay apart."""
        if self.operation != "bulk_insert" or self.buckets or self.spans or self.combines:
            return False
        return self.key_generator().path_per_value

    def key_generator(self) -> GuardedKeyGenerator:
        """The key generator, resolved here."""
        return GuardedKeyGenerator(self.keygen.resolve(), self.keygen.label)

    def to_json(self) -> str:
        """The plan as text, but for the splits, which engines ship by themselves; `from_json` is the inverse."""
        value = {name: getattr(self, name) for name in _PLAIN}
        value["schema"] = base64.b64encode(self.schema.serialize().to_pybytes()).decode()
        value["keygen"] = self.keygen.to_json()
        value["keys"] = asdict(self.keys)
        value["rule"] = self.rule.to_dict()
        value["bloom"] = None if self.bloom is None else asdict(self.bloom)
        value["slices"] = {
            partition: {slot: _plain(ref) for slot, ref in slices.items()} for partition, slices in self.slices.items()
        }
        return json.dumps(value)

    @classmethod
    def from_json(cls, text: str) -> TaskPlan:
        """The plan that `to_json` wrote."""
        value = json.loads(text)
        value["schema"] = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(value["schema"])))
        value["keygen"] = PluginSpec.from_json(value["keygen"])
        keys = dict(value["keys"])
        keys["record_key"], keys["partition_by"] = tuple(keys["record_key"]), tuple(keys["partition_by"])
        value["keys"] = KeyConfig(**keys)
        value["rule"] = RuleSpec.from_dict(value["rule"])
        value["bloom"] = None if value["bloom"] is None else BloomShape(**value["bloom"])
        value["bucket_by"] = tuple(value["bucket_by"])
        value["slices"] = {
            partition: {int(slot): SliceRef(*s) for slot, s in slices.items()}
            for partition, slices in value["slices"].items()
        }
        return cls(**value)


def _plain(ref: SliceRef) -> list[Any]:
    """Convert a slice to values that JSON has."""
    *values, late = astuple(ref, recurse=False)
    return [*values, {path: sorted(instants) for path, instants in late.items()}]
