"""A small table written with the package's own parts, and a storage that fails on demand."""

from __future__ import annotations

from types import SimpleNamespace

import pyarrow as pa
import pytest

from hoodoo.errors import StorageError
from hoodoo.filegroup import file_slices
from hoodoo.format import BaseFileName, BaseFileWriter, ensure_partition_metadata, new_file_id, read_base_file
from hoodoo.properties import create_properties, new_table_properties
from hoodoo.schema.avro import to_avro
from hoodoo.schema.meta import with_meta
from hoodoo.storage import LocalStorage
from hoodoo.timeline import CommitMetadata, Timeline, WriteStat
from hoodoo.txn import begin, create_marker

SCHEMA = pa.schema([("id", pa.int32()), ("city", pa.string()), ("value", pa.string())])
AVRO = to_avro(SCHEMA, "t")


def create_table(storage):
    entries = new_table_properties(
        "t",
        schema=SCHEMA,
        record_key=["id"],
        partition_by=["city"],
        keygen_class="org.apache.hudi.keygen.SimpleKeyGenerator",
    )
    create_properties(storage, entries)


def write_file(storage, instant, city, ids, value, *, previous=None, token="0-0-0", file_id=None):
    """One base file through marker, partition metadata and writer, as a task does it; its write stat."""
    file_id = previous.file_id if previous else file_id or new_file_id()
    name = str(BaseFileName(file_id, token, instant))
    path = f"{city}/{name}"
    create_marker(storage, instant, path, "MERGE" if previous else "CREATE")
    ensure_partition_metadata(storage, city, instant)
    count = len(ids)
    columns = {
        "_hoodie_commit_time": [instant] * count,
        "_hoodie_commit_seqno": [f"{instant}_0_{n}" for n in range(count)],
        "_hoodie_record_key": [str(i) for i in ids],
        "_hoodie_partition_path": [city] * count,
        "_hoodie_file_name": [name] * count,
        "id": ids,
        "city": [city] * count,
        "value": [value] * count,
    }
    with BaseFileWriter(storage, path, SCHEMA, AVRO) as file:
        file.write(pa.table(columns, schema=with_meta(SCHEMA)))
    return WriteStat(
        file_id,
        path,
        city,
        previous.base_instant if previous else "null",
        num_writes=count,
        num_inserts=0 if previous else count,
        total_write_bytes=file.size,
        file_size_in_bytes=file.size,
    )


def metadata(*stats, operation="UPSERT", **more):
    partitions = {}
    for stat in stats:
        partitions.setdefault(stat.partition_path, []).append(stat)
    return CommitMetadata(operation, {p: tuple(s) for p, s in partitions.items()}, {"schema": AVRO}, **more)


def write(storage, value):
    """Begin, write partitions a and b whole, commit."""
    timeline = Timeline.load(storage)
    slices = {s.partition: s for s in file_slices(storage, timeline)}
    with begin(storage, timeline) as transaction:
        stats = [
            write_file(storage, transaction.time, city, ids, value, previous=slices.get(city))
            for city, ids in (("a", [1, 2]), ("b", [3]))
        ]
        return transaction.commit(metadata(*stats))


def rows(storage):
    """(id, value) of every visible row, ordered."""
    slices = file_slices(storage, Timeline.load(storage))
    parts = [part for s in slices for part in read_base_file(storage, s.path, with_meta(SCHEMA))]
    return sorted((row["id"], row["value"]) for part in parts for row in part.to_pylist())


class FaultyStorage:
    """Fails the n-th call: before it does anything, or after it did all and only the answer is lost.

    With `dead`, every call from then on fails too, as for a process whose store went away, or that was killed; the
    locks that it held are freed by `die`.
    """

    def __init__(self, inner, number, *, after, dead):
        self._inner = inner
        self._left = number
        self._after = after
        self._dead = dead
        self._locks = []
        self.hit = False

    @property
    def uri(self):
        return self._inner.uri

    def die(self):
        for lock in self._locks:
            lock.release()

    def __getattr__(self, name):
        method = getattr(self._inner, name)

        def call(*args, **kwargs):
            self._left -= 1
            if self._left < 0 and self._dead:
                raise StorageError(f"injected: {name} on a dead store")
            if self._left != 0:
                return self._remember(method(*args, **kwargs))
            self.hit = True
            if self._after:
                lost = method(*args, **kwargs)
                if hasattr(lost, "release"):
                    lost.release()
                elif hasattr(lost, "close"):
                    lost.close()
            raise StorageError(f"injected: {name} {args}")

        return call

    def _remember(self, result):
        if hasattr(result, "release"):
            self._locks.append(result)
        return result


@pytest.fixture
def storage(tmp_path):
    storage = LocalStorage(str(tmp_path / "table"))
    create_table(storage)
    return storage


@pytest.fixture
def table():
    """The helpers above, for test modules."""
    return SimpleNamespace(
        create=create_table,
        write=write,
        write_file=write_file,
        metadata=metadata,
        rows=rows,
        schema=SCHEMA,
        faulty=FaultyStorage,
    )
