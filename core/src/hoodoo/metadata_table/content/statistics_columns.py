"""Columnar decoder of records of statistics, which decodes one field of all records at a time.

Positions of fields differ between records, so that an array has the position in each record. The bounds are in one of
several wrappers; records with the same wrapper are decoded together.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from attrs import define, field, frozen

from hoodoo.errors import CorruptTableError
from hoodoo.metadata_table.layers import Layer

__all__ = ["StatisticsColumns", "decode_statistics"]

Numbers = npt.NDArray[np.int64]
_MEMBER = "ColumnStatsMetadata"
_MOST_BYTES = 10
_NONE = -1
_NUMBERS = ("valueCount", "nullCount", "totalSize", "totalUncompressedSize")


@frozen
class StatisticsColumns:
    """Decoded records of column or partition statistics in the metadata table; each field has one value per record.

    Attributes:
        files: Names of the files, or paths of the partitions; "" for null.
        columns: Names of the columns; "" for null.
        bounds: For `minValue` and for `maxValue`, name of the wrapper and value, as fastavro returns them; None for
            null.
        numbers: `valueCount`, `nullCount`, `totalSize` and `totalUncompressedSize`; 0 for null.
        deleted: The field `isDeleted`.
        tight: The field `isTightBound`; None if the schema lacks it.
        types: Position of the type of the bounds in Hudi's enum of value types; -1 if the record has no type.
        infos: Precision and scale of a decimal type; None for other types.
    """

    files: list[str]
    columns: list[str]
    bounds: Mapping[str, Sequence[tuple[str, Any] | None]]
    numbers: Mapping[str, list[int]]
    deleted: npt.NDArray[np.bool_]
    tight: npt.NDArray[np.bool_] | None
    types: list[int]
    infos: list[str | None]


def decode_statistics(layer: Layer) -> StatisticsColumns | None:
    """Return the fields of the records of a layer that has a schema; None if the form of the schema is unknown.

    Raises:
        CorruptTableError: A record does not match the schema, has no statistics, or has a bound of several values.
    """
    shape = _shape(layer.schema or "")
    if shape is None:
        return None
    try:
        return _decoded(_Cursor.of(layer.cells.values), shape)
    except (ValueError, pa.ArrowException) as error:
        raise CorruptTableError(
            f"{layer.what} has a record of the metadata table that cannot be decoded: {error}; restore the file, or "
            "remove the metadata table and create it again",
            file=layer.file,
        ) from error


@frozen
class _Shape:
    """Fields of a schema.

    Attributes:
        before: Avro types of the fields before the statistics: `string`, `int`, `text` for a nullable string, or
            `content` for a nullable record of another kind.
        after: Avro types of the fields after the statistics.
        content: Names of the fields of the statistics.
        wrappers: Name and type of the value of each branch of a bound, without that of null.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    content: tuple[str, ...]
    wrappers: tuple[tuple[str, str], ...]


@cache
def _shape(text: str) -> _Shape | None:
    try:
        document = json.loads(text)
        names = [entry["name"] for entry in document["fields"]]
        kinds = tuple(_kind(entry["type"]) for entry in document["fields"])
        place = names.index(_MEMBER)
        (content,) = (branch for branch in document["fields"][place]["type"] if isinstance(branch, dict))
        space = document.get("namespace", "")
        fields = {entry["name"]: entry["type"] for entry in content["fields"]}
        wrappers = tuple(_wrapper(branch, space) for branch in fields["minValue"][1:])
        if fields["minValue"][0] != "null" or len(fields["maxValue"]) != len(wrappers) + 1:
            return None
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    expected = ["fileName", "columnName", "minValue", "maxValue", *_NUMBERS, "isDeleted", "isTightBound", "valueType"]
    if list(fields) != expected[: len(fields)] or len(fields) < len(expected) - 2:
        return None
    return _Shape(kinds[:place], kinds[place + 1 :], tuple(fields), wrappers)


def _kind(avro: Any) -> str:
    if isinstance(avro, list):
        if avro[0] != "null" or len(avro) != 2:
            raise ValueError("another union")
        return "text" if avro[1] == "string" else "content"
    kind = avro["type"] if isinstance(avro, dict) else avro
    if kind not in ("string", "int"):
        raise ValueError(f"a field of type {kind}")
    return str(kind)


