"""Key generators, partition paths, indexes."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from tests.interop.rows import PLAIN, batch, plain_batch
from tests.interop.story import Story, Write

from .common import BY_PART, COW, MOR, changes, some, version

__all__ = ["keys"]


def keys() -> Iterator[Story]:
    """Yield stories of key generators, partition paths and indexes."""

    def generator(name: str, **options: str) -> dict[str, str]:
        return {"hoodie.datasource.write.keygenerator.class": f"org.apache.hudi.keygen.{name}", **options}

    fields = "hoodie.datasource.write.recordkey.field"
    path = "hoodie.datasource.write.partitionpath.field"
    for number in (6, 9):
        of = version(number)
        complex_ = {fields: "id,s", path: "part,v"}
        steps = [
            Write(plain_batch(["a", "b:y"], 10, v=1, s={"a": "q", "b": None})),
            Write(plain_batch(["a", "b:y", "c"], 20, v=1, s={"a": "q", "b": None, "c": ""})),
        ]
        yield Story(f"mor{number}-complex-key", {**MOR, **of, **generator("ComplexKeyGenerator", **complex_)}, steps)
        single = {fields: "id", path: "part", "hoodie.write.complex.keygen.validation.enable": "false"}
        yield Story(f"cow{number}-complex-single", {**COW, **of, **generator("ComplexKeyGenerator", **single)}, some())
        timed = {
            path: "day",
            "hoodie.keygen.timebased.timestamp.type": "DATE_STRING",
            "hoodie.keygen.timebased.input.dateformat": "yyyy-MM-dd",
            "hoodie.keygen.timebased.output.dateformat": "yyyy/MM",
        }
        dated = pa.schema([*PLAIN, ("day", pa.string()), ("ms", pa.int64())])
        steps = [
            Write(
                batch(["a", "b"], 10, schema=dated, day={"a": "2024-01-31", "b": "2024-02-01"}, ms=1_700_000_000_000)
            ),
            Write(
                batch(["a", "c"], 20, schema=dated, day={"a": "2024-01-31", "c": "2023-12-31"}, ms=1_600_000_000_000)
            ),
        ]
        options = {**MOR, **of, **generator("TimestampBasedKeyGenerator", **timed)}
        yield Story(f"mor{number}-timestamp-key", options, steps)
        custom = {
            path: "part:SIMPLE,ms:TIMESTAMP",
            "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
            "hoodie.keygen.timebased.output.dateformat": "yyyyMM",
        }
        steps = [
            Write(batch(["a", "b:y"], 10, schema=dated, ms=1_700_000_000_000)),
            Write(batch(["a", "c:y"], 20, schema=dated, ms=1_700_000_000_000)),
        ]
        yield Story(f"mor{number}-custom-key", {**MOR, **of, **generator("CustomKeyGenerator", **custom)}, steps)
        odd = ["a:a/b", "b:50%", "c:k=v", "d:with space", "e:10:30", "f:é", "g:"]
        encoded = {path: "part", "hoodie.datasource.write.partitionpath.urlencode": "true"}
        steps = [Write(plain_batch(odd, 10, part={"g": None})), Write(plain_batch(odd[:3], 20))]
        yield Story(f"mor{number}-url-encoded", {**MOR, **of, **encoded}, steps)
        bucket = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "3"}
        yield Story(f"mor{number}-bucket", {**MOR, **of, **BY_PART, **bucket}, changes())
        in_logs = {"hoodie.index.type": "INMEMORY"}
        yield Story(f"mor{number}-log-only", {**MOR, **of, **BY_PART, **in_logs}, changes())
        moving = {"hoodie.index.type": "GLOBAL_SIMPLE", "hoodie.simple.index.update.partition.path": "true"}
        steps = [
            Write(plain_batch(["a", "b:y"], 10)),
            Write(plain_batch(["a:y", "c"], 20)),
            Write(plain_batch(["b"], 30)),
        ]
        yield Story(f"mor{number}-global-moving", {**MOR, **of, **BY_PART, **moving}, steps)
    index = {
        "hoodie.index.type": "RECORD_LEVEL_INDEX",
        "hoodie.metadata.record.level.index.enable": "true",
        "hoodie.metadata.record.level.index.min.filegroup.count": "2",
        "hoodie.metadata.index.column.stats.enable": "false",
        "hoodie.metadata.index.partition.stats.enable": "false",
    }
    yield Story("mor9-partitioned-record-index", {**MOR, **version(9), **BY_PART, **index}, changes())
    consistent = {
        "hoodie.index.type": "BUCKET",
        "hoodie.index.bucket.engine": "CONSISTENT_HASHING",
        "hoodie.bucket.index.num.buckets": "2",
    }
    yield Story("mor9-consistent-bucket", {**MOR, **version(9), **BY_PART, **consistent}, changes())
    single = {fields: "id", path: "part"}
    yield Story(
        "cow6-complex-single-by-0.15.0", {**COW, **generator("ComplexKeyGenerator", **single)}, some(), "0.15.0"
    )
