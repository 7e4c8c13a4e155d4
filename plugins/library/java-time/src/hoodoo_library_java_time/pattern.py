"""Parser of Joda-Time date patterns, which consist of letters for date fields, and of literal text."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from hoodoo.errors import OptionError
from hoodoo_library_java_time.calendar import FIELDS, DateField

__all__ = ["DAYS", "ERAS", "HALVES", "MONTHS", "Part", "parse_pattern"]

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HALVES = ("AM", "PM")
ERAS = ("BC", "AD")

_LETTERS = frozenset("GCxyYMdahHkKmsSeEDwzZ")
_NUMERIC = frozenset("CxyYdhHmsSeDwkK")


@frozen
class Part:
    """Part of a pattern: a run of one letter, or literal text (letter "")."""

    letter: str
    count: int = 0
    text: str = ""

    @property
    def field(self) -> DateField | None:
        """Return the field of the letter (`y` for `YY`); None for text and time zones."""
        return FIELDS.get("y" if self.two_digits and self.letter == "Y" else self.letter)

    @property
    def words(self) -> tuple[str, ...]:
        """Return the words of a field that is written in words, from its lowest value up; empty for other parts."""
        if self.letter == "M" and self.count >= 3:
            return MONTHS if self.count >= 4 else tuple(name[:3] for name in MONTHS)
        if self.letter == "E":
            return DAYS if self.count >= 4 else tuple(name[:3] for name in DAYS)
        return {"a": HALVES, "G": ERAS}.get(self.letter, ())

    @property
    def first(self) -> int:
        """Return the value of the first word: 1 for months and days of the week, else 0."""
        return 1 if self.letter in ("M", "E") else 0

    @property
    def two_digits(self) -> bool:
        """Return whether the part is a year of two digits."""
        return self.count == 2 and self.letter in ("x", "y", "Y")

    @property
    def is_number(self) -> bool:
        """Return whether the part is a number; a year directly before it has at most as many digits as letters."""
        return self.letter in _NUMERIC or (self.letter == "M" and self.count <= 2)


def parse_pattern(pattern: str, option: str) -> tuple[Part, ...]:
    """Return the parts of a date pattern.

    Letters: `G` era, `C` century, `Y` year of era, `y` year, `x` week-based year, `M` month, `w` week, `D` day of year,
    `d` day of month, `e` and `E` day of week, `a` half of the day, `H` and `k` hour (0-23, 1-24), `K` and `h` hour of
    the half (0-11, 1-12), `m` minute, `s` second, `S` fraction, `z` zone name, `Z` offset; text in quotes.

    Raises:
        OptionError: The pattern is empty or has another letter; the message names `option`.
    """
    parts = tuple(_parts(pattern))
    if not parts:
        raise OptionError(f"option '{option}' has an empty date pattern; write one, such as yyyy-MM-dd")
    for part in parts:
        if part.letter and part.letter not in _LETTERS:
            raise OptionError(
                f"option '{option}': '{part.letter * part.count}' in date pattern '{pattern}' is not a date field;"
                " use Joda's letters, and put literal text in quotes, as in yyyy-MM-dd'T'HH"
            )
    return parts


def _parts(pattern: str) -> Iterator[Part]:
    position = 0
    while position < len(pattern):
        letter = pattern[position]
        if _is_letter(letter):
            end = position
            while end < len(pattern) and pattern[end] == letter:
                end += 1
            yield Part(letter, end - position)
            position = end
        else:
            text, position = _literal(pattern, position)
            if text:
                yield Part("", text=text)


def _literal(pattern: str, position: int) -> tuple[str, int]:
    """Return the literal text at a position, and its end; letters must be quoted, and a doubled quote is a quote."""
    text, quoted = "", False
    while position < len(pattern):
        character = pattern[position]
        if character == "'":
            if pattern[position + 1 : position + 2] == "'":
                text += "'"
                position += 1
            else:
                quoted = not quoted
        elif not quoted and _is_letter(character):
            break
        else:
            text += character
        position += 1
    return text, position


def _is_letter(character: str) -> bool:
    return character.isascii() and character.isalpha()