def _wrapper(branch: Mapping[str, Any], space: str) -> tuple[str, str]:
    """Return the name of a wrapper in fastavro's form, and the primitive type of its value; "" for other types."""
    inner = branch.get("namespace", space)
    name = f"{inner}.{branch['name']}" if inner else branch["name"]
    if [entry["name"] for entry in branch["fields"]] != ["value"]:
        return name, ""
    type_ = branch["fields"][0]["type"]
    return name, str(type_["type"] if isinstance(type_, dict) else type_)


def _decoded(cursor: _Cursor, shape: _Shape) -> StatisticsColumns:
    every = cursor.every
    _skip(cursor, shape.before)
    if (cursor.longs(every) != 1).any():
        raise ValueError(f"it has no {_MEMBER}")
    files, columns = (_texts(cursor) for _ in range(2))
    bounds = {name: _bounds(cursor, shape.wrappers) for name in ("minValue", "maxValue")}
    numbers = {name: _optional_longs(cursor) for name in _NUMBERS}
    deleted = cursor.booleans(every)
    tight = cursor.booleans(every) if "isTightBound" in shape.content else None
    types = np.full(len(every), _NONE, np.int64)
    infos: list[str | None] = [None] * len(every)
    if "valueType" in shape.content:
        there = cursor.present(every)
        types[there] = cursor.longs(there)
        with_info = there[cursor.branches(there, 2) == 1]
        for row, text in zip(with_info.tolist(), cursor.texts(with_info), strict=True):
            infos[row] = text
    _skip(cursor, shape.after)
    cursor.check_end()
    return StatisticsColumns(files, columns, bounds, numbers, deleted, tight, types.tolist(), infos)


def _skip(cursor: _Cursor, kinds: Sequence[str]) -> None:
    for kind in kinds:
        if kind == "string":
            cursor.spans(cursor.every)
        elif kind == "int":
            cursor.longs(cursor.every)
        elif kind == "text":
            cursor.spans(cursor.present(cursor.every))
        elif len(cursor.present(cursor.every)):
            raise ValueError(f"it has content other than {_MEMBER}")


def _texts(cursor: _Cursor) -> list[str]:
    """Return the next nullable string of each record; "" for null."""
    there = cursor.present(cursor.every)
    texts = cursor.texts(there)
    if len(there) == len(cursor.every):
        return texts
    found = [""] * len(cursor.every)
    for row, text in zip(there.tolist(), texts, strict=True):
        found[row] = text
    return found


def _optional_longs(cursor: _Cursor) -> list[int]:
    found = np.zeros(len(cursor.every), np.int64)
    there = cursor.present(cursor.every)
    found[there] = cursor.longs(there)
    numbers: list[int] = found.tolist()
    return numbers


def _bounds(cursor: _Cursor, wrappers: Sequence[tuple[str, str]]) -> list[tuple[str, Any] | None]:
    """Return the next bound of each record, as name of the wrapper and value; None for null."""
    found: list[tuple[str, Any] | None] = [None] * len(cursor.every)
    branches = cursor.branches(cursor.every, len(wrappers) + 1)
    for branch in np.unique(branches).tolist():
        if not branch:
            continue
        name, type_ = wrappers[branch - 1]
        rows = np.flatnonzero(branches == branch)
        for row, value in zip(rows.tolist(), cursor.values(rows, type_), strict=True):
            found[row] = (name, value)
    return found


