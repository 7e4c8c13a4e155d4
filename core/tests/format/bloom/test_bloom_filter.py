"""Bloom filters compared with those of Apache Hudi."""

from __future__ import annotations

import base64
import hashlib
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoodoo.errors import OptionError
from hoodoo.format.bloom import BloomFilter, BloomShape, KeyHashes

LETTERS = "ab\u00e9\u07c0\u4e2d\U0001f600z"

# the first 16 digits of the SHA-256 of the text that BloomFilterFactory of Apache Hudi 1.1.1 made of `keys(n)`
MADE_BY_HUDI = """
60000 1.0E-9 DYNAMIC_V0 100000 0 b3d5cc53dc8f85b4
60000 1.0E-9 DYNAMIC_V0 100000 3000 a3745bb62dab6fa3
100 0.01 DYNAMIC_V0 250 1 f45fec67ed82560e
100 0.01 DYNAMIC_V0 250 250 73606bb93594a0bb
100 0.01 DYNAMIC_V0 250 600 3d7fdcf81c6997d8
100 0.01 DYNAMIC_V0 250 3000 c466b05f29a1440e
1000 1.0E-4 DYNAMIC_V0 1000 3000 ef0a5bf952c70f63
7 0.5 DYNAMIC_V0 20 3000 b49310096631e074
300 1.0E-6 DYNAMIC_V0 2900 3000 97c069490d7547f9
1 0.3 DYNAMIC_V0 3 250 22de2a3703a845d5
500 0.001 SIMPLE 0 0 a012cc29163b26d9
500 0.001 SIMPLE 0 3000 e5868c3d08baad3d
12345 1.0E-7 SIMPLE 0 3000 32da621a624b8792
3 1.0E-30 DYNAMIC_V0 5 600 048ed846f040adbf
"""


