"""Result of a check of `hoodoo doctor`."""

from __future__ import annotations

from attrs import frozen

from hoodoo.diagnosis.finding import Status

__all__ = ["Check", "Status"]


@frozen
class Check:
    """Result of a check.

    Attributes:
        subject: The name of the checked object, such as a package.
        status: The status.
        found: The finding.
        advice: The advice; empty if there is nothing to do.
    """

    subject: str
    status: Status
    found: str
    advice: str = ""
