"""Generator of expressions in Spark's SQL from productions by type, in which holes are filled by expressions of a type.

The file `productions.txt` has them. `{int}` is a hole for an expression of a type, and `{int|$x:int}` one in which the
parameter `$x` of a lambda may occur. Parameters get names of columns and of functions, which a scanner of names
confuses most easily. A parameter with the name of an alias is an error in some clauses.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

__all__ = ["STORABLE", "Columns", "Grammar"]

STORABLE = (
    *("bool", "int", "long", "float", "double", "dec", "string", "binary", "date", "ts"),
    *("ints", "texts", "struct", "structs", "map"),
)
"""Types that a column of a table can have."""

_FILE = Path(__file__).with_name("productions.txt")
_HOLE = re.compile(r"\{(\w+)(?:\|([^}]*))?\}")
_BEGIN = re.compile(r"^`?(\w+)`?(\..*)?$")
_PARAMETER = re.compile(r"\$\w")
_PARAMETERS = ("x", "y", "item", "day", "date", "text", "value", "acc", "int", "key", "map", "_")

Columns = Mapping[str, Sequence[tuple[str, str]]]
"""By type, the columns that an expression may name: alias and text."""


@dataclass
class Grammar:
    """Generator of expressions with a seed.

    Attributes:
        seed: The seed of the choices.
        columns: The columns that expressions may name, by type.
        ansi: Whether productions that often fail in ANSI mode are left out.
    """

    seed: str
    columns: Columns
    ansi: bool
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def expressions(self, count: int, depth: int = 3) -> Iterator[tuple[str, str]]:
        """Yield `count` different expressions, of all storable types in turn, with their types."""
        seen: set[str] = set()
        number = 0
        while len(seen) < count:
            kind = STORABLE[number % len(STORABLE)]
            number += 1
            text = self.expression(kind, self._random.randint(1, depth))
            if text not in seen:
                seen.add(text)
                yield text, kind

    def expression(self, kind: str, depth: int, scope: Mapping[str, str] | None = None) -> str:
        """Return an expression of a type.

        Args:
            kind: The type of the expression, by its name in `productions.txt`.
            depth: The largest number of nested productions.
            scope: The types of the parameters of the surrounding lambdas, by name; None without a lambda.
        """
        if depth <= 0 or self._random.random() < 0.05:
            return self._leaf(kind, scope or {})
        usable = [each for each in productions()[kind] if not (self.ansi and each.startswith("!"))]
        return self._filled(self._random.choice(usable).removeprefix("!"), depth - 1, scope or {})

    def _filled(self, template: str, depth: int, scope: Mapping[str, str]) -> str:
        names = dict.fromkeys(_PARAMETER.findall(template))
        chosen = dict(zip(names, self._random.sample(_PARAMETERS, len(names)), strict=True))
        template = _PARAMETER.sub(lambda found: chosen[found[0]], template) if chosen else template

        def fill(found: re.Match[str]) -> str:
            # a parameter hides columns of its name and the alias
            inner = dict(scope)
            if found[2]:
                inner |= dict(each.split(":") for each in found[2].split(","))
            return self.expression(found[1], depth, inner)

        return _HOLE.sub(fill, template)

    def _leaf(self, kind: str, scope: Mapping[str, str]) -> str:
        parameters = [name for name, own in scope.items() if own == kind]
        if "element" in scope.values() and kind in ("int", "string"):
            inside = {"int": "count", "string": "name"}[kind]
            parameters += [f"{name}.{inside}" for name, own in scope.items() if own == "element"]
        if parameters and self._random.random() < 0.7:
            return self._random.choice(parameters)
        # a parameter hides columns of its name; one with the name of an alias hides all columns of that side
        hidden = {name.lower() for name in scope}
        columns = [
            text
            for alias, text in self.columns.get(kind, ())
            if alias not in hidden and _BEGIN.sub(r"\1", text).lower() not in hidden
        ]
        if columns and self._random.random() < 0.8:
            return self._random.choice(columns)
        return self._random.choice(productions()[f"leaf {kind}"])


@cache
def productions() -> dict[str, list[str]]:
    """Return the productions by type, and the leaves by `leaf` and type; those with `!` often fail in ANSI mode."""
    found: dict[str, list[str]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line.endswith("]"):
            section = found.setdefault(line[1:-1], [])
        else:
            section.append(line.replace("\\n", "\n"))
    return found
