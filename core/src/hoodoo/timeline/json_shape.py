"""Reading JSON that others wrote: each access checks the type and names file and key where it does not fit."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from attrs import frozen

from hoodoo.errors import CorruptTableError

__all__ = ["JsonShape"]


@frozen
class JsonShape:
    """An object of a JSON document. Missing keys and nulls read as None, or as empty."""

    value: Any
    file: str
    where: str = ""

    def __attrs_post_init__(self) -> None:
        if not isinstance(self.value, dict):
            self._raise("", self.value, "an object")

    def names(self) -> list[str]:
        """The keys."""
        return list(self.value)

    def has(self, name: str) -> bool:
        """Whether the key is there and not null."""
        return self.value.get(name) is not None

    def text(self, name: str) -> str | None:
        """A string."""
        return self._get(name, str, "a string")  # type: ignore[no-any-return]

    def integer(self, name: str) -> int | None:
        """A whole number."""
        value = self._get(name, int, "a whole number")
        if isinstance(value, bool):
            self._raise(name, value, "a whole number")
        return value  # type: ignore[no-any-return]

    def boolean(self, name: str) -> bool:
        """A boolean; false where missing."""
        return bool(self._get(name, bool, "a boolean"))

    def object(self, name: str) -> JsonShape:
        """An object; an empty one where missing."""
        value = self.value.get(name)
        return JsonShape({} if value is None else value, self.file, f"{self.where}.{name}")

    def objects(self, name: str) -> list[JsonShape]:
        """A list of objects."""
        items = self._get(name, list, "a list") or []
        return [JsonShape(item, self.file, f"{self.where}.{name}[{i}]") for i, item in enumerate(items)]

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        items = self._get(name, list, "a list") or []
        for item in items:
            if not isinstance(item, str):
                self._raise(name, item, "a string")
        return tuple(items)

    def rest(self, known: Collection[str]) -> dict[str, Any]:
        """The entries whose keys are not among the known ones."""
        return {name: value for name, value in self.value.items() if name not in known}

    def _get(self, name: str, type_: type, wanted: str) -> Any:
        value = self.value.get(name)
        if value is not None and not isinstance(value, type_):
            self._raise(name, value, wanted)
        return value

    def _raise(self, name: str, value: Any, wanted: str) -> None:
        where = f"{self.where}.{name}".strip(".") or "the document"
        raise CorruptTableError(f"'{self.file}': {where} is {type(value).__name__}, expected {wanted}", file=self.file)
