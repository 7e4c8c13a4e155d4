"""Malicious footers of base files; some of them terminate a process that reads them with pyarrow alone."""

from __future__ import annotations

import pytest

from tests.damage.made_tables.kinds import EVERY_BIT

from .thrift import (
    BINARY,
    I64,
    STRUCT,
    chunk,
    element,
    footer,
    integers,
    list_of,
    parquet,
    row_group,
    struct_of,
    text,
    unsigned,
    zigzag,
)

pytestmark = pytest.mark.slow


def sizes(*fields):
    """Return the size statistics of a chunk."""
    return 16, STRUCT, struct_of(fields)


def levels(number):
    return list_of(number, I64, [zigzag(1)] * 5)


def encrypted(number, *fields):
    return [(8, STRUCT, struct_of([(number, STRUCT, struct_of(fields))]))]


def one_chunk(*fields, **sizes_and_counts):
    return parquet(footer([row_group([chunk(*fields, **sizes_and_counts)])]))


INT32 = [element("root", *integers(i5=1)), element("id", *integers(i1=1))]
TWICE = [element("root", *integers(i5=2)), element("id", *integers(i1=6)), element("id", *integers(i1=6))]
DEEP = [element("group", *integers(i5=1))] * 20_000


def paged(header):
    """Return a Parquet file whose only page has the given header.

    The footer states an uncompressed size of 1 TiB, so that the header is read.
    """
    body = header.ljust(50, b"\0")
    return parquet(footer([row_group([chunk(size=len(body), expanded=1 << 40)])]), body)


FOOTERS = {
    "a histogram of definition levels": one_chunk(sizes(levels(3))),
    "a histogram of repetition levels": one_chunk(sizes(levels(2))),
    "bytes of numbers": parquet(footer([row_group([chunk(sizes(*integers(l1=4)))])], INT32)),
    "a chunk with a key of its own": one_chunk(beside=encrypted(2, list_of(1, BINARY, [text(0, "id")[2]]))),
    "a chunk with the footer's key": one_chunk(beside=encrypted(1)),
    "no chunk": parquet(footer([row_group([])])),
    "too many chunks": parquet(footer([row_group([chunk(), chunk()])])),
    "a chunk without metadata": parquet(footer([row_group([struct_of(integers(l2=0))])])),
    "more rows than its groups": parquet(footer([row_group([chunk()])], rows=2**60)),
    "fewer rows than none": parquet(footer([row_group([chunk(values=-3)], rows=-3)], rows=-3)),
    "a column twice": parquet(footer([row_group([chunk(), chunk()])], TWICE)),
    "a deep schema": parquet(footer([], DEEP)),
    "many row groups claimed": parquet(struct_of([*integers(i1=1, l3=0), list_of(4, STRUCT, [], 999_999)])),
    "many chunks claimed": parquet(footer([struct_of([list_of(1, STRUCT, [], 999_999)])])),
    "offsets that overflow": one_chunk(size=2**63 - 1),
    "a negative size": one_chunk(size=-1),
    "a page header of booleans without end": paged(bytes([0x19, 0xF1]) + unsigned(2**62)),
    "a page header of maps without end": paged(bytes([0x1B]) + unsigned(2**62) + b"\x11"),
    "a page header with an endless number": paged(bytes([0x15]) + b"\xff" * 40),
}

ENCRYPTED = ("a chunk with a key of its own", "a chunk with the footer's key")


@pytest.mark.parametrize("what", FOOTERS)
def test_crafted_footers(what, case_of):
    case = case_of(EVERY_BIT["base files"])
    [found] = case.try_bodies({what: lambda _: FOOTERS[what]})
    assert found["outcome"] == "hoodoo error", found
    # a chunk that names a key is that of an encrypted file
    assert found["type"] == ("UnsupportedTable" if what in ENCRYPTED else "CorruptTableError")


def test_a_footer_that_claims_nothing_false_fails_later(case_of):
    """The crafted footers are rejected for their false statements: without them, the error is about the pages."""
    case = case_of(EVERY_BIT["base files"])
    [found] = case.try_bodies({"nothing": lambda _: one_chunk()})
    assert "page header" in found["message"]
