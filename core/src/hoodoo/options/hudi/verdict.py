"""Verdict on a group of Hudi's keys: their effect in hoodoo, with the reason."""

from __future__ import annotations

import enum
import fnmatch
import functools
import re
from typing import Any

from attrs import field, frozen

from hoodoo.errors import OptionError
from hoodoo.options.parsing.coerce import flag_of

__all__ = ["Effect", "Verdict"]

_FLAGS = {"true", "false"}


class Effect(enum.Enum):
    """Effect of a key of Hudi in hoodoo."""

    NONE = "no effect"
    """The key has no effect on rows or on services; one warning names all such keys."""
    MISSED = "no effect, with a notice"
    """The rows are the same, but the key has another effect in Hudi that a user would miss: a notice gives advice."""
    REFUSED = "refused"
    """The key would change rows, or the results of readers."""


@frozen
class Verdict:
    """Effect in hoodoo of the Hudi keys that match one of several patterns, with the reason.

    Attributes:
        subject: Subject of the keys; a notice names all given keys of its subject.
        keys: The patterns of the keys; a star stands for any text.
        effect: The effect of these keys in hoodoo.
        reason: The reason, as a clause without a full stop.
        same: Values that agree with the behavior of hoodoo, and need no notice.
        ignored: Values with which a refused key is accepted, with a notice.
        advice: The alternative for the user, for keys with the effect `MISSED`.
    """

    subject: str
    keys: tuple[str, ...]
    effect: Effect
    reason: str
    same: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    advice: str = field(default="")

    def matches(self, key: str) -> bool:
        """Return whether the verdict applies to a key, which must be in lower case."""
        return _pattern(self.keys).fullmatch(key) is not None

    def effect_of(self, key: str, value: Any) -> Effect | None:
        """Return the effect of a key with a value; None if the value agrees with the behavior of hoodoo.

        Raises:
            OptionError: The value is refused, or true or false is expected and the value is neither.
        """
        given = str(value).strip().lower()
        same = {text.lower() for text in self.same}
        if same and same <= _FLAGS:
            try:
                given = str(flag_of(given)).lower()
            except ValueError:
                raise OptionError(f"option '{key}' is {value!r}; expected true or false; {self.reason}") from None
        if given in same:
            return None
        if self.effect is Effect.REFUSED:
            if given in {text.lower() for text in self.ignored}:
                return Effect.NONE
            raise OptionError(f"option '{key}' cannot be {value!r}: {self.reason}")
        return self.effect


@functools.cache
def _pattern(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(fnmatch.translate(key.lower()) for key in keys))
