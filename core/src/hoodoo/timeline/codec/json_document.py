"""Typed access to documents of other writers, JSON or decoded Avro. Errors name the file and the key."""

from __future__ import annotations

from typing import Any

from attrs import frozen

from hoodoo.errors import CorruptTableError
from hoodoo.schema.consistency import looks_like

__all__ = ["JsonObject"]

_NAMES = {
    type(None): "null",
    bool: "a boolean",
    int: "a whole number",
    float: "a number",
    str: "a string",
    bytes: "bytes",
    list: "a list",
    dict: "an object",
}
"""Names of the types of values in messages."""


@frozen
class JsonObject:
    """Object of a document. Its methods return None or an empty value for a key that is missing or null.

    They raise `CorruptTableError` for a value of another type, and so does the constructor for a `value` that is not an
    object.

    Attributes:
        value: The keys and values.
        file: The file of the document, for errors.
        where: The position of the object in the document, for errors; "" for the document itself.
    """

    value: Any
    file: str
    where: str = ""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.value, dict):
            self._raise("", self.value, "an object")

    def names(self) -> list[str]:
        """Return the keys."""
        return list(self.value)

    def has(self, name: str) -> bool:
        """Return whether the key exists and is not null."""
        return self.value.get(name) is not None

    def check_spelling(self, *names: str) -> None:
        """Raise if a key is missing and a similar one exists, so that a corrupt key is not treated as a missing one.

        Raises:
            CorruptTableError: A key looks like a corrupt form of a missing one.
        """
        for name in names:
            if name not in self.value:
                other = next((key for key in self.value if looks_like(name, key)), None)
                if other is not None:
                    where = f"{self.where}.{other}".strip(".")
                    raise CorruptTableError(
                        f"'{self.file}': {where!r} looks like a damaged {name!r}; restore the file", file=self.file
                    )

    def text(self, name: str) -> str | None:
        """Return the string of a key; None if it is missing or null."""
        return self._get(name, str, "a string")  # type: ignore[no-any-return]

    def integer(self, name: str) -> int | None:
        """Return the integer of a key; None if it is missing or null."""
        value = self._get(name, int, "a whole number")
        if isinstance(value, bool):
            self._raise(name, value, "a whole number")
        return value  # type: ignore[no-any-return]

    def boolean(self, name: str) -> bool:
        """Return the boolean of a key; False if it is missing or null."""
        return bool(self._get(name, bool, "a boolean"))

    def object(self, name: str) -> JsonObject:
        """Return the object of a key; an empty one if it is missing or null."""
        value = self.value.get(name)
        return JsonObject({} if value is None else value, self.file, f"{self.where}.{name}")

    def items(self, name: str) -> list[Any]:
        """Return the list of a key, with values of any type; [] if it is missing or null."""
        return self._get(name, list, "a list") or []

    def objects(self, name: str) -> list[JsonObject]:
        """Return the list of objects of a key; [] if it is missing or null."""
        return [JsonObject(item, self.file, f"{self.where}.{name}[{i}]") for i, item in enumerate(self.items(name))]

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the list of strings of a key; () if it is missing or null."""
        items = self.items(name)
        for item in items:
            if not isinstance(item, str):
                self._raise(name, item, "a string")
        return tuple(items)

    def _get(self, name: str, type_: type, wanted: str) -> Any:
        value = self.value.get(name)
        if value is not None and not isinstance(value, type_):
            self._raise(name, value, wanted)
        return value

    def _raise(self, name: str, value: Any, wanted: str) -> None:
        where = f"{self.where}.{name}".strip(".") or "the document"
        found = _NAMES.get(type(value), type(value).__name__)
        raise CorruptTableError(
            f"'{self.file}': {where} is {found} instead of {wanted}; restore the file", file=self.file
        )
