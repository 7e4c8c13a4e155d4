"""Ids of columns. Hudi's schema evolution on read identifies a column by its id, so that its name can change.

A version of the schema is a JSON document with the ids, names and types of all columns and nested fields. The metadata
of a commit contains the current version, and the file of the schema history contains all versions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa
from attrs import field, frozen

from hoodoo.errors import SchemaError
from hoodoo.schema.meta_columns import META_COLUMNS

__all__ = ["LATEST", "ColumnIds", "ColumnsChange", "NestedColumns", "decoded_history", "encoded_history"]

LATEST = "latest_schema"
"""Key of the current version in the extra metadata of a commit."""


class NestedColumns(msgspec.Struct):
    """Record, list or map, with Hudi's JSON keys as attributes.

    A record has `fields`, a list `element` and `element_id`, and a map the others; the rest have their defaults.
    """

    fields: tuple[NumberedColumn, ...] = ()
    element: str | NestedColumns = ""
    element_id: int = -1
    key: str | NestedColumns = ""
    key_id: int = -1
    value: str | NestedColumns = ""
    value_id: int = -1

    def paths(self, above: str = "") -> Iterator[tuple[str, int]]:
        """Yield the dotted paths of all columns in the type with their ids, parents before children."""
        for column in self.fields:
            yield from _paths(above + column.name, column.id, column.type)
        for name, id_, type_ in (
            ("element", self.element_id, self.element),
            ("key", self.key_id, self.key),
            ("value", self.value_id, self.value),
        ):
            if type_:
                yield from _paths(above + name, id_, type_)


class NumberedColumn(msgspec.Struct):
    """Column of a table, or field of a nested record, with an id."""

    id: int
    name: str
    type: str | NestedColumns


class _Version(NestedColumns):
    version_id: int = 0


@frozen
class ColumnsChange:
    """Marker in the options of a write: columns of the table, or fields of structs, change, and rows do not.

    A dotted path such as `a`, `s.f`, `list.element.f` or `map.value.f` identifies a column or a field, with the names
    from before the change.

    Attributes:
        renamed: The new names, without the path above them, by path.
        dropped: The paths of the dropped columns and fields.
        added: The added columns and fields, by path.
        placed: The name of the left neighbour of each moved or added column or field, by path; "" for the first place.
        nullable: The paths of the columns and fields that become nullable.
    """

    renamed: Mapping[str, str] = field(factory=dict)
    dropped: Sequence[str] = ()
    added: Mapping[str, pa.Field] = field(factory=dict)
    placed: Mapping[str, str] = field(factory=dict)
    nullable: Sequence[str] = ()

    @property
    def needs_ids(self) -> bool:
        """Return whether ids are needed, to find columns in older files or to keep the order of columns."""
        return bool(self.renamed or self.dropped or self.added or self.placed)


@frozen(eq=False)
class ColumnIds:
    """Version of the schema, which applies to the files written from an instant on.

    Attributes:
        document: The decoded JSON document of the version.
        version: The instant as a number; 0 for the schema before the first change.
        columns: The columns with their ids, as a record.
    """

    document: Mapping[str, Any]
    version: int
    columns: NestedColumns

    @classmethod
    def of(cls, document: Any) -> ColumnIds:
        """Return the version in a decoded JSON document. Raise `ValueError` if the document has another form."""
        found = msgspec.convert(document, _Version)
        return cls(document, found.version_id, found)

    @classmethod
    def decoded(cls, text: str) -> ColumnIds:
        """Return the version in a JSON text. Raise `ValueError` or `RecursionError` if the text has another form."""
        return cls.of(msgspec.json.decode(text.encode()))

    @classmethod
    def of_avro(cls, schema: str) -> ColumnIds:
        """Return the first version of a table: ids in the order of an Avro schema in JSON, after the meta columns.

        Raises:
            SchemaError: A column has a type that Hudi's ids of columns do not support.
        """
        fields = _with_meta(schema)
        numbers = iter(range(len(fields), 1 << 31))
        typed = [_field(number, field, numbers) for number, field in enumerate(fields)]
        return cls.of({"max_column_id": next(numbers) - 1, "version_id": 0, "type": "record", "fields": typed})

    @property
    def by_name(self) -> dict[str, int]:
        """Return the ids of the columns of the table by their names, without those of nested fields."""
        return {column.name: column.id for column in self.columns.fields}

    def evolved(self, schema: str, version: int, change: ColumnsChange | None = None) -> ColumnIds:
        """Return the version of a later schema; this version if the columns are the same.

        Args:
            schema: The later schema: Avro in JSON.
            version: The instant, as a number, from which on files have the later schema.
            change: The columns and fields that have other names or are dropped; None for none. Other columns and fields
                of the later schema that have no id are new.

        Raises:
            SchemaError: A new column has a type that Hudi's ids of columns do not support.
        """
        stated = int(self.document.get("max_column_id", -1))
        numbers = iter(range(max([stated, *(id_ for _, id_ in self.columns.paths())]) + 1, 1 << 31))
        evolution = _Evolution(change or ColumnsChange(), numbers)
        fields = evolution.fields(self.document["fields"], _with_meta(schema), "")
        if fields == self.document["fields"]:
            return self
        return ColumnIds.of(
            {"max_column_id": next(numbers) - 1, "version_id": version, "type": "record", "fields": fields}
        )

    @property
    def text(self) -> str:
        """Return the JSON text, as Hudi writes it."""
        return json.dumps(self.document, separators=(",", ":"), ensure_ascii=False)


@frozen
class _Evolution:
    """Change of a version of the schema to a later one."""

    change: ColumnsChange
    numbers: Iterator[int]

    def fields(self, known: Sequence[Any], later: Sequence[Any], above: str) -> list[dict[str, Any]]:
        """Return the columns of a record with their ids.

        Args:
            known: The columns of the earlier version.
            later: The fields of the later Avro record.
            above: The dotted path of the record with a dot at its end; "" for the table.
        """
        old = {each["name"]: each for each in known}
        before = {new: path[len(above) :] for path, new in self.change.renamed.items() if _is_in(path, above)}
        gone = {path[len(above) :] for path in (*self.change.dropped, *self.change.renamed) if _is_in(path, above)}
        found = []
        for each in later:
            name = each["name"]
            same = old.get(before[name]) if name in before else None if name in gone else old.get(name)
            if same is None:
                found.append(_field(next(self.numbers), each, self.numbers))
                continue
            type_ = self.type(same["type"], each["type"], f"{above}{same['name']}.")
            optional = bool(same["optional"]) or _optional(each)
            found.append({**same, "name": name, "type": type_, "optional": optional, **_doc(each)})
        return found

    def type(self, known: Any, later: Any, above: str) -> Any:
        """Return the later type with ids; a stored type changes in its fields, or from one plain type to another."""
        if isinstance(later, list):
            later = next(each for each in later if each != "null")
        if isinstance(known, str):
            return _PLAIN.get(_plain_name(later), known) if known in _PLAIN.values() else known
        kind = known["type"]
        if not isinstance(later, dict) or later["type"] != kind:
            return known
        if kind == "record":
            return {**known, "fields": self.fields(known["fields"], later["fields"], above)}
        inner, items = ("element", "items") if kind == "array" else ("value", "values")
        return {**known, inner: self.type(known[inner], later[items], f"{above}{inner}.")}


def decoded_history(body: bytes) -> tuple[ColumnIds, ...]:
    """Return the versions in a schema history. Raise `ValueError` or `RecursionError` if it has another form."""
    document = msgspec.json.decode(body)
    if not isinstance(document, dict) or not isinstance(document.get("schemas"), list):
        raise ValueError("it has no list of schemas")
    return tuple(map(ColumnIds.of, document["schemas"]))


def encoded_history(versions: Sequence[ColumnIds]) -> bytes:
    """Return the content of the file of a schema history; `versions` begins with the newest version."""
    # Hudi adds a version to the text and compares its beginning
    return b'{"schemas":[' + ",".join(version.text for version in versions).encode() + b"]}"


def _paths(name: str, id_: int, type_: str | NestedColumns) -> Iterator[tuple[str, int]]:
    yield name, id_
    if isinstance(type_, NestedColumns):
        yield from type_.paths(f"{name}.")


def _with_meta(schema: str) -> list[dict[str, Any]]:
    """Return the fields of an Avro record, the meta columns first."""
    meta = [{"name": name, "type": ["null", "string"], "doc": ""} for name in META_COLUMNS]
    return meta + [field for field in json.loads(schema)["fields"] if field["name"] not in META_COLUMNS]


def _optional(field: Mapping[str, Any]) -> bool:
    return isinstance(field["type"], list)


def _plain_name(avro: Any) -> str:
    """Return the name of an Avro type; "" for a type that is more than a name."""
    return avro if isinstance(avro, str) else ""


def _is_in(path: str, above: str) -> bool:
    """Return whether a path is that of a field directly in the record with the path `above`."""
    return path.startswith(above) and "." not in path[len(above) :]


def _field(number: int, field: Mapping[str, Any], numbers: Iterator[int]) -> dict[str, Any]:
    return {
        "id": number,
        "name": field["name"],
        "optional": _optional(field),
        "type": _typed(field, numbers),
        **_doc(field),
    }


def _doc(field: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of a column with the comment of an Avro field; empty without a comment."""
    return {} if field.get("doc") is None else {"doc": field["doc"]}