def keys(count, start=0):
    """Return keys of fewer than 80 bytes, most of them with characters beyond ASCII."""
    return pa.array(
        [
            "".join(LETTERS[(i * 7 + j * j + i // (j + 1)) % len(LETTERS)] for j in range(i % 23)) + f"{i:x}"
            for i in range(start, start + count)
        ],
        pa.string(),
    )


def filled(shape, *arrays):
    bloom = BloomFilter.empty(shape)
    for array in arrays:
        bloom.add(array)
    return bloom


@pytest.mark.parametrize("line", MADE_BY_HUDI.strip().splitlines())
def test_a_filter_equals_that_of_hudi(line):
    entries, fpp, kind, most, count, digest = line.split()
    bloom = filled(BloomShape(int(entries), float(fpp), kind, int(most)), keys(int(count)))
    assert hashlib.sha256(bloom.to_text().encode()).hexdigest()[:16] == digest


@pytest.mark.parametrize("shape", [BloomShape(100, 0.01, "DYNAMIC_V0", 250), BloomShape(500, 1e-3, "SIMPLE", 500)])
def test_keys_may_come_in_parts(shape):
    parts = (keys(90), keys(0), keys(1700, start=90), keys(3, start=1790))
    assert filled(shape, *parts).to_text() == filled(shape, keys(1793)).to_text()


def test_a_filter_that_was_read_is_continued():
    shape = BloomShape(100, 0.01, "DYNAMIC_V0", 250)
    stored = BloomFilter.from_text(filled(shape, keys(150)).to_text().encode(), "DYNAMIC_V0", shape.max_entries)
    assert stored.count == 150
    assert stored.has_shape(shape)
    assert not stored.has_shape(BloomShape(101, 0.01, "DYNAMIC_V0", 250))
    stored.add(keys(450, start=150))
    assert stored.to_text() == filled(shape, keys(600)).to_text()


def test_filters_of_shared_tables_are_made_again(real_table, shared_data):
    archives = sorted((shared_data / "tables").glob("*.zip"))
    assert sum(filters_made_again(real_table(archive.stem), BloomShape) for archive in archives) > 100


GOLDEN = ["cow6-bloom-by-0.15.0", "mor6-complex-key-by-0.15.0", "cow8-by-1.0.2", "cow9-bloom", "mor9-archived"]


@pytest.mark.parametrize("name", GOLDEN)
def test_filters_of_golden_tables_are_made_again(name, real_table):
    assert filters_made_again(real_table(name), partial(BloomShape, entries=100))


def filters_made_again(root, shape):
    """Compare the filters of a table's base files with filters made of the stored keys; return their number."""
    files = 0
    for path in root.rglob("*.parquet"):
        if ".hoodie" in path.relative_to(root).parts:
            continue
        file = pq.ParquetFile(path)
        metadata = file.metadata.metadata or {}
        if b"org.apache.hudi.bloomfilter" not in metadata:
            continue
        text, kind = metadata[b"org.apache.hudi.bloomfilter"], metadata[b"hoodie_bloom_filter_type_code"]
        stored = file.read(["_hoodie_record_key"]).column(0).combine_chunks().cast(pa.string())
        bloom = filled(shape(kind=kind.decode()), stored)
        assert bloom.to_text().encode() == text, path
        assert BloomFilter.from_text(text, kind.decode()).to_text().encode() == text
        files += 1
    return files


@pytest.mark.slow
@given(st.lists(st.text(max_size=40)), st.lists(st.text(max_size=40)), st.sampled_from(["SIMPLE", "DYNAMIC_V0"]))
def test_a_key_that_was_added_is_never_denied(added, others, kind):
    bloom = filled(BloomShape(4, 1e-2, kind, 9), pa.array(added, pa.string()))
    stored = BloomFilter.from_text(bloom.to_text().encode(), kind)
    asked = KeyHashes(pa.array(others + added + others, pa.string()))
    found = stored.may_contain(asked).tolist()
    assert all(found[len(others) : len(others) + len(added)])
    assert found[: len(others)] == found[len(others) + len(added) :]


def test_other_keys_are_denied_at_the_requested_rate():
    shape = BloomShape(1000, 0.01, "SIMPLE")
    strange = pa.array([f"strange {i}" for i in range(100_000)])
    assert 500 < filled(shape, keys(1000)).may_contain(KeyHashes(strange)).sum() < 2000


def test_only_requested_keys_are_found():
    bloom, asked = filled(BloomShape(), keys(50)), KeyHashes(keys(100))
    among = pa.array([i % 2 == 0 for i in range(100)]).to_numpy(zero_copy_only=False)
    assert bloom.may_contain(asked, among).nonzero()[0].tolist() == list(range(0, 50, 2))


def test_slices_of_arrays_are_what_they_show():
    part = pa.concat_arrays([pa.array(["x", "yy"]), keys(300)]).slice(2)
    assert filled(BloomShape(), part).to_text() == filled(BloomShape(), keys(300)).to_text()
    assert filled(BloomShape(), part.cast(pa.large_string())).to_text() == filled(BloomShape(), part).to_text()


def octets(version=-1, hashes=7, kind=1, bits=64, growth=(60_000, 1, 1), rows=((-1, 7, 1, 64, b"\0" * 8),)):
    def number(value, size=4):
        return value.to_bytes(size, "big", signed=True)

    text = number(version) + number(hashes) + number(kind, 1) + number(bits) + b"".join(map(number, growth))
    for row in rows:
        text += number(row[0]) + number(row[1]) + number(row[2], 1) + number(row[3]) + row[4]
    return base64.b64encode(text)


def test_a_text_as_these_tests_make_it_is_read():
    assert BloomFilter.from_text(octets(), "DYNAMIC_V0") is not None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"not base64!",
        b"AAAA",
        octets()[:-8],
        octets() + octets(),
        octets(version=0),
        octets(kind=0),
        octets(hashes=0, rows=((-1, 0, 1, 64, b"\0" * 8),)),
        octets(hashes=2**31 - 1, rows=((-1, 2**31 - 1, 1, 64, b"\0" * 8),)),
        octets(bits=-64, rows=((-1, 7, 1, -64, b""),)),
        octets(bits=2**31 - 1, rows=((-1, 7, 1, 2**31 - 1, b"\0" * 8),)),
        octets(growth=(60_000, 1, 2**31 - 1)),
        octets(growth=(60_000, 1, 0), rows=()),
        octets(growth=(60_000, 1, -1)),
        octets(growth=(-1, 1, 1)),
        octets(growth=(0, 1, 1)),
        octets(growth=(60_000, -1, 1)),
        octets(rows=((-1, 7, 1, 63, b"\0" * 8),)),
    ],
)
@pytest.mark.parametrize("kind", ["DYNAMIC_V0", "SIMPLE", "NEXT_V9"])
def test_what_is_no_filter_is_none(text, kind):
    assert BloomFilter.from_text(text, kind) is None


@pytest.mark.parametrize(("entries", "fpp"), [(0, 0.1), (-1, 0.1), (10, 0.0), (10, 1.0), (10, float("nan"))])
def test_shapes_that_cannot_be(entries, fpp):
    with pytest.raises(OptionError, match=f"'bloom_entries' {entries} and"):
        BloomShape(entries, fpp)


def test_a_filter_that_is_too_large_is_rejected():
    with pytest.raises(OptionError, match="bits"):
        BloomShape(10**9)
