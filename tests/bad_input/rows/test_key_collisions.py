"""Different values that Hudi writes as one record key, or as one partition path."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hoodoo.errors import DataError

pytestmark = pytest.mark.slow

TYPES = [
    {"table_type": type_, "table_version": version}
    for type_ in ("COPY_ON_WRITE", "MERGE_ON_READ")
    for version in (6, 9)
]
INDEXES = [{}, {"index": "bloom"}, {"index": "bucket", "buckets": 1}, {"index": "global-simple"}]
NAMED: dict[str, Any] = {"ids": lambda given: "-".join(map(str, given.values())) or "simple"}
KEYS = {
    "a separator": [("x,b:y", "z"), ("x", "y,b:z"), "a:x,b:y,b:z"],
    "null": [("__null__", "x"), (None, "x"), "a:__null__,b:x"],
    "empty": [("x", ""), ("x", "__empty__"), "a:x,b:__empty__"],
}
each_pair = pytest.mark.parametrize("pair", KEYS)


def of(*keys: tuple[str | None, str | None], part: list[str] | None = None, first: int = 1) -> pa.Table:
    """Return rows with the record keys, by default in one partition."""
    a, b = (pa.array(column, pa.string()) for column in zip(*keys, strict=True))
    ts = list(range(first, first + len(keys)))
    return pa.table({"a": a, "b": b, "part": part or ["p"] * len(keys), "ts": ts, "v": [f"v{n}" for n in ts]})


def words(pair: str) -> list[str]:
    """Return the required parts of a message: both sets of values, the encoding, and the remedy."""
    *keys, key = KEYS[pair]
    shown = [", ".join(f"{n}={'null' if v is None else repr(v)}" for n, v in zip("ab", k, strict=True)) for k in keys]
    return [*shown, repr(key), "allow_key_collisions"]


OTHERS = of(("k", "l"), ("m", "n"))


@pytest.fixture
def write(place):
    """Return a function that writes rows with the record key columns `a` and `b`."""

    def written(rows: pa.Table, **options: Any) -> Any:
        return place.write(rows, record_key="a,b", **options)

    return written


@pytest.mark.each_value
@each_pair
@pytest.mark.parametrize("operation", ["upsert", "insert", "bulk_insert", "insert_overwrite"])
@pytest.mark.parametrize("kind", TYPES, **NAMED)
def test_rows_of_a_batch(refuses, write, pair, operation, kind):
    first, second, _ = KEYS[pair]

    refuses.late(
        DataError,
        "key_collision",
        *words(pair),
        write=lambda: write(of(first, ("c", "d"), second), operation=operation, **kind),
        good=lambda: write(OTHERS, **kind),
    )


@pytest.mark.each_value
@each_pair
@pytest.mark.parametrize("index", INDEXES, **NAMED)
@pytest.mark.parametrize("kind", TYPES, **NAMED)
@pytest.mark.parametrize("operation", ["upsert", "delete"])
@pytest.mark.parametrize("swapped", [False, True])
def test_a_stored_row(place, refuses, write, pair, index, kind, operation, swapped):
    """An upsert would overwrite, and a delete would remove, a row with other values.

    Both are accepted if they go to a log without a read of the stored row.
    """
    stored, incoming = KEYS[pair][:2][::-1] if swapped else KEYS[pair][:2]
    write(of(stored, ("c", "d")), **index, **kind)
    again = lambda: write(of(stored, ("c", "d"), first=5), **index, **kind)  # noqa: E731
    clash = lambda: write(of(incoming, ("c", "d"), first=9), operation=operation, **index, **kind)  # noqa: E731

    # a record that is written to a log is compared only if its own values have a qualifier: the stored row is not read
    unread = kind["table_type"] == "MERGE_ON_READ" and incoming in [(None, "x"), ("x", "")]
    if unread:
        clash()
        assert len(place.rows()) == (0 if operation == "delete" else 2)
    else:
        refuses.late(DataError, "key_collision", *words(pair), write=clash, good=again)


@each_pair
def test_rows_of_one_key_are_allowed(place, write, pair):
    first, second, _ = KEYS[pair]
    for key in (first, second):
        write(of(key, key, key), mode="overwrite")
        write(of(key, key, first=5))

        assert [row["ts"] for row in place.rows()] == [6]


@pytest.mark.each_value
@each_pair
@pytest.mark.parametrize("index", INDEXES, **NAMED)
@pytest.mark.parametrize("kind", TYPES, **NAMED)
def test_the_option_makes_them_one_record(place, write, pair, index, kind):
    first, second, _ = KEYS[pair]
    allowed = {"allow_key_collisions": True, **index, **kind}
    write(of(first, second), **allowed)
    write(of(first, first=7), **allowed)

    assert [(row["a"], row["b"], row["ts"]) for row in place.rows()] == [(*first, 7)]


def test_rows_of_two_partitions_meet_with_a_global_index_alone(place, refuses, write):
    rows = of(*KEYS["a separator"][:2], part=["p", "q"])
    write(rows)
    assert len(place.rows()) == 2

    refuses.late(
        DataError,
        "key_collision",
        *words("a separator"),
        write=lambda: write(rows, index="global-simple", mode="overwrite"),
        good=lambda: write(rows),
    )


@pytest.mark.parametrize("kind", TYPES, **NAMED)
def test_a_stored_row_of_another_partition(refuses, write, kind):
    """The row would move: with a global index the record key alone identifies a row."""
    first, second, _ = KEYS["a separator"]
    write(of(first, part=["p"]), index="global-simple", **kind)

    refuses.late(
        DataError,
        "key_collision",
        *words("a separator"),
        write=lambda: write(of(second, part=["q"], first=5), index="global-simple", **kind),
        good=lambda: write(of(first, part=["q"], first=5), index="global-simple", **kind),
    )


@pytest.mark.parametrize("kind", TYPES[2:], **NAMED)
@pytest.mark.parametrize("format_", ["parquet", "avro"])
def test_a_row_that_is_in_a_log_alone(place, refuses, write, kind, format_):
    first, second, _ = KEYS["a separator"]
    options = {"index": "bucket", "buckets": 1, "log_format": format_, **kind}
    write(of(("c", "d")), **options)
    write(of(first), **options)

    refuses.late(
        DataError,
        "key_collision",
        *words("a separator"),
        write=lambda: write(of(second), **options),
        good=lambda: write(of(first, first=5), **options),
    )
    write(of(first, first=7), operation="delete", **options)
    write(of(second, first=9), **options)
    assert [row["a"] for row in place.rows()] == ["c", "x"], "the row does not replace the deleted one"


def test_an_insert_that_leaves_out_stored_keys(place, refuses, write):
    first, second, _ = KEYS["a separator"]
    write(of(first))

    refuses.late(
        DataError,
        "key_collision",
        *words("a separator"),
        write=lambda: write(of(second), operation="insert", dup_policy="drop"),
        good=lambda: write(of(first, first=5), operation="insert", dup_policy="drop"),
    )
    assert [row["ts"] for row in place.rows()] == [1]


PATHS = {
    "a slash": ({}, [("x/y", "z"), ("x", "y/z"), "x/y/z"]),
    "hive style": ({"hive_style": True}, [("x/q=y", "z"), ("x", "y/q=z"), "p=x/q=y/q=z"]),
    "null": ({}, [(None, "z"), ("__HIVE_DEFAULT_PARTITION__", "z"), "__HIVE_DEFAULT_PARTITION__/z"]),
    "url-encoded null": ({"url_encode": True}, [("x", None), ("x", "__HIVE_DEFAULT_PARTITION__"), "x/__HIVE_"]),
}


def placed(*parts: tuple[str | None, str | None], first: int = 1, same: bool = False) -> pa.Table:
    """Return rows with the partition values, by default with different record keys."""
    p, q = (pa.array(column, pa.string()) for column in zip(*parts, strict=True))
    ts = list(range(first, first + len(parts)))
    return pa.table({"id": ["k" if same else str(n) for n in ts], "p": p, "q": q, "ts": ts})


def path_words(pair: str) -> list[str]:
    *parts, path = PATHS[pair][1]
    shown = [", ".join(f"{n}={'null' if v is None else repr(v)}" for n, v in zip("pq", k, strict=True)) for k in parts]
    return [*shown, path, "allow_key_collisions"]


@pytest.mark.each_value
@pytest.mark.parametrize("pair", PATHS)
@pytest.mark.parametrize("operation", ["upsert", "insert", "bulk_insert", "insert_overwrite"])
@pytest.mark.parametrize("index", INDEXES, **NAMED)
def test_partition_values_of_a_batch(place, refuses, pair, operation, index):
    """Values that share a path are refused in whichever tasks their rows are: each row has another record key."""
    style, (first, second, _) = PATHS[pair]
    options = {"partition_by": "p,q", "operation": operation, **style, **index}
    rows = placed(*[first] * 5, *[second] * 5)

    refuses.late(
        DataError,
        "path_collision",
        *path_words(pair),
        write=lambda: place.write(rows, **options),
        good=lambda: place.write(rows.slice(5), **options),
    )
    place.write(rows, allow_key_collisions=True, **options)


@pytest.mark.each_value
@pytest.mark.parametrize("pair", PATHS)
@pytest.mark.parametrize("operation", ["upsert", "delete"])
@pytest.mark.parametrize("kind", TYPES, **NAMED)
def test_partition_values_of_a_stored_row(place, refuses, pair, operation, kind):
    """A row with another record key is accepted; one with the same key is refused, because its partition differs."""
    style, (second, first, _) = PATHS[pair]
    options = {"partition_by": "p,q", **style, **kind}
    place.write(placed(second, same=True), **options)
    place.write(placed(first, first=3), **options)

    refuses.late(
        DataError,
        "path_collision",
        *path_words(pair),
        "record key 'id:k'",
        write=lambda: place.write(placed(first, first=5, same=True), operation=operation, **options),
        good=lambda: place.write(placed(second, first=7, same=True), **options),
    )


def test_null_and_empty_partition_values_are_one(place):
    place.write(placed((None, "z"), ("", "z")), partition_by="p,q")
    place.write(placed(("", "z"), first=1), partition_by="p,q")

    assert len(place.rows()) == 2


def test_times_share_a_folder_on_purpose(place):
    times = {
        "hoodie.keygen.timebased.timestamp.type": "UNIX_TIMESTAMP",
        "hoodie.keygen.timebased.output.dateformat": "yyyy",
    }
    rows = placed(("x/y", "z"), ("x/y", "z"))
    place.write(rows, partition_by="p:simple,ts:timestamp", keygen="custom", **times)

    assert len(place.rows()) == 2


def test_dates_with_slashes(place, refuses):
    options = {"slash_date": True}

    refuses.late(
        DataError,
        "path_collision",
        "part='2024-01-02' and part='2024/01/02'",
        write=lambda: place.write(place.rows_with(part=["2024-01-02", "2024/01/02", "x"]), **options),
        good=lambda: place.write(place.rows_with(part=["2024-01-02", "2024-01-02", "x"]), **options),
    )


def test_timestamps_that_are_cut(place, refuses):
    times = pa.array([0, 1, 1000], pa.timestamp("us", "UTC"))
    rows = place.rows_with(t=times, part=["x"] * 3)
    options = {"record_key": "t", "consistent_logical_timestamps": True}

    refuses.late(
        DataError,
        "key_collision",
        "'1970-01-01 00:00:00.0'",
        write=lambda: place.write(rows, **options),
        good=lambda: place.write(rows.slice(1), **options),
    )


GENERATOR = """
@frozen
class Plugin:
    def record_keys(self, rows, config):
        return pa.array([value[:1] for value in rows.column('id').to_pylist()], pa.string())
    def partition_paths(self, rows, config):
        return pa.array([value[:1] for value in rows.column('part').to_pylist()], pa.string())
