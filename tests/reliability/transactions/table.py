"""A small table with very simple data files, its visible content, and a model of this content.

Base files contain a text, and logs contain real blocks with a text as content: transactions read nothing else of them.
"""

from __future__ import annotations

from datetime import timedelta

from hoodoo.filegroup import file_slices
from hoodoo.format import BaseFileName
from hoodoo.format.file_names import LogFileName
from hoodoo.format.log import BlockType, HeaderKey
from hoodoo.format.log.block_writer import encode_block
from hoodoo.reading.slice.log_blocks import Committed, valid_blocks
from hoodoo.storage import name_of
from hoodoo.timeline import CommitMetadata, Timeline, WriteStat
from hoodoo.txn import Coordination, begin, check_marker, create_marker

from .memory import EPOCH, MemoryStorage

GROUPS = {"a": "group-a-0", "b": "group-b-0"}
"""The id of the first file group of each partition."""


class Clock:
    """Clock in seconds from a fixed start; each read takes one second and also moves the store's clock."""

    def __init__(self, storage: MemoryStorage, start: int = 0) -> None:
        self.storage = storage
        self.now = EPOCH + timedelta(seconds=start)

    def __call__(self):
        self.now += timedelta(seconds=1)
        self.storage.now = self.now
        return self.now


def load(storage, layout):
    return Timeline.load(storage, layout)


def write_base(storage, instant, partition, text, *, file_id=None, previous="null", token="0-0-0"):
    """Write a base file with its marker, as a task does, and return its write stat."""
    file_id = file_id or GROUPS[partition]
    path = f"{partition}/{BaseFileName(file_id, token, instant)}"
    kind = "CREATE" if previous == "null" else "MERGE"
    _write(storage, instant, path, kind, [text.encode()])
    inserts = 1 if previous == "null" else 0
    return WriteStat(
        file_id,
        path,
        partition,
        previous,
        1,
        num_inserts=inserts,
        total_write_bytes=len(text),
        file_size_in_bytes=len(text),
    )


def write_log(storage, layout, instant, file_slice, text, *, token="0-0-0"):
    """Write a log file of a slice in two blocks, and return its write stat."""
    version = 1 + max((log.version for log in file_slice.logs), default=0) if layout == 1 else 1
    base = file_slice.base_instant if layout == 1 else instant
    name = LogFileName(file_slice.file_id, base, version, token, is_cdc=False)
    path = f"{file_slice.partition}/{name}"
    header = {HeaderKey.INSTANT_TIME: instant, HeaderKey.SCHEMA: "{}"}
    blocks = [encode_block(BlockType.AVRO_DATA, header, part.encode()) for part in (f"{text}-1", f"{text}-2")]
    _write(storage, instant, path, "APPEND" if layout == 1 else "CREATE", blocks)
    size = sum(map(len, blocks))
    return WriteStat(
        file_slice.file_id,
        path,
        file_slice.partition,
        file_slice.base_instant,
        1,
        num_update_writes=1,
        total_write_bytes=size,
        file_size_in_bytes=size,
        base_file=name_of(file_slice.path) if layout == 1 else "",
        log_files=(str(name),),
    )


def _write(storage, instant, path, kind, parts):
    create_marker(storage, instant, path, kind)
    with storage.open_output(path) as sink:
        check_marker(storage, instant, path, kind)
        for part in parts:
            sink.write(part)
    check_marker(storage, instant, path, kind)


def metadata(operation, *stats, replaced=None, extra=None):
    partitions = {}
    for stat in stats:
        partitions.setdefault(stat.partition_path, []).append(stat)
    return CommitMetadata(operation, {p: tuple(s) for p, s in partitions.items()}, extra or {}, replaced)


def slices(storage, timeline):
    return {s.partition: s for s in file_slices(storage, timeline)}


def visible(storage, layout):
    """Return the texts of the base file and of the valid log blocks, by partition and file id."""
    timeline = load(storage, layout)
    found = {}
    committed = Committed(timeline.first_time, frozenset(i.time for i in timeline.commits) if layout == 1 else None)
    for s in file_slices(storage, timeline):
        texts = [] if s.path is None else [storage.read(s.path).decode()]
        for block in valid_blocks(storage, s.logs, committed):
            with storage.open_input(block.file) as file:
                texts.append(file.read_at(block.content_length, block.content_offset).decode())
        found[s.partition, s.file_id] = texts
    return found


def upsert(storage, layout, text, clock, *, extra=None, timeline=None, **how):
    """Rewrite the groups of both partitions, or create them; `after_upsert` is the visible content afterwards."""
    timeline = timeline or load(storage, layout)
    with begin(storage, timeline, coordination=Coordination(clock)) as transaction:
        known = slices(storage, timeline)
        stats = [
            write_base(storage, transaction.time, p, text, file_id=known[p].file_id, previous=known[p].base_instant)
            if p in known
            else write_base(storage, transaction.time, p, text)
            for p in GROUPS
        ]
        return transaction.commit(metadata("UPSERT", *stats, extra=extra), **how)


def after_upsert(text):
    return {group: [text] for group in GROUPS.items()}


def new_table(layout):
    """Return the storage of a table with one commit."""
    storage = MemoryStorage()
    clock = Clock(storage)
    upsert(storage, layout, "old", clock)
    return storage
