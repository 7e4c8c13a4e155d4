"""What executors are told: everything that a task needs, as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping

import pyarrow as pa
from attrs import asdict, frozen

from hoodoo.merge.guard import GuardedKeyGenerator
from hoodoo.plugin.catalog import PluginSpec
from hoodoo.record import KeyConfig
from hoodoo.writing.rules import RuleSpec

__all__ = ["SliceRef", "TaskPlan"]


@frozen
class SliceRef:
    """A stored file slice: its file group, and the base file with its size in bytes."""

    file_id: str
    instant: str
    path: str
    size: int


@frozen
class TaskPlan:
    """One write, as its tasks see it.

    Attributes:
        uri: The table.
        instant: The instant that is being written.
        operation: `upsert`, `insert`, `bulk_insert` or `delete`.
        schema: The table's data columns, without meta columns.
        slices: Per partition path the stored file slices; with a bucket index under their bucket number.
        buckets: Number of buckets per partition; 0 with the simple index.
        bins: Number of tasks that merge and write.
        record_size: Expected bytes of a stored record.
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

    @property
    def merges(self) -> bool:
        """Whether rows of one key meet each other and what is stored."""
        return self.operation in ("upsert", "delete")

    def key_generator(self) -> GuardedKeyGenerator:
        """The key generator, resolved here."""
        return GuardedKeyGenerator(self.keygen.resolve(), self.keygen.label)

    def to_json(self) -> str:
        """The plan as text; `from_json` is the inverse."""
        value = {
            name: getattr(self, name)
            for name in (
                "uri", "instant", "operation", "bins", "buckets", "bucket_by", "max_file_size", "small_file_limit",
                "compression", "record_size", "table_name", "avro_schema",
            )
        }  # fmt: skip
        value["schema"] = base64.b64encode(self.schema.serialize().to_pybytes()).decode()
        value["keygen"] = self.keygen.to_json()
        value["keys"] = asdict(self.keys)
        value["rule"] = self.rule.to_dict()
        value["slices"] = {
            partition: {slot: [s.file_id, s.instant, s.path, s.size] for slot, s in slices.items()}
            for partition, slices in self.slices.items()
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
        value["bucket_by"] = tuple(value["bucket_by"])
        value["slices"] = {
            partition: {int(slot): SliceRef(*s) for slot, s in slices.items()}
            for partition, slices in value["slices"].items()
        }
        return cls(**value)