"""
QUALIFIERS = """
    def key_qualifiers(self, rows, config):
        return pa.array([value[1:] or None for value in rows.column('id').to_pylist()], pa.string())
    def path_qualifiers(self, rows, config):
        return pa.array([value[1:] or None for value in rows.column('part').to_pylist()], pa.string())
"""


def test_a_key_generator_without_qualifiers_decides_itself(place, site):
    site.install("keygen", "first", GENERATOR)
    place.write(place.rows_with(id=["a1", "a2", "b"], part=["x1", "x2", "x"]), keygen="first")
    place.write(place.rows_with(id=["a3", "b3", "b"], part=["x1", "x2", "x"]), keygen="first")

    assert len(place.rows()) == 2


@pytest.mark.parametrize(
    ("code", "columns"),
    [("key_collision", {"id": ["a1", "a2", "b"], "part": ["x"] * 3}), ("path_collision", {"part": ["x", "x2", "y"]})],
)
def test_a_key_generator_with_qualifiers_takes_part(place, refuses, site, code, columns):
    site.install("keygen", "first", GENERATOR + QUALIFIERS)

    refuses.late(
        DataError,
        code,
        write=lambda: place.write(place.rows_with(**columns), keygen="first"),
        good=lambda: place.write(keygen="first"),
    )
    with pytest.raises(DataError, match="in the table"):
        place.write(place.rows_with(id=["a7", "b", "c"]), keygen="first")
