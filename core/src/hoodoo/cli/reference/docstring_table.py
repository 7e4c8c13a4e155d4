"""Markdown tables of the members of a class and of functions, from their signatures and docstrings in Google style."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from types import FunctionType
from typing import Any

import attrs
from attrs import frozen

__all__ = ["WIDTH", "Member", "class_lines", "function_lines", "markdown_table", "members"]

WIDTH = 120
"""The maximum length of a line of a paragraph, in characters."""

_HEADING = re.compile(r"^(Attributes|Args|Returns|Raises):$", re.MULTILINE)
_ENTRY = re.compile(r"^    (\w[\w, `]*): (.*(?:\n(?:     .*|$))*)", re.MULTILINE)
_MASKS = {"Mask": "NDArray[np.bool_]", "Rows": "NDArray[np.int64]"}
"""Aliases of array types in annotations, with the types that a page shows."""


@frozen
class Member:
    """A member of a class.

    Attributes:
        name: The name, with the parameters of a method.
        type: The type of an attribute, the result type of a method, or the value of an enumeration member; empty if the
            result type is None or there is no annotation.
        meaning: The description from the docstring; empty if there is none.
    """

    name: str
    type: str
    meaning: str


def class_lines(cls: type) -> Iterator[str]:
    """Yield the lines of the docstring of a class, and of a table of its public members."""
    yield from paragraphs(inspect.getdoc(cls) or "")
    yield ""
    yield from markdown_table(("Member", "Type", "Meaning"), map(_row, members(cls)))


def function_lines(functions: Iterable[Callable[..., Any]]) -> Iterator[str]:
    """Yield the lines of a table of functions."""
    yield from markdown_table(("Function", "Result", "Meaning"), (_row(_function(f.__name__, f)) for f in functions))


def members(cls: type) -> list[Member]:
    """Return the public members of a class: attributes, then properties and methods in the order of their definition.

    Attributes that are not in the docstring of the class or of a base class are internal to the core, and are left out.
    For an enumeration, the result is its attributes and its values.
    """
    described = _described(cls)
    found = [Member(name, _type(_annotation(cls, name)), text) for name, text in described.items()]
    if issubclass(cls, Enum):
        return [*found, *(Member(name, str(cls[name].value), text) for name, text in _enum_texts(cls).items())]
    for base in reversed(cls.__mro__[:-1]):
        for name, value in vars(base).items():
            if name.startswith("_") or name in described or getattr(cls, name, None) is None:
                continue
            if member := _member(name, value):
                found = [other for other in found if other.name.partition("(")[0] != name] + [member]
    return found


def _member(name: str, value: Any) -> Member | None:
    if isinstance(value, (property, cached_property)):
        function: Any = value.fget if isinstance(value, property) else value.func
        return Member(name, _type(function.__annotations__.get("return", "")), _meaning(function))
    if isinstance(value, (classmethod, staticmethod)):
        return _function(name, value.__func__)
    return _function(name, value) if isinstance(value, FunctionType) else None


def _function(name: str, function: Callable[..., Any]) -> Member:
    signature = inspect.signature(function)
    shown, keyword_only = [], False
    for parameter in signature.parameters.values():
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        star = (
            "*"
            if parameter.kind is parameter.VAR_POSITIONAL
            else "**"
            if parameter.kind is parameter.VAR_KEYWORD
            else ""
        )
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        shown.append(f"{star}{parameter.name}{default}")
    return Member(f"{name}({', '.join(shown)})", _type(signature.return_annotation), _meaning(function))


def _meaning(function: Any) -> str:
    """Return the description of a function, with its arguments, its result and its errors."""
    sections = _sections(inspect.getdoc(function) or "")
    parts = [" ".join(sections[""].split())]
    for title in ("Args", "Raises"):
        parts += [f"`{name}`: {text}" for name, text in _entries(sections.get(title, ""))]
    if "Returns" in sections:
        parts.append(f"Returns: {' '.join(sections['Returns'].split())}")
    return " ".join(parts)


def paragraphs(docstring: str) -> Iterator[str]:
    """Yield the wrapped lines of the paragraphs of a docstring before its sections, with a blank line between two."""
    texts = [" ".join(text.split()) for text in _sections(docstring)[""].split("\n\n") if text.strip()]
    for place, text in enumerate(texts):
        yield from ([""] if place else [])
        yield textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def _described(cls: type) -> dict[str, str]:
    """Return the descriptions of attributes in the docstrings of a class and its bases, by name."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__[:-1]):
        if base.__doc__:
            found.update(_entries(_sections(inspect.cleandoc(base.__doc__)).get("Attributes", "")))
    return found


def _sections(docstring: str) -> Mapping[str, str]:
    """Return the text of each section of a docstring by its heading; that before the first one has the heading ""."""
    parts = _HEADING.split(docstring)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _entries(section: str) -> list[tuple[str, str]]:
    return [(name, " ".join(text.split())) for name, text in _ENTRY.findall(section)]


def _enum_texts(cls: type[Enum]) -> dict[str, str]:
    """Return the text below each member of an enumeration by its name; "" for a member without one."""
    [definition] = ast.parse(inspect.getsource(cls)).body
    assert isinstance(definition, ast.ClassDef)
    found, last = dict.fromkeys(cls.__members__, ""), ""
    for node in definition.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            last = node.targets[0].id
        elif last and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            found[last] = " ".join(str(node.value.value).split())
    return found


def _annotation(cls: type, name: str) -> Any:
    if attrs.has(cls) and name in {field.name for field in attrs.fields(cls)}:
        return getattr(attrs.fields(cls), name).type
    found = [annotations[name] for base in cls.__mro__ if name in (annotations := inspect.get_annotations(base))]
    return found[0] if found else ""


def _type(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    text = re.sub(r"\b(Mask|Rows)\b", lambda match: _MASKS[match[1]], text)
    return "" if text in ("None", "_empty") else text


def _row(member: Member) -> Sequence[str]:
    return f"`{member.name}`", f"`{member.type}`" if member.type else "", member.meaning


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table; `|` in a cell is escaped."""
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
