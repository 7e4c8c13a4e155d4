"""Operations that replace file groups: insert_overwrite, insert_overwrite_table, delete_partition."""

from __future__ import annotations

from collections.abc import Iterator

from tests.interop.rows import plain_batch
from tests.interop.story import Story, Write

from .common import BY_PART, COW, MOR, version

__all__ = ["replacing"]


def replacing() -> Iterator[Story]:
    """Yield stories of insert_overwrite, insert_overwrite_table and delete_partition."""
    steps = [
        Write(plain_batch(["a", "b:y", "c:z", "d:y"], 10)),
        Write(plain_batch(["a", "b:y"], 20)),
        Write(plain_batch(["e:y"], 5), "insert_overwrite"),
        Write(plain_batch(["f:y"], 30)),
        Write(plain_batch(["x:z"], 30), "delete_partition", {"hoodie.datasource.write.partitions.to.delete": "part=z"}),
        Write(plain_batch(["c:z", "a"], 1)),
    ]
    all_of_it = [*steps[:3], Write(plain_batch(["h", "i:w"], 7), "insert_overwrite_table"), steps[3]]
    for number, kind in ((6, COW), (6, MOR), (8, MOR), (9, COW), (9, MOR)):
        name = "cow" if kind is COW else "mor"
        yield Story(f"{name}{number}-overwrite", {**kind, **version(number), **BY_PART}, steps)
    for number in (6, 9):
        yield Story(f"mor{number}-overwrite-table", {**MOR, **version(number), **BY_PART}, all_of_it)