def _typed(field: Mapping[str, Any], numbers: Iterator[int]) -> Any:
    try:
        return _type(field["type"], numbers)
    except LookupError as error:
        raise SchemaError(
            f"column '{field['name']}' has the Avro type {error}, which Hudi's ids of columns do not support; "
            "columns of a table with such a column cannot be renamed, moved or dropped",
            code="column_ids",
        ) from None


def _type(avro: Any, numbers: Iterator[int]) -> Any:
    if isinstance(avro, list):
        avro = next(each for each in avro if each != "null")
    if isinstance(avro, str):
        return _PLAIN[avro]
    kind = avro["type"]
    if kind == "record":
        # Hudi numbers all fields of a record before those in them
        own = [next(numbers) for _ in avro["fields"]]
        fields = [_field(number, field, numbers) for number, field in zip(own, avro["fields"], strict=True)]
        return {"type": "record", "fields": fields}
    if kind == "array":
        number = next(numbers)
        element, is_optional = _type(avro["items"], numbers), isinstance(avro["items"], list)
        return {"type": "array", "element_id": number, "element": element, "element_optional": is_optional}
    if kind == "map":
        key, number = next(numbers), next(numbers)
        value, is_optional = _type(avro["values"], numbers), isinstance(avro["values"], list)
        of_key = {"type": "map", "key_id": key, "key": "string"}
        return {**of_key, "value_id": number, "value": value, "value_optional": is_optional}
    logical = avro.get("logicalType")
    if kind == "fixed" and logical is None:
        return f"fixed[{avro['size']}]"
    if logical is None:
        return _PLAIN[kind]
    if logical == "decimal":
        # all releases of Hudi read this form, and the newest ones write others as well
        return f"decimal({avro['precision']}, {avro['scale']})"
    return _LOGICAL[logical]


_PLAIN = {
    "string": "string",
    "boolean": "boolean",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "bytes": "binary",
}
_LOGICAL = {"date": "date", "timestamp-micros": "timestamp", "time-micros": "time", "uuid": "uuid"}
