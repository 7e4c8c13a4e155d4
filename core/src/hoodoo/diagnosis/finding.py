"""Finding of a diagnosis: its status, the places that it concerns, and the advice."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from itertools import islice

from attrs import frozen

__all__ = ["MOST_PLACES", "Finding", "Place", "Status", "first_places"]

MOST_PLACES = 10
"""Maximum number of places that a finding lists."""


class Status(StrEnum):
    """Status of a check or of a finding, from the least to the most serious.

    `ok` needs no attention, and `info` is a fact that a user may need. A `warning` concerns a part of the work, such as
    slow reads or refused writes. A `problem` prevents work, or concerns rows that are lost, wrong or repeated.
    """

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    PROBLEM = "problem"


@frozen
class Place:
    """Place in a table; None for each part that does not apply.

    Attributes:
        file: Table-relative path of a file.
        instant: Instant time.
        partition: Partition path; "" in a table without partitions.
        key: Record key.
    """

    file: str | None = None
    instant: str | None = None
    partition: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        named = {"file": self.file, "instant": self.instant, "partition": self.partition, "key": self.key}
        return ", ".join(f"{name} {value!r}" for name, value in named.items() if value is not None)


@frozen
class Finding:
    """Result of a check of a table.

    Attributes:
        check: The name of the check, such as `data files`.
        status: The seriousness of the finding.
        found: The text of the finding.
        advice: The advice; empty if there is nothing to do.
        places: The first places that the finding concerns.
    """

    check: str
    status: Status
    found: str
    advice: str = ""
    places: tuple[Place, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return the finding as a dictionary for JSON; a place has only the parts that apply."""
        places = [
            {
                name: value
                for name in ("file", "instant", "partition", "key")
                if (value := getattr(place, name)) is not None
            }
            for place in self.places
        ]
        return {
            "check": self.check,
            "status": self.status.value,
            "found": self.found,
            "advice": self.advice,
            "places": places,
        }


def first_places(places: Iterable[Place]) -> tuple[Place, ...]:
    """Return the first places, at most `MOST_PLACES`."""
    return tuple(islice(places, MOST_PLACES))
