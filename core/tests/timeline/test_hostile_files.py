"""A read of an instant's file with damaged bytes returns a value, or raises an error that names the file.

It uses little memory in both cases.

The seeds are fixed: a failure names the file, the kind and the number of the damage, and can be repeated.
"""

from __future__ import annotations

import tracemalloc
from random import Random

import pytest

from hoodoo.errors import CorruptTableError, UnsupportedTable
from hoodoo.storage import LocalStorage
from hoodoo.timeline import (
    CommitMetadata,
    CommitOutline,
    Instant,
    State,
    Timeline,
    WriteStat,
    clustering_groups,
    compaction_plan,
)

T = "20240101000001000"
ABSURD = [b"\xff" * 9 + b"\x01", b"\xfe\xff\xff\xff\x0f", b"\x80" * 12, b"\x01", b"\xfe" + b"\xff" * 8 + b"\x01"]


def flipped(body, random):
    damaged = bytearray(body)
    damaged[random.randrange(len(body))] ^= 1 << random.randrange(8)
    return bytes(damaged)


def cut(body, random):
    return body[: random.randrange(len(body))]


def absurd(body, random):
    """Replace a random byte with a length, count or branch that is far too large, negative or without end."""
    at = random.randrange(len(body))
    return body[:at] + random.choice(ABSURD) + body[at + 1 :]


def moved(body, random):
    start, end, to = sorted(random.randrange(len(body)) for _ in range(3))
    return body[:start] + body[end:to] + body[start:end] + body[to:]


DAMAGES = [flipped, cut, absurd, moved]


def outcomes(name, body, read, times):
    """Read a file in many damaged forms; return the number of forms that were read, and that were rejected."""
    taken, refused = 0, []
    for damage in DAMAGES:
        random = Random(f"{name} {damage.__name__}")
        for number in range(times):
            try:
                read(damage(body, random))
                taken += 1
            except (CorruptTableError, UnsupportedTable) as error:
                # not the error: its traceback would hold all that was read
                refused.append(error.file if isinstance(error, CorruptTableError) else name)
            except Exception as error:
                error.add_note(f"{name}: {damage.__name__} number {number}")
                raise
    assert set(refused) <= {name}
    return taken, len(refused)


@pytest.mark.parametrize("form", [CommitMetadata, CommitOutline])
def test_real_commits(table, form):
    read = form.from_json if table.layout == 1 else form.read
    for instant in table.commits:
        name = table.path_of(instant)
        _, refused = outcomes(name, table.read(instant), lambda body, name=name: read(body, name), times=40)
        assert refused > 40


@pytest.mark.parametrize("codec", ["from_json", "from_avro"])
def test_a_commit_with_everything(codec):
    stat = WriteStat("f-0", "p/.f-0_1.log.1_0-1-2", "p", log_files=(".f-0_1.log.1_0-1-2",), extra={"logVersion": 1})
    metadata = CommitMetadata("UPSERT", {"p": (stat,) * 3}, {"schema": "{}"}, {"p": ("g-0",)}, compacted=True)
    body = metadata.to_json() if codec == "from_json" else metadata.to_avro()
    tracemalloc.start()
    taken, refused = outcomes("file", body, lambda damaged: getattr(CommitMetadata, codec)(damaged, "file"), times=500)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused > taken > 0
    assert peak < 8 << 20


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("quickstart_trips_table_mor_avro__v8_trips_8i3u1d", "compaction"),
        ("sample_table_mor_avro__v9_txns_complex_meta", "clustering"),
        ("sample_table_mor_parquet__v6_simplekeygen_nonhivestyle_overwritetable", "replacecommit"),
        ("mor9-compaction-done", "compaction"),
        ("cow9-clustered", "clustering"),
        ("cow6-clustered-by-0.15.0", "replacecommit"),
    ],
)
def test_real_plans(name, action, unzipped, timeline_at, tmp_path):
    timeline = timeline_at(unzipped(name))
    (info,) = (i for i in timeline.storage.list(timeline.folder) if i.path.endswith(f"{action}.requested"))
    storage = LocalStorage(str(tmp_path))
    path = f".hoodie/{T}.{action}.requested"
    plan = compaction_plan if action == "compaction" else clustering_groups

    def read(body):
        storage.replace(path, body)
        return plan(Timeline.load(storage), Instant(T, action, State.REQUESTED))

    _, refused = outcomes(path, timeline.storage.read(info.path), read, times=30)
    assert refused > 30