@define
class _Cursor:
    """Position in each of several records. Each method decodes one value in some records and advances their positions.

    Methods raise `ValueError` if a record ends before a value. Rows are numbers of records in ascending order.

    Attributes:
        data: The bytes of all records.
        at: The current position in each record, as an offset in `data`.
        end: The end of each record, as an offset in `data`.
        every: The numbers of all records.
    """

    data: npt.NDArray[np.uint8]
    at: Numbers
    end: Numbers
    every: Numbers = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.every = np.arange(len(self.at))

    @classmethod
    def of(cls, values: pa.Array) -> _Cursor:
        """Return the cursor at the beginning of Avro datums (`large_binary`, without nulls)."""
        _, offsets, data = values.cast(pa.large_binary()).buffers()
        bounds = np.frombuffer(offsets, np.int64)[values.offset : values.offset + len(values) + 1]
        octets = np.frombuffer(data if data is not None else b"", np.uint8)
        return cls(octets, bounds[:-1].copy(), bounds[1:])

    def longs(self, rows: Numbers) -> Numbers:
        """Return the next integer of each row."""
        found = np.zeros(len(rows), np.uint64)
        active = np.arange(len(rows))
        for place in range(_MOST_BYTES):
            here = rows[active]
            at = self.at[here]
            self._check(at + 1, here)
            octets = self.data[at]
            found[active] |= (octets & 0x7F).astype(np.uint64) << np.uint64(7 * place)
            self.at[here] = at + 1
            active = active[octets >= 0x80]
            if not len(active):
                return (found >> np.uint64(1)).view(np.int64) ^ -(found & np.uint64(1)).view(np.int64)
        raise ValueError("an integer has too many bytes")

    def branches(self, rows: Numbers, count: int) -> Numbers:
        """Return the branch number of the next value of each row, a union of `count` types."""
        found = self.longs(rows)
        if ((found < 0) | (found >= count)).any():
            raise ValueError("a union does not have the stored branch number")
        return found

    def present(self, rows: Numbers) -> Numbers:
        """Return the rows whose union of null and another type has a value."""
        there: Numbers = rows[self.branches(rows, 2) == 1]
        return there

    def booleans(self, rows: Numbers) -> npt.NDArray[np.bool_]:
        """Return the next boolean of each row."""
        at = self._fixed(rows, 1)
        flags: npt.NDArray[np.bool_] = self.data[at] != 0
        return flags

    def spans(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """Return start and end of the next string or bytes of each row, as offsets in `data`."""
        lengths = self.longs(rows)
        start = self.at[rows]
        if ((lengths < 0) | (lengths > len(self.data))).any():
            raise ValueError("a length exceeds that of the record")
        self._check(start + lengths, rows)
        self.at[rows] = start + lengths
        return start, start + lengths

    def octets(self, rows: Numbers) -> pa.Array:
        """Return the next bytes of each row (`large_binary`)."""
        start, end = self.spans(rows)
        if not len(rows):
            return pa.array([], pa.large_binary())
        # every second part of the data between the starts and ends
        bounds = np.stack([start, end], axis=1).reshape(-1)
        parts = [None, pa.py_buffer(np.ascontiguousarray(bounds)), pa.py_buffer(self.data)]
        return pa.Array.from_buffers(pa.large_binary(), 2 * len(rows) - 1, parts).take(
            pa.array(np.arange(0, 2 * len(rows) - 1, 2))
        )

    def texts(self, rows: Numbers) -> list[str]:
        """Return the next string of each row."""
        found: list[str] = self.octets(rows).cast(pa.large_string()).to_pylist()
        return found

    def values(self, rows: Numbers, type_: str) -> list[Any]:
        """Return the next value of each row, which has a primitive Avro type."""
        if type_ == "string":
            return self.texts(rows)
        if type_ == "bytes":
            octets: list[bytes] = self.octets(rows).to_pylist()
            return octets
        if type_ in ("int", "long"):
            numbers: list[int] = self.longs(rows).tolist()
            return numbers
        if type_ == "boolean":
            flags: list[bool] = self.booleans(rows).tolist()
            return flags
        if type_ not in ("float", "double"):
            raise ValueError("a bound consists of several values")
        size = 4 if type_ == "float" else 8
        at = self._fixed(rows, size)
        packed = np.ascontiguousarray(self.data[at[:, np.newaxis] + np.arange(size)])
        floats: list[float] = packed.view(f"<f{size}").reshape(-1).astype(np.float64).tolist()
        return floats

    def check_end(self) -> None:
        """Raise `ValueError` if a record has further bytes."""
        if (self.at != self.end).any():
            raise ValueError("bytes follow the record")

    def _fixed(self, rows: Numbers, size: int) -> Numbers:
        at = self.at[rows]
        self._check(at + size, rows)
        self.at[rows] = at + size
        return at

    def _check(self, needed: Numbers, rows: Numbers) -> None:
        if (needed > self.end[rows]).any():
            raise ValueError("it ends before its last field")
