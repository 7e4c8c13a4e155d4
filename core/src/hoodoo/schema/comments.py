"""Comments of columns and of fields of structs: storage in the metadata of Arrow fields, and changes by dotted path.

Hudi stores a comment as the `doc` of an Avro field, and Spark under the key `comment` in the metadata of a column.
Arrow fields have it under the same key. Comments are not part of types: Arrow ignores metadata when it compares
schemas.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
from attrs import frozen

from hoodoo.errors import SchemaError
from hoodoo.schema.struct_fields import ELEMENT, VALUE, with_inner_types

__all__ = ["KeepsComments", "comment_of", "comments_of", "with_comment", "with_comments"]

_KEY = b"comment"


@frozen
class KeepsComments:
    """Marker in the options of a write: comments of incoming rows, which belong to other tables, are not stored."""


def comment_of(field: pa.Field) -> str | None:
    """Return the comment of a field; None without one, and "" if a stored comment is to be removed.

    Raises:
        SchemaError: The comment is not UTF-8.
    """
    text: bytes | None = (field.metadata or {}).get(_KEY)
    if text is None:
        return None
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise SchemaError(
            f"the comment '{text.decode(errors='replace')}' of column '{field.name}' is not UTF-8; encode it in UTF-8",
            code="comment",
        ) from error


def with_comment(field: pa.Field, text: str) -> pa.Field:
    """Return the field with the given comment."""
    return field.with_metadata({**(field.metadata or {}), _KEY: text.encode()})


def comments_of(schema: pa.Schema) -> dict[str, str]:
    """Return the comments of columns and of fields of structs by dotted path, as in `a`, `s.f` and `list.element.f`.

    Raises:
        SchemaError: A comment is not UTF-8.
    """
    return dict(_comments(schema, ""))


def with_comments(schema: pa.Schema, comments: Mapping[str, str]) -> pa.Schema:
    """Return a schema with the given comments; paths without a column are ignored, and other comments are kept.

    Args:
        schema: The columns, also nested ones, that get the comments.
        comments: The comments by dotted path.
    """
    if not comments:
        return schema
    change = _Change(comments, frozenset(above for path in comments for above in _above(path)))
    return pa.schema([change.field(field, "") for field in schema], schema.metadata)


def _comments(fields: Any, above: str) -> Iterator[tuple[str, str]]:
    """Yield the paths and comments of fields, and of fields inside of them."""
    for field in fields:
        path = above + field.name
        if (text := comment_of(field)) is not None:
            yield path, text
        yield from _inner_comments(field.type, path)


def _inner_comments(type_: pa.DataType, path: str) -> Iterator[tuple[str, str]]:
    if pa.types.is_struct(type_):
        yield from _comments(type_, f"{path}.")
    elif pa.types.is_list(type_) or pa.types.is_large_list(type_):
        yield from _inner_comments(type_.value_type, f"{path}.{ELEMENT}")
    elif pa.types.is_map(type_):
        yield from _inner_comments(type_.item_type, f"{path}.{VALUE}")


@frozen
class _Change:
    """Change of comments: the comments by path, and the paths above them, whose types change."""

    comments: Mapping[str, str]
    above: frozenset[str]

    def field(self, field: pa.Field, record: str) -> pa.Field:
        """Return a field with its new comments; `record` is the path of its record with a dot at its end, or ""."""
        path = record + field.name
        if path in self.above:
            field = field.with_type(self.type(field.type, path))
        return with_comment(field, self.comments[path]) if path in self.comments else field

    def type(self, type_: pa.DataType, path: str) -> pa.DataType:
        """Return the type of a column or field with the new comments of the fields inside it."""
        if pa.types.is_struct(type_):
            return pa.struct([self.field(field, f"{path}.") for field in type_])
        return with_inner_types(type_, path, self.type)


def _above(path: str) -> Iterator[str]:
    """Yield the paths above a path."""
    while path := path.rpartition(".")[0]:
        yield path
