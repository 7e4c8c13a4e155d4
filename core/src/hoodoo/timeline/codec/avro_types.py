"""Builders of Avro schemas, as Hudi writes them."""

from __future__ import annotations

from typing import Any

__all__ = ["array_of", "field", "map_of", "optional", "record"]

_NAMESPACE = "org.apache.hudi.avro.model"


def record(name: str, *fields: dict[str, Any]) -> dict[str, Any]:
    """Return a record type in the namespace of Hudi's Avro models."""
    return {"type": "record", "name": name, "namespace": _NAMESPACE, "fields": list(fields)}


def field(name: str, type_: Any, **more: Any) -> dict[str, Any]:
    """Return a field of a record; `more` are its other entries, such as the default."""
    return {"name": name, "type": type_, **more}


def optional(name: str, type_: Any) -> dict[str, Any]:
    """Return a field that may be null, which is its default."""
    return field(name, ["null", type_], default=None)


def map_of(values: Any) -> dict[str, Any]:
    """Return a map type with values of a type; its keys are strings."""
    return {"type": "map", "values": values}


def array_of(items: Any) -> dict[str, Any]:
    """Return an array type with items of a type."""
    return {"type": "array", "items": items}
