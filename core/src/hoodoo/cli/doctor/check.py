"""Result of a check of `hoodoo doctor`."""

from __future__ import annotations

from enum import StrEnum

from attrs import frozen

__all__ = ["Check", "Status"]


class Status(StrEnum):
    """Status of a check. A `problem` prevents hoodoo from working, a `warning` only a part of it."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"


@frozen
class Check:
    """Result of a check.

    Attributes:
        subject: The thing that was checked.
        status: The status.
        found: The finding.
        advice: The advice; empty if there is nothing to do.
    """

    subject: str
    status: Status
    found: str
    advice: str = ""
