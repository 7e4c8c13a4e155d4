"""Compaction, log compaction, clustering."""

from __future__ import annotations

from collections.abc import Iterator

from tests.interop.rows import plain_batch
from tests.interop.story import Sql, Story, Write

from .common import BY_PART, COMPACT, COW, MOR, SCHEDULE, some, version

__all__ = ["services"]


def services() -> Iterator[Story]:
    """Yield stories of compaction, log compaction and clustering."""
    for number in (6, 8, 9):
        pending = [
            *some(),
            Sql([SCHEDULE]),
            Write(plain_batch(["a", "f", "d:y"], 40)),
            Write(plain_batch(["b"], 50), "delete"),
        ]
        options = {**MOR, **version(number), **BY_PART}
        yield Story(f"mor{number}-compaction-pending", options, pending)
        if number != 8:
            done = [*pending, Sql([COMPACT]), Write(plain_batch(["a", "g", "c:y"], 60))]
            yield Story(f"mor{number}-compaction-done", options, done)
            inline = {
                "hoodie.log.compaction.inline": "true",
                "hoodie.log.compaction.blocks.threshold": "2",
                "hoodie.log.compaction.enable": "true",
                "hoodie.optimized.log.blocks.scan.enable": "true",
            }
            more = [Write(plain_batch(["a", f"n{n}"], 40 + n)) for n in range(3)]
            yield Story(f"mor{number}-log-compaction", {**options, **inline}, [*some(), *more])
    cluster = {
        "hoodie.clustering.inline": "true",
        "hoodie.clustering.inline.max.commits": "3",
        "hoodie.clustering.plan.strategy.small.file.limit": str(1 << 30),
        "hoodie.clustering.plan.strategy.sort.columns": "v",
        "hoodie.parquet.small.file.limit": "0",
    }
    inserts = [Write(plain_batch([f"{letter}{n}:{'xy'[n % 2]}" for n in range(3)], 10), "insert") for letter in "abc"]
    after = [Write(plain_batch(["a0:x", "b1:y", "z:y"], 20))]
    for number, kind in ((6, COW), (9, COW), (9, MOR), (6, MOR)):
        name = "cow" if kind is COW else "mor"
        yield Story(f"{name}{number}-clustered", {**kind, **version(number), **BY_PART, **cluster}, inserts + after)
    idle = {"hoodie.parquet.small.file.limit": "0"}
    small = "hoodie.clustering.plan.strategy.small.file.limit=1000000000"
    plan = f"call run_clustering(path => '{{path}}', op => 'schedule', order => 'v', options => '{small}')"
    for number, kind in ((6, COW), (9, COW), (9, MOR)):
        name = "cow" if kind is COW else "mor"
        options = {**kind, **version(number), **BY_PART, **idle}
        yield Story(f"{name}{number}-clustering-pending", options, [*inserts, Sql([plan])])
