"""Small tables to explain, and functions that explain them."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

import hoodoo
from hoodoo.testing.engine import write_arrow

OPTIONS = {"table_name": "t", "record_key": "id", "partition_by": "part", "ordering": "ts"}
Run = Callable[..., tuple[int, str, str]]


def batch(*rows: tuple[str, int, str], part: str = "x", deleted: bool = False) -> pa.Table:
    ids, times, texts = (list(column) for column in zip(*rows, strict=True))
    flags = [deleted] * len(rows)
    return pa.table({"id": ids, "part": [part] * len(rows), "ts": times, "v": texts, "_hoodie_is_deleted": flags})


def write(place: Path, rows: pa.Table, **options: Any) -> str:
    instant = write_arrow(rows, place, OPTIONS | options).instant
    assert instant is not None
    return instant


def asked(place: Path, question: str, key: str = "a") -> str:
    answer = hoodoo.Table(place).explain(key).answer(question)
    assert answer is not None
    return answer


def drawn(html: str) -> ET.Element:
    return ET.fromstring(html.replace("<details open ", "<details "))
